//! Reading documents into types.

use std::collections::BTreeMap;

use contract_schema::Json;
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Deep {
    list: Vec<Item>,
    map: BTreeMap<String, Option<i8>>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum Item {
    Count { n: u32 },
    Text { text: String, weight: f64 },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Loose {
    Integer(i64),
    Float(f64),
    Any(serde_json::Value),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum External {
    Unit,
    Newtype(u8),
    Tuple(u8, u8),
    Struct { a: u8 },
}

fn read<T: serde::de::DeserializeOwned>(text: &str) -> T {
    Json::parse(text).unwrap().to_typed().unwrap()
}

fn fails<T: serde::de::DeserializeOwned + std::fmt::Debug>(text: &str) -> (String, String) {
    let error = Json::parse(text).unwrap().to_typed::<T>().unwrap_err();
    (error.path(), error.message().to_owned())
}

#[test]
fn what_was_written_is_read_back() {
    let value = Deep {
        list: vec![Item::Count { n: 7 }, Item::Text { text: "a\"b".to_owned(), weight: 0.25 }],
        map: BTreeMap::from([("x".to_owned(), None), ("y".to_owned(), Some(-3))]),
    };
    assert_eq!(Json::snapshot(&value).unwrap().to_typed::<Deep>().unwrap(), value);
    for external in
        [External::Unit, External::Newtype(1), External::Tuple(1, 2), External::Struct { a: 1 }]
    {
        assert_eq!(Json::snapshot(&external).unwrap().to_typed::<External>().unwrap(), external);
    }
}

#[test]
fn an_integral_float_is_the_integer_where_an_integer_is_wanted() {
    assert_eq!(read::<u8>("3.0"), 3);
    assert_eq!(read::<i64>("-9007199254740992.0"), -9_007_199_254_740_992);
    assert_eq!(read::<Item>(r#"{"kind":"count","n":5.0}"#), Item::Count { n: 5 });
    assert_eq!(read::<f64>("3"), 3.0);
    assert!(Json::parse("3.5").unwrap().to_typed::<u8>().is_err());
    assert_eq!(read::<i64>("1e18"), 1_000_000_000_000_000_000);
    assert_eq!(read::<u64>("1e19"), 10_000_000_000_000_000_000);
    assert!(Json::parse("1e300").unwrap().to_typed::<u64>().is_err());
}

#[test]
fn a_float_stays_one_where_anything_is_wanted() {
    assert_eq!(read::<serde_json::Value>("[1.0,1]").to_string(), "[1.0,1]");
    assert_eq!(read::<Loose>("1.0"), Loose::Float(1.0));
    assert_eq!(read::<Loose>("1"), Loose::Integer(1));
}

#[test]
fn a_refusal_names_the_place() {
    let (path, message) = fails::<Deep>(r#"{"list":[{"kind":"count","n":1}],"map":{"k":300}}"#);
    assert_eq!(path, "/map/k");
    assert!(message.contains("300"), "{message}");
    assert_eq!(fails::<Vec<Vec<u8>>>("[[1],[1,-1]]").0, "/1/1");
    assert_eq!(fails::<(u8, u8)>("[1,2,3]").0, "");
    assert_eq!(fails::<External>("[1]").0, "");
    assert!(fails::<External>(r#"{"Unit":1}"#).1.contains("unit"));
}

#[test]
fn text_is_borrowed_in_place_by_the_document_itself() {
    let json = Json::parse(r#"{"a":"x\ny"}"#).unwrap();
    assert_eq!(json.root().get("a").unwrap().as_str(), Some("x\ny"));
}

#[test]
fn keys_may_be_newtypes_and_integers() {
    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    struct Id(String);
    let ids = BTreeMap::from([(Id("a".to_owned()), 1)]);
    assert_eq!(Json::snapshot(&ids).unwrap().to_typed::<BTreeMap<Id, i32>>().unwrap(), ids);
    assert_eq!(read::<BTreeMap<u32, bool>>(r#"{"7":true}"#), BTreeMap::from([(7, true)]));
    assert!(Json::parse(r#"{"x":true}"#).unwrap().to_typed::<BTreeMap<u32, bool>>().is_err());
}

#[test]
fn the_text_of_a_refusal_says_what_was_expected_and_nothing_of_the_value() {
    for (text, shown) in [
        (r#"{"list":[],"map":{"k":"secret, expected lies"}}"#, "expected i8 at /map/k"),
        (r#"{"list":[]}"#, "missing field `map` at the top level"),
        (r#"{"list":[{"kind":"secret"}],"map":{}}"#, "at /list/0"),
    ] {
        let error = Json::parse(text).unwrap().to_typed::<Deep>().unwrap_err().to_string();
        assert!(error.contains(shown) && !error.contains("secret"), "{error}");
    }
}
