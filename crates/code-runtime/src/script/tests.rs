//! What is blanked, what is kept, and what is refused.

use super::*;

/// Strips, and holds that lines and columns stayed.
fn stripped(source: &str) -> String {
    let out = strip(source).unwrap_or_else(|refused| panic!("{source}: {refused:?}")).into_owned();
    let shape = |text: &str| text.lines().map(|line| line.chars().count()).collect::<Vec<_>>();
    assert_eq!(shape(&out), shape(source), "{source}");
    // What is left must parse as JavaScript.
    let allocator = Allocator::default();
    assert!(!failed(&parse(&allocator, &out, SourceType::mjs())), "{out}");
    out
}

/// Strips and gives the words that are left.
fn left(source: &str) -> String {
    words(&stripped(source))
}

fn words(text: &str) -> String {
    text.replace(';', " ; ").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn plain_javascript_is_untouched() {
    for source in [
        "return 1",
        "const a = b < c > (d); return a",
        "label: for (const x of await y) { continue label }",
        "class A { #x = 1; static { this.y = 2 } get z() { return this.#x } }",
        "return `${`${1}`}`;",
        "const type = 1, as = 2, of = 3; return type + as + of",
        "// \u{1f600}\nreturn /[/]/u.test(\"\")",
    ] {
        assert!(matches!(strip(source), Ok(Cow::Borrowed(out)) if out == source), "{source}");
    }
}

#[test]
fn types_become_spaces() {
    for (source, expected) in [
        ("const a: number = 1", "const a = 1"),
        ("let a!: string; let b: T", "let a ; let b;"),
        (
            "function f<T>(this: A, a?: T, ...b: T[]): a is T { return a! }",
            "function f ( a , ...b ) { return a; }",
        ),
        ("function f(this: A) { return 1 }", "function f( ) { return 1 }"),
        ("const f = async <T,>(a: T): Promise<T> => a as T;", "const f = async (a ) => a ;"),
        (
            "const m = new Map<string, number>(); f<A>(1); g<B>`x`",
            "const m = new Map (); f (1); g `x`",
        ),
        ("const a = { b: 1 } satisfies C;", "const a = { b: 1 } ;"),
        ("try { f() } catch (e: unknown) {}", "try { f() } catch (e ) {}"),
        ("for (const x of y as T[]) {}", "for (const x of y ) {}"),
        ("for (let i: number = 0 as number; i < 2; i++) {}", "for (let i = 0 ; i < 2; i++) {}"),
        ("(x as any).y = (z!)", "(x ).y = (z )"),
        ("declare const a: number; declare function b(): void", "; ;"),
        ("declare enum A { B } declare namespace N { const x: 1 }", "; ;"),
        (
            "function f(a: string): void; function f(a: any) { return a }",
            "; function f(a ) { return a }",
        ),
    ] {
        assert_eq!(left(source), words(expected), "{source}");
    }
}

#[test]
fn classes_keep_what_runs() {
    let source = "abstract class A<T> extends B<T> implements C, D<T> {\n  private readonly x: number = 1;\n  public static y?: string\n  declare z: 1;\n  abstract w(): void;\n  [key: string]: any;\n  constructor(a: number);\n  constructor(a: any) { super(a as T) }\n  public async m?(): Promise<void> {}\n  override get g(): number { return 1 }\n}";
    let expected = "class A extends B { ; x = 1; ; static y ; ; ; ; ; constructor(a ) { super(a ) } ; async m () {} ; get g() { return 1 } }";
    assert_eq!(left(source), words(expected));
}

#[test]
fn a_semicolon_stands_where_only_a_type_kept_lines_apart() {
    assert_eq!(left("let x = y as string\n(foo)"), "let x = y ; (foo)");
    assert_eq!(left("a\ninterface X { b: 1 }\n(c)"), "a ; (c)");
    assert_eq!(left("let x = y!\n[0].z()"), "let x = y [0].z()");
    assert_eq!(left("class A { a = b as C\n['d']() {} }"), "class A { a = b ; ['d']() {} }");
    assert_eq!(left("if (a) b as T\nelse c"), "if (a) b ; else c");
    assert_eq!(left("return x as {\n a: 1 }"), "return x ;");
}

#[test]
fn a_return_type_over_lines_keeps_the_arrow_on_its_line() {
    assert_eq!(left("const f = (a: number): {\n b: 1\n} => a;"), "const f = (a ) => a ;");
}

#[test]
fn types_in_other_alphabets_keep_columns() {
    let out = stripped("const x: \"\u{e9}\u{1f600}\" = y; z");
    assert_eq!(out, "const x       = y; z");
}

#[test]
fn what_makes_code_is_refused_with_its_place() {
    for (source, offset, hint) in [
        ("let a = 1;\nenum A { B }", 11, "as const"),
        ("const enum A { B }", 0, "as const"),
        ("namespace A { export const b = 1 }", 0, "object"),
        ("class A { constructor(private a: number) {} }", 22, "assign"),
        ("class A { @d m(): void {} }", 10, "call"),
        ("const a = <T>b as C", 10, "as T"),
        ("import { a } from 'b'", 0, "import"),
        ("import type { a } from 'b'", 0, "import"),
        ("export const a = 1", 0, "return"),
        ("export const a: number = 1", 0, "return"),
        ("import a = require('b')", 0, "import"),
        ("a\0b", 1, "NUL"),
    ] {
        let refused = strip(source).err().unwrap_or_else(|| panic!("{source} is accepted"));
        assert_eq!(refused.offset, offset, "{source}: {refused:?}");
        assert!(refused.message.contains(hint), "{source}: {refused:?}");
    }
}

#[test]
fn a_syntax_error_has_a_place() {
    let refused = strip("const a = 1;\nconst b = ;").err();
    assert_eq!(refused.map(|refused| refused.offset), Some(23));
    // Nothing closes the function that the program becomes.
    assert!(strip("}); evil(); (async () => {").is_err());
    assert!(strip("return 1 }").is_err());
}
