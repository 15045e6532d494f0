//! The least a program does.

use crate::support::{failure, returned, run};

#[test]
fn a_program_returns_what_it_returns() {
    assert_eq!(returned("return 1"), "1");
    assert_eq!(
        returned("return { a: [1, 'b', null, true, 1.5] }"),
        r#"{"a":[1,"b",null,true,1.5]}"#
    );
    assert_eq!(returned(""), "undefined");
    assert_eq!(returned("return null"), "null");
    assert_eq!(returned("const a: number = 1; return a + await tools.echo(2)"), "3");
}

#[test]
fn the_console_keeps_order() {
    let outcome = run(
        "console.log('a', 1, { b: [2n, undefined] }); console.error(new TypeError('x')); return 1",
    );
    assert_eq!(outcome.logs[0], "a 1 { b: [2n, undefined] }");
    assert!(outcome.logs[1].starts_with("TypeError: x"), "{:?}", outcome.logs);
}

#[test]
fn failures_have_a_place() {
    let text = failure("const a = 1;\n\nnull.b;");
    assert!(text.contains("TypeError") && text.contains("line 3, column 1"), "{text}");
    let text = failure("const a = 1;\nlet b = ;");
    assert!(text.contains("line 2, column 9") && text.contains("let b = ;"), "{text}");
    let text = failure("await tools.fail({ a: 1 })");
    assert!(text.contains("ToolCallError: no {\"a\":1}") && text.contains("line 1"), "{text}");
}
