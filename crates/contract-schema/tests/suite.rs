//! The gate and the validator against the official suite, both drafts (contract D4).

use contract_schema::{Json, Schema};
use serde_json::Value;

use crate::support::suite::{Group, LEFT_OUT, folder, groups};
use crate::support::{say, skipped};

#[derive(Default)]
struct Tally {
    accepted: usize,
    refused: usize,
    agreed: usize,
    unreadable: usize,
    disagreements: Vec<String>,
    /// Groups that use nothing the contract leaves out, and how many of them are accepted.
    eligible: usize,
    eligible_accepted: usize,
}

#[test]
fn accepted_schemas_agree_with_the_official_suite() {
    let Some(folder) = folder() else {
        return skipped("JSON-Schema-Test-Suite", "set TENON_SUITES to the folder of suites");
    };
    let mut tally = Tally::default();
    for group in groups(&folder) {
        judge(&group, &mut tally);
    }
    let share = 100.0 * tally.eligible_accepted as f64 / tally.eligible as f64;
    say(&format!(
        "JSON-Schema-Test-Suite: {} groups accepted, {} refused; {} of {} cases agreed, {} with numbers \
         that V1 refuses; {share:.1}% of {} eligible groups accepted",
        tally.accepted,
        tally.refused,
        tally.agreed,
        tally.agreed + tally.disagreements.len(),
        tally.unreadable,
        tally.eligible,
    ));
    for (path, reason) in LEFT_OUT {
        say(&format!("  left out: {path} ({reason})"));
    }
    assert_eq!(tally.disagreements, Vec::<String>::new());
    assert!(tally.accepted > 400, "the suite is incomplete");
    assert!(share >= 95.0, "only {share:.1}% of the eligible groups are accepted");
}

fn judge(group: &Group, tally: &mut Tally) {
    let compiled = Schema::compile(&group.schema);
    let is_eligible = !uses_left_out(&group.schema);
    tally.eligible += usize::from(is_eligible);
    let schema = match compiled {
        Ok(schema) => schema,
        Err(error) => {
            tally.refused += 1;
            for refusal in error.refusals() {
                let place = group.schema.pointer(&refusal.path);
                assert!(place.is_some(), "{}: {refusal} names no place", group.name);
            }
            return;
        }
    };
    assert_eq!(schema.try_force(), Ok(()), "{}", group.name);
    tally.accepted += 1;
    tally.eligible_accepted += usize::from(is_eligible);
    for case in &group.cases {
        let Ok(json) = Json::parse(&case.data.to_string()) else {
            tally.unreadable += 1;
            continue;
        };
        let verdict = schema.canonicalize(json);
        if verdict.is_ok() == case.valid {
            tally.agreed += 1;
        } else {
            tally.disagreements.push(format!("{}: {}: {verdict:?}", group.name, case.name));
        }
    }
}

/// Whether a schema uses a remote reference, `$dynamicRef`, an anchor or a vocabulary. Draft-07 writes an
/// anchor as an `$id` that begins with `#`.
fn uses_left_out(schema: &Value) -> bool {
    match schema {
        Value::Array(elements) => elements.iter().any(uses_left_out),
        Value::Object(members) => members.iter().any(|(name, value)| {
            let text = value.as_str().unwrap_or_default();
            match name.as_str() {
                "$dynamicRef" | "$dynamicAnchor" | "$anchor" | "$vocabulary" => true,
                "$ref" if value.is_string() => !text.starts_with('#'),
                "$id" if text.starts_with('#') => true,
                "$schema" => !text.contains("draft-07/schema") && !text.contains("2020-12/schema"),
                _ => uses_left_out(value),
            }
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
