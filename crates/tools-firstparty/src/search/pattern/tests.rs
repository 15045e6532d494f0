//! Patterns, against paths as the walk meets them.

use super::*;

/// Whether `path` matches, and whether one of its names was given literally on the way.
fn look(pattern: &str, path: &str) -> (bool, bool) {
    let pattern = PathPattern::parse(pattern).expect("a pattern");
    let mut progress = pattern.start();
    let mut is_named = false;
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    for name in folders.split('/').filter(|name| !name.is_empty()) {
        let step = pattern.enter(&progress, name.as_bytes());
        if !pattern.is_alive(&step.inside) {
            return (false, false);
        }
        is_named |= step.is_named_folder;
        progress = step.inside;
    }
    let found = pattern.matches_file(&progress, file.as_bytes());
    (found != FileMatch::No, is_named || found == FileMatch::Named)
}

fn check(pattern: &str, matching: &[&str], others: &[&str]) {
    for path in matching {
        assert!(look(pattern, path).0, "{pattern} should match {path}");
    }
    for path in others {
        assert!(!look(pattern, path).0, "{pattern} should not match {path}");
    }
}

#[test]
fn without_a_slash_names_match_at_any_depth() {
    check("*.rs", &["a.rs", "src/a.rs", "a/b/.rs"], &["a.rsx", "a.rs/b"]);
    check("Cargo.toml", &["Cargo.toml", "a/b/Cargo.toml"], &["Cargo.toml/x", "xCargo.toml"]);
    check(".env*", &[".env", "a/.env.local"], &["a.env"]);
    check("*", &["a", ".b", "a/b/c"], &[]);
    check("**", &["a", "a/b/c"], &[]);
    check("a?[0-9]", &["x/ab1"], &["ab", "abc"]);
}

#[test]
fn with_a_slash_the_pattern_is_anchored() {
    check("src/*.rs", &["src/a.rs"], &["a.rs", "x/src/a.rs", "src/a/b.rs"]);
    check("./src/*.rs", &["src/a.rs"], &["x/src/a.rs"]);
    check("**/src/*.rs", &["src/a.rs", "x/y/src/a.rs"], &["src/a/b.rs"]);
    check("src/**/*.rs", &["src/a.rs", "src/a/b/c.rs"], &["a.rs", "x/src/a.rs"]);
    check("src/**", &["src/a", "src/a/b"], &["src", "x/src/a"]);
    check("src/", &["src/a", "src/a/b"], &["src"]);
    check("./", &["a", "a/b"], &[]);
    check("a/**/b/**/c", &["a/b/c", "a/x/b/y/z/c"], &["a/c", "a/x/c"]);
    check("a//b", &["a/b"], &["a/x/b"]);
}

#[test]
fn braces_and_escapes() {
    check("*.{ts,tsx}", &["a.ts", "b/a.tsx"], &["a.t"]);
    check("{src,test}/**/*.rs", &["src/a.rs", "test/b/a.rs"], &["a.rs"]);
    check(r"\[a\]*", &["[a]x"], &["ax"]);
    check("[!a]x", &["bx"], &["ax"]);
    check("-n", &["-n"], &["n"]);
    check("it's \"odd\" name", &["it's \"odd\" name"], &[]);
    check("café*", &["café.md"], &["cafe.md"]);
}

#[test]
fn names_given_without_wildcards_are_known() {
    assert_eq!(look("target/debug/*.d", "target/debug/a.d"), (true, true));
    assert_eq!(
        look("**/node_modules/*/package.json", "a/node_modules/b/package.json"),
        (true, true)
    );
    assert_eq!(look(".env", "a/.env"), (true, true));
    assert_eq!(look("{.env,x}", ".env"), (true, true));
    assert_eq!(look("*/debug", "target/debug"), (true, true));
    assert_eq!(look("*.log", "a/b.log"), (true, false));
    assert_eq!(look("**/a*", "target/a"), (true, false));
    // `foo` names a folder here, not this file.
    assert_eq!(look("**/foo/../x".replace("/..", "").as_str(), "foo/x"), (true, true));
}

#[test]
fn what_is_no_pattern_is_refused_with_a_reason() {
    let refusal = |text: &str| PathPattern::parse(text).expect_err(text).to_string();
    assert!(refusal(" ").contains("blank"));
    assert!(refusal("../x").contains("`path`"));
    assert!(refusal("/etc/*").contains("`path`"));
    assert!(refusal("a[b").contains("in `a[b`"), "{}", refusal("a[b"));
    assert!(refusal("a\\").contains("in `a\\`"), "{}", refusal("a\\"));
    assert!(refusal(&"a/".repeat(70)).contains("parts"));
}

#[test]
fn what_a_pattern_takes_is_bounded_before_it_is_expanded() {
    let refusal = |text: &str| PathPattern::parse(text).expect_err("refused").to_string();
    let bound = "it is longer than 4096 bytes";
    let group = format!("{{{}}}", vec!["?".repeat(30_000); 256].join(","));
    for text in ["?".repeat(300_000), group, "{a}".repeat(100_000), "?".repeat(4_097)] {
        assert_eq!(refusal(&text), bound);
    }
    let long = "{a,b}".repeat(8) + &"?".repeat(4_000);
    assert!(refusal(&long).contains("longer than 65536 bytes together"), "{}", refusal(&long));
}

#[test]
fn the_hardest_patterns_within_the_bounds_are_quick() {
    let started = std::time::Instant::now();
    let pairs = "{a,b}".repeat(8);
    for text in [
        "?".repeat(4_096),
        "*?".repeat(2_048),
        "[!a]".repeat(1_024),
        "{a}".repeat(1_365),
        pairs.clone() + &"{}".repeat(2_000),
        pairs.clone() + &"{".repeat(2_000) + &"}".repeat(2_000),
        pairs + &"?".repeat(240),
    ] {
        PathPattern::parse(&text).expect("within the bounds");
    }
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
}
