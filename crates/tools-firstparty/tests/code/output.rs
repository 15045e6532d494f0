//! What a program gives back (contract C4).

use super::support::{Bench, code, echo, message, text};

#[tokio::test(flavor = "multi_thread")]
async fn c4_the_value_is_logs_and_result_and_the_text_shows_both() {
    let bench = Bench::new([]);
    for (program, value, shown) in [
        ("return 1", r#"{"logs":[],"result":1}"#, "1"),
        ("console.log('a'); return 'b\\nc'", r#"{"logs":["a"],"result":"b\nc"}"#, "a\nb\nc"),
        ("return null", r#"{"logs":[],"result":null}"#, "null"),
        ("return undefined", r#"{"logs":[]}"#, "(the program logged nothing and returned nothing)"),
        ("console.warn(1, {})", r#"{"logs":["1 {}"]}"#, "1 {}"),
        (
            "return [{ a: [] }]",
            r#"{"logs":[],"result":[{"a":[]}]}"#,
            "[\n  {\n    \"a\": []\n  }\n]",
        ),
        (
            "return 9007199254740993n",
            r#"{"logs":[],"result":9007199254740993}"#,
            "9007199254740993",
        ),
        ("const n: number = 2; return n as number", r#"{"logs":[],"result":2}"#, "2"),
    ] {
        let outcome = bench.run(program).await;
        let got = outcome.value().map(|value| value.to_string());
        assert_eq!(got.as_deref(), Some(value), "{program}: {}", message(&outcome));
        assert_eq!(text(&outcome), shown, "{program}");
        assert!(outcome.meta().is_none(), "{program}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn both_arguments_are_there_and_not_blank() {
    let bench = Bench::new([]);
    for arguments in [
        r#"{"code":"return 1"}"#,
        r#"{"description":"x"}"#,
        r#"{"code":" \n","description":"x"}"#,
        r#"{"code":"return 1","description":" \t"}"#,
    ] {
        let request = contract_registry::CallRequest::from_text("run_code", arguments);
        assert_eq!(
            code(&bench.registry.dispatch(request).await),
            "INVALID_TOOL_ARGS",
            "{arguments}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn values_cross_both_ways_unchanged() {
    let bench = Bench::new([echo()]);
    let values =
        r#"{ a: null, b: [1, -2.5, "é😀", true], c: { d: {} }, big: 2n ** 60n, empty: "" }"#;
    let program = format!("const sent = {values}; return [sent, await tools.echo(sent)]");
    let result = bench.result(&program).await;
    assert_eq!(result[0], result[1]);
    assert_eq!(result[1]["big"], 1u64 << 60);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_too_deep_to_be_read_back_is_a_failure_of_the_program() {
    let bench = Bench::new([]);
    let nested =
        |levels: usize| format!("let v = 1; for (let i = 0; i < {levels}; i++) v = [v]; return v");
    assert!(!bench.run(&nested(126)).await.is_error());
    let outcome = bench.run(&nested(127)).await;
    assert_eq!(code(&outcome), "CODE_RUN_FAILED");
    assert!(message(&outcome).contains("deeper than 126 levels"), "{}", message(&outcome));
}
