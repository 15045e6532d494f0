//! Ratios from the table that a divan benchmark prints.

use std::collections::BTreeMap;
use std::fmt::Write;

/// The group whose median is the unit, where a benchmark has such a group.
const UNIT: &str = "to_vec";

/// What full dispatch may cost, in units: group, case, bar.
const BARS: &[(&str, &str, f64)] = &[
    ("dispatch", "large", 3.0),
    ("dispatch", "medium", 3.0),
    ("dispatch", "small", 12.0),
    ("dispatch_meta", "large", 5.0),
    ("dispatch_meta", "medium", 5.0),
];

/// Two cases of one benchmark, as `group/case` or `case`, and what the first may cost over the second.
struct Pair {
    bench: &'static str,
    subject: &'static str,
    baseline: &'static str,
    bar: Bar,
}

/// What is held against a pair.
enum Bar {
    /// At most this many times the baseline.
    Times(f64),
    /// At most this many milliseconds more than the baseline.
    MoreMs(f64),
}

const fn times(
    bench: &'static str,
    subject: &'static str,
    baseline: &'static str,
    most: f64,
) -> Pair {
    Pair { bench, subject, baseline, bar: Bar::Times(most) }
}

const fn more_ms(
    bench: &'static str,
    subject: &'static str,
    baseline: &'static str,
    most: f64,
) -> Pair {
    Pair { bench, subject, baseline, bar: Bar::MoreMs(most) }
}

const COMMANDS: &str = "tools-firstparty/commands";

/// Every pair that has a bar.
const PAIRS: &[Pair] = &[
    times("contract-hooks/chain", "ten_pre", "without", 2.0),
    times("contract-hooks/chain", "ten_around", "without", 2.0),
    times("contract-hooks/chain", "ten_post", "without", 2.0),
    times("contract-session/append", "not_synced/append", "not_synced/a_bare_write", 3.0),
    times("contract-session/append", "synced/append", "synced/a_bare_write", 3.0),
    times("contract-spill/spill", "spill", "write_and_sync", 1.5),
    more_ms("host-process/spawn", "running", "raw", 3.0),
    times("host-process/capture", "captured", "thrown_away", 1.5),
    more_ms(COMMANDS, "subject_bash_through_dispatch", "baseline_raw_spawn", 3.0),
    times("tools-firstparty/edit", "edit/one_megabyte", "read_write_sync/one_megabyte", 3.0),
    times("tools-firstparty/code", "fifty_slow_calls", "fifty_slow_calls_baseline", 1.12),
];

/// Medians in nanoseconds, by group and case, in the order of the table.
#[derive(Debug, Default)]
struct Medians {
    groups: Vec<String>,
    cases: Vec<String>,
    times: BTreeMap<(String, String), f64>,
}

/// What the benchmark `bench` shows against its bars; empty when it has none.
pub(crate) fn table(bench: &str, output: &str) -> String {
    let medians = read(output);
    let mut text = units(&medians);
    for pair in PAIRS.iter().filter(|pair| pair.bench == bench) {
        text.push_str(&row(pair, &medians));
    }
    text
}

fn row(pair: &Pair, medians: &Medians) -> String {
    let Pair { subject, baseline, .. } = pair;
    let (Some(time), Some(base)) = (medians.of(subject), medians.of(baseline)) else {
        return format!("    {subject} or {baseline} was not measured: NOT MET\n");
    };
    let (measured, bar, is_met) = match pair.bar {
        Bar::Times(most) => (format!("x{:.2}", time / base), most.to_string(), time / base <= most),
        Bar::MoreMs(most) => {
            let more = (time - base) / 1e6;
            (format!("{more:+.2} ms"), format!("{most} ms"), more <= most)
        }
    };
    let verdict = if is_met { "met" } else { "NOT MET" };
    format!("    {subject} over {baseline}  {measured}  (bar {bar}: {verdict})\n")
}

/// The ratio of every group's median to the unit's, case by case; empty without a unit.
fn units(medians: &Medians) -> String {
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
            (1, Some(time)) => medians.add("", first, time),
            (1, None) => first.clone_into(&mut group),
            (2, Some(time)) => medians.add(&group, first, time),
            _ => {}
        }
    }
    medians
}

impl Medians {
    fn of(&self, path: &str) -> Option<f64> {
        let (group, case) = path.split_once('/').unwrap_or(("", path));
        self.times.get(&(group.to_owned(), case.to_owned())).copied()
    }

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
        assert_eq!(table("contract-registry/dispatch", output), expected);
        assert_eq!(table("contract-registry/dispatch", "no table\n"), "");
    }

    #[test]
    fn pairs_are_held_against_their_bars() {
        let output = "\
chain             fastest       │ slowest       │ median        │ mean          │ samples │ iters
├─ ten_around     9.9 µs        │ 31.43 µs      │ 10 µs         │ 10.1 µs       │ 100     │ 100
├─ ten_pre        9.9 µs        │ 31.43 µs      │ 15 µs         │ 10.1 µs       │ 100     │ 100
╰─ without        4.9 µs        │ 31.43 µs      │ 5 µs          │ 5.1 µs        │ 100     │ 100
";
        let expected = "    ten_pre over without  x3.00  (bar 2: NOT MET)
    ten_around over without  x2.00  (bar 2: met)
    ten_post or without was not measured: NOT MET
";
        assert_eq!(table("contract-hooks/chain", output), expected);
        let output = "\
append            fastest       │ slowest       │ median        │ mean          │ samples │ iters
╰─ not_synced                   │               │               │               │         │
   ├─ a_bare_write  1 µs        │ 5.055 ms      │ 2 µs          │ 1.325 ms      │ 100     │ 100
   ╰─ append      1 µs          │ 205.8 ns      │ 5 µs          │ 185.2 ns      │ 100     │ 800
";
        let table = table("contract-session/append", output);
        assert!(
            table.starts_with("    not_synced/append over not_synced/a_bare_write  x2.50"),
            "{table}"
        );
    }
}
