//! What each value becomes on its way out of a program and into it (issue: values; contract V1, V4).

use contract_schema::Json;

use crate::support::{failure, returned};

/// Value and what it becomes on the way out.
#[test]
fn values_leave_a_program_as_they_are() {
    for (value, text) in [
        ("null", "null"),
        ("true", "true"),
        ("'a\\u0000\\u{1f600}'", "\"a\\u0000\u{1f600}\""),
        ("''", "\"\""),
        ("0", "0"),
        ("-1", "-1"),
        ("1.0", "1"),
        ("0.1", "0.1"),
        ("1e21", "1e21"),
        ("5e-324", "5e-324"),
        ("2147483648", "2147483648"),
        ("-2147483649", "-2147483649"),
        ("Number.MAX_SAFE_INTEGER", "9007199254740991"),
        ("-Number.MAX_SAFE_INTEGER", "-9007199254740991"),
        ("2 ** 53", "9007199254740992.0"),
        ("5n", "5"),
        ("9007199254740993n", "9007199254740993"),
        ("18446744073709551615n", "18446744073709551615"),
        ("-9223372036854775808n", "-9223372036854775808"),
        ("[]", "[]"),
        ("{}", "{}"),
        ("[[], {}, null]", "[[],{},null]"),
        ("Object.create(null)", "{}"),
        ("Object.freeze({ a: Object.freeze([1]) })", r#"{"a":[1]}"#),
        // Left out, as JavaScript reads it back.
        ("{ a: undefined, b: null }", r#"{"b":null}"#),
        // Integer keys come first, as the language orders them.
        ("{ b: 1, 2: 2, 1: 3, '': 4 }", r#"{"1":3,"2":2,"b":1,"":4}"#),
        ("new Array(3).fill(0)", "[0,0,0]"),
        ("(() => { const a = [1]; return [a, a] })()", "[[1],[1]]"),
        ("'x'.repeat(3) + 'y'.padStart(5, 'z')", "\"xxxzzzzy\""),
    ] {
        let wanted = Json::parse(text).unwrap();
        assert_eq!(returned(&format!("return {value}")), wanted.to_string(), "{value}");
        assert_eq!(
            returned(&format!("return await tools.echo({value})")),
            wanted.to_string(),
            "{value}"
        );
    }
}

#[test]
fn undefined_is_not_null() {
    assert_eq!(returned("return undefined"), "undefined");
    assert_eq!(returned("return"), "undefined");
    assert_eq!(returned("1"), "undefined");
    assert_eq!(returned("return null"), "null");
    assert_eq!(returned("return [await tools.echo(null)]"), "[null]");
}

/// Value, what it is called, and where it stands.
#[test]
fn what_json_does_not_have_is_refused_with_its_place() {
    for (value, what, place) in [
        ("{ a: [1, NaN] }", "NaN", "/a/1"),
        ("[Infinity]", "an infinity", "/0"),
        ("-0", "negative zero", ""),
        ("{ 'a/b~': -0 }", "negative zero", "/a~1b~0"),
        ("['\\ud800']", "half a surrogate pair", "/0"),
        ("{ '\\udc00': 1 }", "half a surrogate pair", "/"),
        ("[undefined]", "undefined", "/0"),
        ("[1, , 2]", "a hole", "/1"),
        ("new Array(4294967295)", "a hole", "/0"),
        ("Object.assign([1], { b: 1 })", "an array with further properties", ""),
        ("{ a: new Date(0) }", "a Date", "/a"),
        ("new Map([[1, 2]])", "a Map", ""),
        ("[new Set()]", "a Set", "/0"),
        ("{ a: () => 1 }", "a function", "/a"),
        ("class A {}", "a function", ""),
        ("Symbol('a')", "a symbol", ""),
        ("{ [Symbol('a')]: 1 }", "a member named by a symbol", "/"),
        ("/a/g", "a regular expression", ""),
        ("new (class A { x = 1 })()", "an instance of a class", ""),
        ("new (class extends Array {})()", "an array of a class", ""),
        ("Object.create({ a: 1 })", "an instance of a class", ""),
        ("new Number(1)", "an instance of a class", ""),
        ("new String('a')", "an instance of a class", ""),
        ("new Uint8Array(2)", "binary data", ""),
        ("new ArrayBuffer(2)", "binary data", ""),
        ("new Error('x')", "an Error", ""),
        ("new Proxy({}, {})", "a proxy", ""),
        ("new Proxy([], {})", "a proxy", ""),
        ("{ get a() { throw new Error('ran') } }", "a getter or setter", "/a"),
        ("Object.defineProperty({}, 'a', { value: 1 })", "not enumerable", "/a"),
        ("[Promise.resolve(1)]", "a promise", "/0"),
        ("globalThis", "not enumerable", "/Object"),
        ("(() => { const a = { b: [] }; a.b.push(a); return a })()", "a cycle", "/b/0"),
        ("(() => { const a = []; a[0] = a; return a })()", "a cycle", "/0"),
        ("2n ** 64n", "a bigint beyond 64 bits", ""),
        ("-(2n ** 63n) - 1n", "a bigint beyond 64 bits", ""),
        (
            "(() => { let a = 1; for (let i = 0; i < 128; i++) a = [a]; return a })()",
            "nesting deeper than 127",
            "/0/0",
        ),
    ] {
        let text = failure(&format!("return {value}"));
        assert!(text.starts_with("TypeError: the result has"), "{value}: {text}");
        assert!(text.contains(what) && text.contains(place), "{value}: {text}");
        let text = failure(&format!("await tools.echo({value})"));
        assert!(text.starts_with("TypeError: the argument"), "{value}: {text}");
        assert!(text.contains(what) && text.contains("at line 1"), "{value}: {text}");
    }
}

#[test]
fn depth_of_127_passes_both_ways() {
    let source = "let a = 1; for (let i = 0; i < 127; i++) a = [a]; return await tools.echo(a)";
    assert_eq!(returned(source), format!("{}1{}", "[".repeat(127), "]".repeat(127)));
}

/// JSON of the host, what the program sees, and what comes back.
#[test]
fn values_reach_a_program_as_they_are() {
    for (json, seen) in [
        ("9007199254740991", "number"),
        ("-9007199254740991", "number"),
        ("9007199254740992", "bigint"),
        ("18446744073709551615", "bigint"),
        ("-9223372036854775808", "bigint"),
        ("1.5", "number"),
        ("\"a\"", "string"),
        ("true", "boolean"),
        ("null", "object"),
        ("[1,{\"a\":[]}]", "object"),
        ("{\"__proto__\":1,\"constructor\":2,\"then\":3}", "object"),
    ] {
        let text = Json::parse(json).unwrap().to_string();
        let source = format!("const v = await tools.echo({}); return [typeof v, v]", literal(json));
        assert_eq!(returned(&source), format!("[\"{seen}\",{text}]"), "{json}");
    }
}

/// JavaScript that gives the document exactly.
fn literal(json: &str) -> String {
    match json.parse::<i128>() {
        Ok(number) if number.unsigned_abs() > (1 << 53) - 1 => format!("{number}n"),
        _ => format!("JSON.parse({json:?})"),
    }
}

#[test]
fn the_console_shows_what_json_could_not() {
    let outcome = crate::support::run(
        "console.log(undefined, -0, NaN, 1e21, 1e-7, 5n, Symbol('a'), () => 1, new Date(0), new Date(NaN), [1, , 2]);\n\
         const a = { a: 1 }; a.b = a; console.log(a, new (class Thing { x = 1 })(), 'str', ['str']);\n\
         console.log({ a: { b: { c: { d: { e: 1 } } } } }, new Array(200).fill(0));\n\
         console.log(new Map(), new Set(), /a/, Promise.resolve(), new Proxy({}, {}), { get x() { return 1 } });",
    );
    let [first, second, third, fourth] = outcome.logs.as_slice() else { panic!("{outcome:?}") };
    assert_eq!(
        first,
        "undefined -0 NaN 1e+21 1e-7 5n Symbol() [Function] 1970-01-01T00:00:00.000Z Invalid Date [1, <empty>, 2]"
    );
    assert_eq!(second, "{ a: 1, b: [Circular] } Thing { x: 1 } str [\"str\"]");
    assert!(third.starts_with("{ a: { b: { c: { d: [Object] } } } } [0, 0,"), "{third}");
    assert!(third.ends_with("... 100 more]"), "{third}");
    assert_eq!(fourth, "[Map] [Set] [RegExp] [Promise] [Proxy] { x: [Getter] }");
}
