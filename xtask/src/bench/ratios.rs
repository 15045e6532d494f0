//! Ratios from the table that a divan benchmark prints.

use std::collections::BTreeMap;
use std::fmt::Write;

/// The group whose median is the unit.
const UNIT: &str = "to_vec";

/// What full dispatch may cost, in units: group, case, bar.
const BARS: &[(&str, &str, f64)] = &[
    ("dispatch", "large", 3.0),
    ("dispatch", "medium", 3.0),
    ("dispatch", "small", 12.0),
    ("dispatch_meta", "large", 5.0),
    ("dispatch_meta", "medium", 5.0),
];

/// Medians in nanoseconds, by group and case, in the order of the table.
#[derive(Debug, Default)]
struct Medians {
    groups: Vec<String>,
    cases: Vec<String>,
    times: BTreeMap<(String, String), f64>,
}

/// The ratio of every group's median to the unit's, case by case; empty without a unit.
pub(crate) fn table(output: &str) -> String {
    let medians = read(output);
    let unit = |case: &String| medians.times.get(&(UNIT.to_owned(), case.clone()));
    let mut text = String::new();
    for group in medians.groups.iter().filter(|group| *group != UNIT) {
        for case in &medians.cases {
            let time = medians.times.get(&(group.clone(), case.clone()));
            let (Some(time), Some(unit)) = (time, unit(case)) else { continue };
            let ratio = time / unit;
            // Writing to a string does not fail.
            let _ = write!(text, "    {group:<16} {case:>10}  x{ratio:.2}");
            if let Some((.., bar)) = BARS.iter().find(|(g, c, _)| g == group && c == case) {
                let verdict = if ratio <= *bar { "met" } else { "NOT MET" };
                let _ = write!(text, "  (bar {bar}: {verdict})");
            }
            text.push('\n');
        }
    }
    text
}

fn read(output: &str) -> Medians {
    let mut medians = Medians::default();
    let mut group = String::new();
    for line in output.lines() {
        let row = line.trim_start_matches(['│', '├', '╰', '─', ' ']);
        let depth = (line.chars().count() - row.chars().count()) / 3;
        let mut columns = row.split('│').map(str::trim);
        let (Some(first), Some(median)) = (columns.next(), columns.nth(1)) else { continue };
        match (depth, nanoseconds(median)) {
            (1, None) => first.clone_into(&mut group),
            (2, Some(time)) => medians.add(&group, first, time),
            _ => {}
        }
    }
    medians
}

impl Medians {
    /// Adds a case; `first` is its name and its fastest time. A row without a name is a throughput.
    fn add(&mut self, group: &str, first: &str, time: f64) {
        let words: Vec<&str> = first.split_whitespace().collect();
        let [case, _, _] = words[..] else { return };
        for (list, name) in [(&mut self.groups, group), (&mut self.cases, case)] {
            if !list.iter().any(|known| known == name) {
                list.push(name.to_owned());
            }
        }
        self.times.insert((group.to_owned(), case.to_owned()), time);
    }
}

fn nanoseconds(text: &str) -> Option<f64> {
    let (number, unit) = text.split_once(' ')?;
    let factor = match unit {
        "ns" => 1.0,
        "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * factor)
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn medians_are_divided_by_the_unit_s() {
        let output = "\
Timer precision: 16 ns
dispatch          fastest       │ slowest       │ median        │ mean          │ samples │ iters
├─ dispatch                     │               │               │               │         │
│  ├─ large       1.9 ms        │ 11.2 ms       │ 2.4 ms        │ 2.732 ms      │ 100     │ 100
│  │              1.7 GB/s      │ 1.2 GB/s      │ 1.5 GB/s      │ 1.4 GB/s      │         │
│  ╰─ small       1.123 µs      │ 31.43 µs      │ 2.4 µs        │ 1.495 µs      │ 100     │ 100
╰─ to_vec                       │               │               │               │         │
   ├─ large       875.8 µs      │ 5.055 ms      │ 800 µs        │ 1.325 ms      │ 100     │ 100
   ╰─ small       177.7 ns      │ 205.8 ns      │ 100 ns        │ 185.2 ns      │ 100     │ 800
";
        let expected = "    dispatch              large  x3.00  (bar 3: met)
    dispatch              small  x24.00  (bar 12: NOT MET)
";
        assert_eq!(table(output), expected);
        assert_eq!(table("no table\n"), "");
    }
}
