//! Samples against signatures.

use std::path::Path;

use contract_testkit::{check_typescript, tsc};
use serde_json::json;

use crate::tools::{Echo, sampled};

fn folder(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn samples_that_fit_pass() {
    check_typescript(&folder("fits"), &[sampled(Echo::Well)]).unwrap();
}

#[test]
fn samples_that_do_not_fit_are_refused() {
    let Some(compiler) = tsc::find().unwrap() else { return };
    let refused = check_typescript(&folder("misfits"), &[sampled(Echo::WithASampleThatIsRefused)]);
    assert!(refused.unwrap_err().contains("txt"));
    tsc::check(&compiler, &folder("plain"), "const a: number = 1;").unwrap();
}

#[test]
fn values_are_written_as_expressions() {
    let value = json!({ "__proto__": [null, true, 1.5, "a\u{2028}\n\""] });
    let expected = r#"{ ["__proto__"]: [null, true, 1.5, "a\u2028\n\""] }"#;
    assert_eq!(tsc::expression(&value), expected);
}
