//! What a program is written against (contract C3): its bytes, its size, and what `tsc` makes of it.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
#[cfg(target_os = "linux")]
use std::time::Duration;

use contract_registry::{
    RawTool, Registry, Returned, ToolDefinition, declarations, declarations_within, describe,
};
use contract_schema::Schema;
use contract_testkit::tsc;
use serde_json::{Value, json};

use crate::support::constant;

fn tool(name: &str, description: &str, parameters: &Value, output: &Value) -> Arc<ToolDefinition> {
    let compile = |schema: &Value| Schema::compile(schema).unwrap();
    let tool = ToolDefinition::new(name, "test", compile(parameters), compile(output)).unwrap();
    Arc::new(tool.with_description(description))
}

fn small(name: &str, description: &str) -> Arc<ToolDefinition> {
    let text = json!({"type": "object", "properties": {"text": {"type": "string"}},
        "required": ["text"], "additionalProperties": false});
    tool(name, description, &text, &text)
}

/// As an MCP server might list them: each of another size, with types that refer to others.
fn many(count: usize) -> Vec<Arc<ToolDefinition>> {
    (0..count).map(large).collect()
}

fn large(number: usize) -> Arc<ToolDefinition> {
    let mut properties = serde_json::Map::new();
    for at in 0..20 + number * 7 % 40 {
        let deep = json!({"type": "object", "additionalProperties": false, "properties": {
            "kind": {"enum": ["one", "two", "three"], "description": "Which of the three."},
            "items": {"type": "array", "items": {"$ref": "#/$defs/item"}}}});
        let part =
            if at % 3 == 0 { deep } else { json!({"type": "string", "description": "Text."}) };
        properties.insert(format!("member-{at}"), part);
    }
    let schema = json!({"type": "object", "properties": properties, "required": ["member-1"],
        "additionalProperties": false, "$defs": {"item": {"type": ["string", "number"]}}});
    let name = format!("mcp__server-{}__do_{number}", number % 10);
    tool(&name, &format!("Does thing {number}.\nAt length."), &schema, &schema)
}

