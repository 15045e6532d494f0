//! Permission rules about paths: links, other spellings, and what a pattern's own spelling means.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract_hooks::Hooks;
use contract_hooks::policies::{Permissions, Rule, RuleDoubt};
use contract_registry::{AccessMode, CallEnv, CallRequest, Registry};
use contract_schema::Json;
use serde_json::json;

use crate::support::{code, counter};

/// A workspace `space` with `secrets/key` and `docs/a`, beside a folder `outside` and a link `door` to the
/// workspace.
struct Space(tempfile::TempDir);

impl Space {
    fn new() -> Self {
        let space = Self(tempfile::tempdir().unwrap());
        for folder in ["space/secrets", "space/docs", "outside"] {
            fs::create_dir_all(space.beside(folder)).unwrap();
        }
        for file in ["space/secrets/key", "space/docs/a", "outside/b"] {
            fs::write(space.beside(file), "x").unwrap();
        }
        symlink(space.root(), space.beside("door")).unwrap();
        space
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn root(&self) -> PathBuf {
        self.beside("space")
    }

    fn link(&self, name: &str, target: impl AsRef<Path>) {
        symlink(target, self.root().join(name)).unwrap();
    }

    /// A rule with `@` for the folder around the workspace.
    fn rule(&self, text: &str) -> Rule {
        text.replace('@', self.0.path().to_str().unwrap()).parse().unwrap()
    }

    async fn judge(&self, permissions: Permissions, root: &Path, path: &str) -> String {
        let hooks = Hooks::new();
        hooks.pre_execute("permissions", permissions).keep();
        let registry = Registry::builder().policy(Arc::new(hooks)).build();
        registry.register_dyn(counter("write").build().unwrap()).unwrap().keep();
        let env = CallEnv::new(root).with_access_mode(AccessMode::ReadOnly);
        let path = path.replace('@', self.0.path().to_str().unwrap());
        let arguments = Json::snapshot(&json!({ "file_path": path })).unwrap();
        let request = CallRequest::new("write", arguments).with_env(Arc::new(env));
        code(&registry.dispatch(request).await).to_owned()
    }

    /// Whether a refusal for `pattern` refuses `path`, and a question for it asks.
    async fn denies(&self, root: &Path, pattern: &str, path: &str) -> bool {
        let rule = || [self.rule(&format!("write(file_path={pattern})"))];
        let all = || Permissions::new().allow([self.rule("*")]);
        let denied = self.judge(all().deny(rule()), root, path).await == "PERMISSION_DENIED";
        let asked = self.judge(all().ask(rule()), root, path).await == "APPROVAL_UNAVAILABLE";
        assert_eq!(denied, asked, "{pattern} {path}");
        denied
    }

    /// Whether a permission for `pattern` permits `path`.
    async fn allows(&self, root: &Path, pattern: &str, path: &str) -> bool {
        let rule = self.rule(&format!("write(file_path={pattern})"));
        self.judge(Permissions::new().allow([rule]), root, path).await.is_empty()
    }
}

#[tokio::test]
async fn a_link_into_a_folder_does_not_pass_a_refusal() {
    let space = Space::new();
    space.link("plain", "secrets");
    space.link("absolute", space.root().join("secrets"));
    space.link("twice", "plain");
    space.link("file", "secrets/key");
    space.link("to_come", "secrets/not_yet");
    space.link("docs/up", "../secrets");
    for path in [
        "plain/key",
        "absolute/key",
        "twice/key",
        "file",
        // What a write would make.
        "to_come",
        "plain/not/yet",
        "docs/up/key",
        "docs/up",
        "./docs/../plain//key",
        "@/space/plain/key",
        "@/door/plain/key",
        "/proc/self/root@/space/secrets/key",
        "docs/up/../secrets/key",
    ] {
        for pattern in ["secrets/*", "./secrets/**", "@/space/secrets/*", "@/door/secrets/*"] {
            for root in [space.root(), space.beside("door")] {
                assert!(space.denies(&root, pattern, path).await, "{pattern} {path} {root:?}");
            }
        }
    }
    for path in ["docs/a", "docs/none", "secret", "", "~/secrets/key", "docs/a/../secrets/key"] {
        assert!(!space.denies(&space.root(), "secrets/*", path).await, "{path}");
    }
}

#[tokio::test]
async fn a_pattern_that_goes_by_a_link_means_what_is_behind_it() {
    let space = Space::new();
    space.link("alias", "secrets");
    for path in ["alias/key", "secrets/key", "@/space/secrets/key", "@/door/alias/key"] {
        for pattern in ["alias/*", "alias/key", "@/door/alias/k*"] {
            assert!(space.denies(&space.root(), pattern, path).await, "{pattern} {path}");
        }
    }
    assert!(!space.denies(&space.root(), "alias/*", "docs/a").await);
}

#[tokio::test]
async fn a_refusal_for_what_is_in_a_folder_is_for_the_folder_too() {
    let space = Space::new();
    for path in ["secrets", "secrets/", "./secrets/."] {
        for pattern in ["secrets/*", "secrets/**", "secrets/", "secrets"] {
            assert!(space.denies(&space.root(), pattern, path).await, "{pattern} {path}");
        }
    }
    assert!(!space.denies(&space.root(), "secrets/*", ".").await);
}

#[tokio::test]
async fn a_patterns_own_spelling_does_not_matter() {
    let space = Space::new();
    for pattern in [
        "./secrets/**",
        "secrets//key",
        "secrets/../secrets/**",
        "../space/secrets/*",
        "@/space/./docs/../secrets/*",
        "*/key",
        "./*",
    ] {
        assert!(space.denies(&space.root(), pattern, "secrets/key").await, "{pattern}");
    }
    assert!(space.denies(&space.root(), "../outside/*", "@/outside/b").await);
    // Case is kept.
    assert!(!space.denies(&space.root(), "Secrets/*", "secrets/key").await);
}

#[tokio::test]
async fn a_link_does_not_widen_a_permission() {
    let space = Space::new();
    space.link("docs/out", "../../outside");
    space.link("docs/to_come", space.beside("outside/not_yet"));
    space.link("docs/loop", "loop");
    space.link("elsewhere", "docs");
    let root = space.root();
    for path in ["docs/a", "docs/none", "./docs//a", "@/space/docs/a", "secrets/../docs/a"] {
        for pattern in ["docs/*", "@/space/docs/*", "./docs/**"] {
            for root in [&root, &space.beside("door")] {
                assert!(space.allows(root, pattern, path).await, "{pattern} {path} {root:?}");
            }
        }
    }
    for path in [
        "docs/out/b",
        "docs/out",
        "docs/to_come",
        "docs/loop",
        "docs/../secrets/key",
        // By spelling `docs/a`, by its links `../docs/a`.
        "docs/out/../a",
        // Really there, but not what is written.
        "elsewhere/a",
        "docs",
    ] {
        assert!(!space.allows(&root, "docs/*", path).await, "{path}");
    }
}

#[tokio::test]
async fn a_relative_star_permits_nothing_outside() {
    let space = Space::new();
    for (pattern, outside) in [("./*", false), ("docs/../*", false), ("*", true)] {
        assert!(space.allows(&space.root(), pattern, "docs/a").await, "{pattern}");
        let allowed = space.allows(&space.root(), pattern, "@/outside/b").await;
        assert_eq!(allowed, outside, "{pattern}");
    }
}

#[tokio::test]
async fn a_name_that_is_no_text_is_refused_and_never_permitted() {
    use std::os::unix::ffi::OsStrExt as _;
    let space = Space::new();
    let name = std::ffi::OsStr::from_bytes(b"docs/\xff");
    fs::create_dir(space.root().join(name)).unwrap();
    space.link("odd", name);
    assert!(space.denies(&space.root(), "docs/*", "odd/a").await);
    assert!(!space.allows(&space.root(), "*", "odd/a").await);
}

#[tokio::test]
async fn a_path_that_cannot_be_followed_to_its_end_is_refused() {
    let space = Space::new();
    space.link("loop", "loop");
    for path in ["loop/x".to_owned(), "a/".repeat(3000), "docs/../".repeat(501)] {
        assert!(space.denies(&space.root(), "secrets/*", &path).await, "{}", path.len());
    }
}

#[test]
fn parts_of_a_rule_that_match_nothing_are_doubted() {
    let closed = json!({ "type": "object", "properties": { "file_path": { "type": "string" } }, "additionalProperties": false });
    let nested = json!({ "type": "object", "additionalProperties": false, "properties": {
        "edits": { "type": "array", "items": { "type": "object", "additionalProperties": false, "properties": {
            "old": { "type": "string" }, "free": {}, "either": { "anyOf": [{ "type": "string" }] },
        } } },
        "env": { "type": ["object", "null"], "additionalProperties": { "type": "string" } },
        "a/b": { "type": "object", "additionalProperties": false, "properties": { "x": true } },
    } });
    let open = json!({ "type": "object", "additionalProperties": true, "properties": { "a": {} } });
    let registry = Registry::builder().build();
    for (name, parameters) in
        [("read", &closed), ("grep", &closed), ("free", &open), ("nest", &nested)]
    {
        let tool = counter(name).parameters(parameters.clone());
        registry.register_dyn(tool.build().unwrap()).unwrap().keep();
    }
    let tools = registry.list();
    for (rule, expected) in [
        ("read(file_path=a)", ""),
        ("read(/file_path=a)", ""),
        ("*(anything=a)", ""),
        ("free(b=a)", ""),
        ("mcp__files__*", ""),
        ("Read", "there is no tool `Read`; did you mean `read`?"),
        ("elsewhere", "there is no tool `elsewhere`"),
        ("read(filepath=a)", "`read` takes no argument `filepath`; did you mean `file_path`?"),
        ("re*(/x/0=a)", "`re*` takes no argument `x`"),
        ("read(/file_path/=secrets/*)", "`read` takes no argument `/file_path/`"),
        ("read(/file_path/x=a)", "`read` takes no argument `/file_path/x`"),
        ("*e*(/file_path/x=a)", ""),
        ("nest(/edits/0/old=a)", ""),
        ("nest(/edits/0/free/x=a)", ""),
        ("nest(/edits/0/either/x=a)", ""),
        ("nest(/edits/0/odl=a)", "`nest` takes no argument `/edits/0/odl`; did you mean `old`?"),
        ("nest(/edits/00/old=a)", "`nest` takes no argument `/edits/00`"),
        ("nest(/edits/*/old=a)", "`nest` takes no argument `/edits/*`"),
        ("nest(/edits/0/old/0=a)", "`nest` takes no argument `/edits/0/old/0`"),
        ("nest(/env/PATH=a)", ""),
        ("nest(/env/PATH/0=a)", "`nest` takes no argument `/env/PATH/0`"),
        ("nest(/a~1b/x/y=a)", ""),
        ("nest(/a~1b/z=a)", "`nest` takes no argument `/a~1b/z`"),
        (
            "read(file_path=~/.ssh/*)",
            "`~` in `~/.ssh/*` is not replaced by the home folder; write it out",
        ),
    ] {
        let doubts = rule.parse::<Rule>().unwrap().doubts(tools.iter().map(|tool| &**tool));
        let said: Vec<_> = doubts.iter().map(RuleDoubt::to_string).collect();
        assert_eq!(said.join(" | "), expected, "{rule}");
    }
}
