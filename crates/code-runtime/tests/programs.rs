//! What programs can do: TypeScript, calls, timers, errors (decisions DC2, DC3).

use std::time::{Duration, Instant};

use code_runtime::{CallEnd, Ended};

use crate::support::{failure, returned, run};

#[test]
fn typescript_runs_as_its_javascript() {
    let source = "interface Hit { line: number; text?: string }\n\
        type Pair<T> = [T, T];\n\
        class Box<T> implements Iterable<T> { private items: T[] = []; constructor(...items: T[]) { this.items = items }\n\
        public *[Symbol.iterator](): Iterator<T> { yield* this.items } }\n\
        const hits: Hit[] = await Promise.all([1, 2].map(async (line: number): Promise<Hit> => (await tools.echo({ line })) as Hit));\n\
        const pair = [...new Box<number>(3, 4)] as Pair<number>;\n\
        const sum = (...numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);\n\
        return { hits, pair, sum: sum(...pair)!, last: hits.at(-1)?.line satisfies number | undefined };";
    assert_eq!(
        returned(source),
        r#"{"hits":[{"line":1},{"line":2}],"pair":[3,4],"sum":7,"last":2}"#
    );
}

#[test]
fn places_are_those_of_the_program_as_written() {
    let source = "interface A {\n  b: number\n}\nconst a: A = { b: 1 };\nconst f = (x: A): number => { throw new RangeError('no ' + x.b) };\n\nf(a as A);";
    let text = failure(source);
    assert!(text.starts_with("RangeError: no 1\nat line 5, column "), "{text}");
    assert!(text.contains("5 | const f = (x: A)"), "{text}");
    let lines: Vec<String> = (1..=12).map(|line| format!("const v{line} = {line};")).collect();
    let broken = lines.join("\n").replace("const v7 = 7;", "const v7 = = 7;");
    let text = failure(&broken);
    assert!(text.contains("line 7, column 12") && text.contains("7 | const v7 = = 7;"), "{text}");
    // What only the engine refuses.
    let text = failure("let a = 1;\nlet a = 2;");
    assert!(text.contains("SyntaxError") && text.contains("line 2"), "{text}");
    let text = failure("enum A { B }");
    assert!(text.contains("line 1, column 1") && text.contains("as const"), "{text}");
}

#[test]
fn failed_calls_are_errors_of_the_bindings_class() {
    let source = "try { await tools.code(1) } catch (e) {\n\
        return [e instanceof ToolCallError, e instanceof Error, e.name, e.code, e.message, e.toolName, e.stack.includes('program')] }";
    assert_eq!(returned(source), r#"[true,true,"NoEntry","NO_ENTRY","not there","code",true]"#);
    let source = "try { await tools.fail(1) } catch (e) { return [e.name, 'code' in e, e.message, String(e)] }";
    assert_eq!(returned(source), r#"["ToolCallError",false,"no 1","ToolCallError: no 1"]"#);
    let text = failure("const f = async () => {\n  await tools.fail({ a: 1 });\n};\nawait f();");
    assert!(text.starts_with("ToolCallError: no {\"a\":1}\nat line 2, column 15\n"), "{text}");
}

#[test]
fn the_calls_that_started_are_told_with_their_ends() {
    let outcome = run(
        "tools.never(1); await tools.echo(2); await tools.fail(3).catch(() => 0); throw new Error('end')",
    );
    let told: Vec<(u32, &str, &CallEnd)> =
        outcome.calls.iter().map(|call| (call.id, call.name.as_str(), &call.ended)).collect();
    let failed = CallEnd::Failed("no 3".to_owned());
    assert_eq!(
        told,
        [(1, "never", &CallEnd::Dropped), (2, "echo", &CallEnd::Returned), (3, "fail", &failed)]
    );
    assert!(outcome.calls.iter().all(|call| call.global == "tools"));
    assert!(matches!(outcome.ended, Ended::Threw(_)));
}

#[test]
fn calls_overlap() {
    let began = Instant::now();
    let source =
        "return (await Promise.all(Array.from({ length: 50 }, (_, i) => tools.later(i)))).length";
    assert_eq!(returned(source), "50");
    // One after the other they take a second.
    assert!(began.elapsed() < Duration::from_millis(900), "{:?}", began.elapsed());
}

#[test]
fn calls_start_while_the_program_computes() {
    // Without that, the program would hit its limit on compute before the call started.
    let outcome =
        run("tools.echo(1); const until = Date.now() + 100; while (Date.now() < until) ; return 1");
    assert_eq!(outcome.calls.len(), 1);
}

#[test]
fn timers_fire_in_order_with_their_arguments() {
    let source = "const seen = [];\n\
        setTimeout((a, b) => seen.push(a + b), 20, 'a', 'b');\n\
        setTimeout(() => seen.push('first'), 5);\n\
        const never = setTimeout(() => seen.push('never'), 1); clearTimeout(never);\n\
        let rounds = 0; const every = setInterval(() => { if (++rounds === 3) { clearInterval(every); seen.push('third') } }, 10);\n\
        await new Promise((resolve) => setTimeout(resolve, 80)); return seen";
    assert_eq!(returned(source), r#"["first","ab","third"]"#);
    assert!(failure("setTimeout('code', 1)").contains("a timer needs a function"));
    assert!(
        failure(
            "setTimeout(() => { throw new TypeError('late') }, 1); await new Promise(() => {})"
        )
        .starts_with("TypeError: late")
    );
}

#[test]
fn what_waits_for_nothing_is_told_at_once() {
    let outcome = run("console.log('a'); await new Promise(() => {})");
    assert_eq!((outcome.ended, outcome.logs), (Ended::Stalled, vec!["a".to_owned()]));
}

#[test]
fn a_run_leaves_nothing_to_the_next() {
    assert_eq!(returned("globalThis.x = 1; return 1"), "1");
    assert_eq!(returned("return typeof x"), "\"undefined\"");
}

#[test]
fn thrown_values_are_shown() {
    assert!(failure("throw { code: 7 }").starts_with("thrown: { code: 7 }"));
    assert!(failure("throw undefined").starts_with("thrown: undefined"));
    assert!(failure("throw null").starts_with("thrown: null"));
    assert!(
        failure("queueMicrotask(() => { throw new Error('late') }); await 0; await 0")
            .starts_with("Error: late")
    );
}
