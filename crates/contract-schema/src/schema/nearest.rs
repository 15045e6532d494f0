//! The nearest known name to one that is not known (decisions DG8).

use std::collections::BTreeSet;

use serde_json::Value;

use super::pointer;

/// Longest name compared, in characters.
const MAX_COMPARED: usize = 64;
/// Most known names listed when none is near.
const MAX_LISTED: usize = 12;

/// The property names that a schema knows: its own, then those of its direct subschemas in place.
pub(super) fn known_names(schema: &Value) -> Vec<&str> {
    let mut names = own_names(schema);
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let branches = schema.get(keyword).and_then(Value::as_array).into_iter().flatten();
        names.extend(branches.flat_map(own_names));
    }
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    names
}

fn own_names(schema: &Value) -> Vec<&str> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.map(|members| members.keys().map(String::as_str).collect()).unwrap_or_default()
}

/// What to say after "no such property": the nearest known name, or the known ones if they are few.
pub(super) fn hint(name: &str, known: &[&str]) -> String {
    if let Some(nearest) = nearest(name, known) {
        return format!("; did you mean `{}`?", pointer::clip(nearest));
    }
    if known.is_empty() || known.len() > MAX_LISTED {
        return String::new();
    }
    let listed: Vec<_> = known.iter().map(|name| format!("`{}`", pointer::clip(name))).collect();
    format!("; known here: {}", listed.join(", "))
}

/// The known name nearest to `name`, if one is near enough to be meant (decisions DG8).
#[must_use]
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let plain_name = plain(name);
    let allowed = plain_name.len() / 3 + 1;
    let near = known.iter().map(|known| (distance(&plain_name, &plain(known)), *known));
    let near = near.filter(|(distance, known)| *distance <= allowed && *distance < known.len());
    near.min_by_key(|(distance, _)| *distance).map(|(_, known)| known)
}

/// Lower case without separators, so that another spelling of the same words is at distance 0.
fn plain(name: &str) -> Vec<char> {
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    letters.flat_map(char::to_lowercase).take(MAX_COMPARED).collect()
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one name into the other.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(rows[i - 2][j - 2] + 1);
            }
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_offered_and_a_far_one_is_not() {
        let known = ["pattern", "file_path", "offset"];
        assert_eq!(hint("patern", &known), "; did you mean `pattern`?");
        assert_eq!(hint("filePath", &known), "; did you mean `file_path`?");
        assert_eq!(hint("ofsfet", &known), "; did you mean `offset`?");
        assert_eq!(hint("zzz", &known), "; known here: `pattern`, `file_path`, `offset`");
        assert_eq!(hint("zzz", &[]), "");
    }
}
