//! The JSON-Schema-Test-Suite as data.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::suites;

/// Files that are left out, and why.
pub(crate) const LEFT_OUT: [(&str, &str); 4] = [
    ("optional/format/", "formats are annotations here (D4)"),
    ("optional/content.json", "content keywords are annotations here (D4)"),
    ("optional/bignum.json", "integers outside i64 and u64 (V1)"),
    ("optional/float-overflow.json", "numbers beyond a float (V1)"),
];

/// One group: a schema and its cases.
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) schema: Value,
    pub(crate) cases: Vec<Case>,
}

pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) data: Value,
    pub(crate) valid: bool,
}

/// Where the suites are, if they are.
pub(crate) fn folder() -> Option<PathBuf> {
    suites().map(|folder| folder.join("json-schema"))
}

/// Every group of both drafts that is not left out.
pub(crate) fn groups(folder: &Path) -> Vec<Group> {
    let draft7 = "http://json-schema.org/draft-07/schema#";
    let mut groups = Vec::new();
    // 2020-12 is what a schema without `$schema` is written in.
    for (draft, dialect) in [("draft7", Some(draft7)), ("draft2020-12", None)] {
        for file in files(&folder.join(draft)) {
            let name = file.strip_prefix(folder).unwrap().display().to_string();
            if LEFT_OUT.iter().all(|(path, _)| !name.contains(path)) {
                read(&file, &name, dialect, &mut groups);
            }
        }
    }
    groups
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(self::files(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

fn read(file: &Path, name: &str, dialect: Option<&str>, groups: &mut Vec<Group>) {
    let text = std::fs::read_to_string(file).unwrap();
    let content: Value = serde_json::from_str(&text).unwrap();
    for group in content.as_array().unwrap() {
        let mut schema = group["schema"].clone();
        if let (Value::Object(members), Some(dialect)) = (&mut schema, dialect) {
            members.entry("$schema").or_insert_with(|| json!(dialect));
        }
        let cases = group["tests"].as_array().unwrap().iter().map(|case| Case {
            name: case["description"].as_str().unwrap().to_owned(),
            data: case["data"].clone(),
            valid: case["valid"].as_bool().unwrap(),
        });
        let description = group["description"].as_str().unwrap();
        groups.push(Group {
            name: format!("{name}: {description}"),
            schema,
            cases: cases.collect(),
        });
    }
}