/// Compiles the declarations with programs behind them, or says that nothing did.
fn accepts(folder: &str, text: &str, programs: &str) {
    let Some(compiler) = tsc::find().unwrap() else {
        // Nobody to tell when stderr is gone.
        let _ = writeln!(std::io::stderr(), "SKIPPED {folder}: no tsc; set TENON_TSC");
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    let source = format!("export {{}};\n{text}\n{programs}");
    if let Err(output) = tsc::check(&compiler, &folder, &source) {
        panic!("tsc --strict refuses it:\n{output}");
    }
}

#[test]
fn the_order_of_registration_does_not_show() {
    let names = ["b", "a", "c-d", "c_d"];
    let listed = |names: &mut dyn Iterator<Item = &&str>| {
        let registry = Registry::new();
        names.for_each(|name| registry.register_dyn(constant(name, 1)).unwrap().keep());
        registry.list()
    };
    let (one, other) = (listed(&mut names.iter()), listed(&mut names.iter().rev()));
    let text = declarations(&one);
    assert_eq!(text, declarations(&other));
    assert_eq!(text, declarations(&one));
    // No program can call what runs programs.
    let registry = Registry::new();
    let runner = RawTool::new("run_code", "test")
        .parameters(json!({ "type": "object" }))
        .output(json!({ "type": "object" }))
        .run(|_, _| async { Ok(Returned::tree(json!({}))) })
        .render(|_, _| Vec::new())
        .reserved();
    registry.register_dyn(runner.build().unwrap()).unwrap().keep();
    assert!(!declarations(&registry.list()).contains("run_code"));
    let places = ["  a(", "  b(", "  \"c-d\"(", "  c_d("].map(|member| text.find(member).unwrap());
    assert!(places.is_sorted(), "{text}");

    let mut shuffled = many(60);
    let within = declarations_within(&shuffled, 40_000).unwrap();
    shuffled.reverse();
    shuffled.rotate_left(7);
    assert_eq!(within, declarations_within(&shuffled, 40_000).unwrap());
}

#[test]
fn every_size_is_kept_and_no_tool_is_left_out() {
    let tools = many(10);
    let full = declarations(&tools);
    let refused = declarations_within(&tools, 0).unwrap_err();
    let least = refused.needed_bytes;
    assert!(declarations_within(&tools, least - 1).is_err());
    let mut most = 0;
    for size in (least..full.len()).step_by(2111) {
        let text = declarations_within(&tools, size).unwrap();
        assert!(text.len() <= size, "{} of {size}", text.len());
        let whole = tools.iter().filter(|tool| text.contains(&describe(tool))).count();
        assert!(whole >= most, "{whole} tools in full in {size} bytes, {most} in fewer");
        most = whole;
        for tool in &tools {
            let member = format!("  {}", contract_schema::typescript::property(tool.name()));
            let times = text.matches(&format!("{member}(")).count()
                + text.matches(&format!("{member}: Undeclared;")).count();
            assert_eq!(times, 1, "{member} in {size} bytes");
        }
    }
    assert!(most > 6, "{most}");
    assert_eq!(declarations_within(&tools, full.len()).unwrap(), full);
    let short = declarations_within(&tools, full.len() - 1).unwrap();
    assert!(short.contains("Undeclared; // Does thing"), "{short}");
    assert!(short.contains("tools.$describe("), "{short}");
}

#[test]
fn without_room_for_descriptions_there_are_names() {
    let tools = [small("a", "Short."), small("b", &"long ".repeat(50)), small("c", "")];
    let least = declarations_within(&tools, 0).unwrap_err().needed_bytes;
    let text = declarations_within(&tools, least).unwrap();
    assert!(text.contains("  a: Undeclared;\n  b: Undeclared;\n  c: Undeclared;\n"), "{text}");
    let text = declarations_within(&tools, least + 20).unwrap();
    assert!(text.contains("  a: Undeclared; // Short.\n  b: Undeclared;\n"), "{text}");
}

#[test]
fn tsc_accepts_five_hundred_tools_in_full_and_within_a_size() {
    let tools = many(500);
    let call =
        "async function f() { await tools[\"mcp__server-1__do_1\"]({ \"member-1\": \"\" }); }";
    let full = declarations(&tools);
    accepts("declarations-full", &full, call);
    let text = declarations_within(&tools, 100_000).unwrap();
    assert!(text.len() <= 100_000 && full.len() > 1_000_000, "{} {}", text.len(), full.len());
    accepts("declarations-within", &text, call);
}

/// What this thread has had of a processor, whatever else the machine does.
#[cfg(target_os = "linux")]
fn time_on_cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(stat.split(' ').next().unwrap().parse().unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn eight_times_the_tools_take_no_more_than_their_share_of_time() {
    let best = |count: usize| {
        let tools = many(count);
        let once = || {
            let before = time_on_cpu();
            declarations_within(&tools, 50_000).unwrap();
            time_on_cpu().saturating_sub(before)
        };
        (0..3).map(|_| once()).min().unwrap_or(Duration::ZERO)
    };
    let (few, more) = (best(25), best(200));
    assert!(more < few * 24, "{few:?} for 25 tools, {more:?} for 200");
}

#[test]
fn names_that_mean_something_elsewhere_are_members_like_others() {
    let names = [
        "__proto__",
        "constructor",
        "prototype",
        "then",
        "catch",
        "toString",
        "hasOwnProperty",
        "valueOf",
        "new",
        "get",
        "set",
        "static",
        "async",
        "await",
        "readonly",
        "delete",
        "class",
        "default",
        "import",
        "function",
        "undefined",
        "promise",
        "json",
        "string",
        "tools",
        "console",
        "tool_call_error",
        "undeclared",
        "a-1",
        "_",
        "__",
        "declare",
        "type",
        "interface",
    ];
    let tools: Vec<_> = names.iter().map(|name| small(name, "Does it.")).collect();
    let mut calls = String::new();
    for (name, number) in names.iter().zip(0..) {
        let _ = writeln!(
            calls,
            "async function f{number}(): Promise<string> {{\n  \
             const value = await tools[{name:?}]({{ text: \"\" }});\n  \
             // @ts-expect-error\n  await tools[{name:?}]({{ text: 1 }});\n  return value.text;\n}}"
        );
    }
    accepts("declarations-names", &declarations(&tools), &calls);
    let least = declarations_within(&tools, 0).unwrap_err().needed_bytes;
    accepts("declarations-names-only", &declarations_within(&tools, least + 400).unwrap(), "");
}

#[test]
fn alike_names_have_types_of_their_own() {
    let referring = json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/x_args"}},
        "$defs": {"x_args": {"type": "null"}}, "required": ["x"], "additionalProperties": false});
    let mut tools = vec![tool("a", "", &referring, &referring)];
    let names =
        ["a-b", "a_b", "aB", "AB", "a__b", "a-b_args", "a_args_x", "a_args_x_args", "AArgs"];
    let mut calls = "tools.a({ x: null });\n".to_owned();
    for (name, number) in names.iter().zip(0..) {
        let only = json!({"type": "object", "properties": {"is": {"const": number}},
            "required": ["is"], "additionalProperties": false});
        tools.push(tool(name, "", &only, &only));
        let _ = writeln!(
            calls,
            "tools[{name:?}]({{ is: {number} }}).then((value): {number} => value.is);\n\
             // @ts-expect-error\ntools[{name:?}]({{ is: {} }});",
            number + 1
        );
    }
    accepts("declarations-alike", &declarations(&tools), &calls);
}

#[test]
fn no_description_leaves_its_comment() {
    let hostile = [
        "ends */ declare const gone: string; /* here",
        "*/*/",
        "a\nsecond\r\nthird\rfourth\u{2028}fifth\u{2029}sixth\u{85}seventh",
        "@ts-expect-error",
        "@ts-ignore",
        "line\n@ts-expect-error",
        "\u{202e}reordered\u{2066}",
        "null \u{0}, escape \u{1b}[31m, mark \u{feff}",
        "日本語 🦀 é `code` ${value} \\ \"quoted\" 'single'",
        "// @ts-nocheck",
        "/// <reference path=\"gone.ts\" />",
        "*/",
        "/",
        "\\",
        "   \n\t  ",
        "",
    ];
    let names: Vec<String> = (0..hostile.len()).map(|number| format!("tool_{number}")).collect();
    let tools: Vec<_> = names.iter().zip(hostile).map(|(name, text)| small(name, text)).collect();
    let mut after = String::new();
    for name in &names {
        // Each is still there, and what is wrong is still found.
        let _ = writeln!(after, "tools.{name};\n// @ts-expect-error\ntools.{name} = 1;");
    }
    after.push_str("// @ts-expect-error\ngone;\n");
    let full = declarations(&tools);
    accepts("declarations-text", &full, &after);
    let index = declarations_within(&tools, full.len() - 1).unwrap();
    assert!(index.contains(": Undeclared; // "), "{index}");
    accepts("declarations-text-within", &index, &after);
    let least = declarations_within(&tools, 0).unwrap_err().needed_bytes;
    accepts("declarations-text-lines", &declarations_within(&tools, least + 560).unwrap(), &after);
    for text in [full, index] {
        assert!(
            !text.contains(['\u{202e}', '\u{2066}', '\u{0}', '\u{1b}', '\u{feff}', '\u{2028}'])
        );
    }
}
