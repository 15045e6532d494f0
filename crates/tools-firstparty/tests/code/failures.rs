//! Programs that do not return (contract C7, decisions DC3).

use super::support::{Bench, code, config, echo, message, tool, waiting};
use contract_registry::ToolError;

#[tokio::test(flavor = "multi_thread")]
async fn c7_each_limit_is_named_with_the_logs_and_the_calls_so_far() {
    let mut small = config();
    let limits = &mut small.code.runtime.limits;
    limits.compute_ms = 100;
    limits.output_bytes = 2_000;
    limits.calls = 3;
    limits.heap_bytes = 8 << 20;
    limits.value_bytes = 10_000;
    let bench = Bench::with(&small, None, [echo()]);
    for (program, limit) in [
        ("for (;;);", "its limit on compute (100 ms)"),
        ("for (;;) console.log('x'.repeat(100))", "its limit on output (2000 bytes)"),
        ("for (;;) await tools.echo({})", "its limit on calls (3)"),
        (
            "const all = []; for (;;) all.push(new Array(10000).fill(0))",
            "its limit on heap (8388608 bytes)",
        ),
        ("const f = () => 1 + f(); return f()", "its limit on stack (1048576 bytes)"),
        (
            "await tools.echo({ x: 'x'.repeat(20000) })",
            "its limit on bytes per binding (10000 bytes)",
        ),
    ] {
        let program = format!("console.log('before'); await tools.echo({{}}); {program}");
        let outcome = bench.run(&program).await;
        assert_eq!(code(&outcome), "CODE_RUN_FAILED", "{program}");
        for part in [
            limit,
            "\n\nLogged until then:\nbefore",
            "\n\nCalls that had started:\n1. echo returned",
        ] {
            assert!(message(&outcome).contains(part), "{program}: {part}: {}", message(&outcome));
        }
        assert!(bench.result("return 'the next run works'").await.is_string());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c7_a_program_that_waits_for_nothing_or_too_long_ends() {
    let mut short = config();
    short.code.runtime.limits.wall_ms = 200;
    let bench = Bench::with(&short, None, [waiting()]);
    let stalled = bench.run("await new Promise(() => 0)").await;
    assert!(message(&stalled).contains("nothing can settle"), "{}", message(&stalled));
    let late = bench.run("console.log('here'); await tools.wait({})").await;
    let expected = "the program hit its limit on wall (200 ms)\n\nLogged until then:\nhere\n\n\
                    Calls that had started:\n1. wait failed: stopped waiting";
    assert_eq!(message(&late), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_says_where_in_the_program_as_it_was_written() {
    let failing = tool("failing", |_, _| async { Err(ToolError::new("two\nlines")) });
    let bench = Bench::new([failing]);
    let outcome = bench.run("const a: string = 'é';\n  await tools.failing({})").await;
    let expected = "ToolCallError: two\nlines\nat line 2, column 15\n2 |   await tools.failing({})\n  |               ^\n\n\
                    Calls that had started:\n1. failing failed: two…";
    assert_eq!(message(&outcome), expected);
    let outcome = bench.run("let a = 1\nenum E { A }").await;
    assert!(
        message(&outcome).contains("at line 2, column 1\n2 | enum E { A }"),
        "{}",
        message(&outcome)
    );
    let outcome = bench.run("return new Date()").await;
    assert_eq!(code(&outcome), "CODE_RUN_FAILED");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_list_of_calls_is_cut_to_its_end() {
    let mut few = config();
    few.code.failure_max_calls = 2;
    let failing = tool("failing", |_, _| async { Err(ToolError::new("no")) });
    let bench = Bench::with(&few, None, [failing, echo()]);
    let program = "for (let i = 0; i < 3; i++) { await tools.failing({}).catch(() => 0); await tools.echo({}) } throw 1";
    let outcome = bench.run(program).await;
    let list = message(&outcome).split("started:\n").nth(1).unwrap();
    assert_eq!(list, "4 before these, of which 2 failed\n5. failing failed: no\n6. echo returned");
}
