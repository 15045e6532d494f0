//! Caps that are refused when the policy is built.

use contract_schema::Json;
use contract_spill::{SpillCap, SpillConfig};

fn check(json: &str, expected: Result<u64, &str>) {
    let json = Json::parse(json).unwrap();
    let cap = SpillCap::from_json(json.root());
    let seen = cap.map(SpillCap::bytes).map_err(|error| error.to_string());
    let prefix = "the cap for shown text must be a whole number of bytes, not ";
    assert_eq!(seen, expected.map_err(|given| format!("{prefix}{given}")));
}

#[test]
fn s2_a_cap_that_is_no_whole_number_of_bytes_is_refused() {
    check("50000", Ok(50_000));
    check("0", Ok(0));
    check("5e4", Ok(50_000));
    check("18446744073709551615", Ok(u64::MAX));
    check("-1", Err("-1"));
    check("0.5", Err("0.5"));
    check("-0.5", Err("-0.5"));
    check("1e300", Err(&1e300.to_string()));
    check("\"50000\"", Err("a value of type string"));
    check("null", Err("a value of type null"));
    for bytes in [f64::NAN, f64::INFINITY, -1.0, 1.5] {
        assert!(SpillCap::try_from(bytes).is_err());
    }
    assert!(SpillCap::try_from(-1_i64).is_err());
    assert_eq!(SpillCap::try_from(2.0), Ok(SpillCap::new(2)));
}

#[test]
fn the_default_is_fifty_thousand_bytes_for_all_but_read() {
    let config = SpillConfig::default();
    assert_eq!(config.max_inline_bytes, Some(SpillCap::new(50_000)));
    assert_eq!(config.exempt, ["read"]);
}
