//! Automation of the repository: `cargo xtask COMMAND`, one file per command.
//!
//! Nothing here needs a tool that a machine with Rust alone lacks.
//! What `layers`, `tidy` and `catalog --check` judge is judged by ordinary tests of this crate too,
//! so that `cargo test` alone tells the truth.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line program: printing is its purpose"
)]

mod bench;
mod catalog;
mod diff;
mod examples;
mod layers;
mod licence;
mod metadata;
mod package;
mod rules;
mod sheet;
mod snapshot;
mod soak;
mod step;
mod test;
mod tidy;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
cargo xtask COMMAND

  test                       everything a change must pass: format, layers, tidy, rules, catalog,
                             clippy, tests, doctests, docs, sheets
  snapshot [check|review]    regenerate every tool sheet; check: fail on any byte that differs;
                             review: walk the changes one by one
  layers                     fail when a crate depends on one it must not
  tidy                       fail on source files that break a rule of the house
  rules                      fail when a rule of the contract has neither a test nor the word pending
  catalog [--check]          write docs/tools.md from the sheets; --check: fail when it differs
  bench [NAME]               run the benchmarks (those whose name contains NAME), print the ratios
  soak [SECONDS]             run the tests that race for longer than the suite lets them
  package                    build and verify the package of every library crate
  examples                   build and run every package under examples/
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> Result<()> {
    match words {
        ["test"] => test::run(),
        ["snapshot"] => snapshot::regenerate(),
        ["snapshot", "check"] => snapshot::check(),
        ["snapshot", "review"] => snapshot::review(),
        ["layers"] => step::report("layers", layers::run),
        ["tidy"] => step::report("tidy", tidy::run),
        ["rules"] => step::report("rules", rules::run),
        ["catalog"] => step::report("catalog", catalog::write),
        ["catalog", "--check"] => step::report("catalog --check", catalog::check),
        ["bench"] => bench::run(""),
        ["bench", name] => bench::run(name),
        ["soak"] => soak::run(None),
        ["soak", seconds] => soak::run(Some(seconds)),
        ["package"] => package::run(),
        ["examples"] => examples::run(),
        [] | ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        _ => bail!("unknown command `{}`\n\n{USAGE}", words.join(" ")),
    }
}
