//! `tenon tools`: what there is, as a list, as JSON, or one tool in full.

use std::io::{self, Write};
use std::sync::Arc;

use contract_registry::{Annotations, ThreadRuntime, ToolDefinition};
use contract_schema::nearest;
use serde::Serialize;
use serde_json::Value;

use crate::cli::{Common, Tools, ToolsCommand};
use crate::exit::{Exit, Stop};
use crate::format::{json_line, to_stdout};
use crate::setup;

/// Runs the command. It makes no call, so it starts no runtime.
pub(crate) fn run(tools: &Tools, common: &Common) -> Result<Exit, Stop> {
    setup::root(common)?;
    let definitions = setup::registry(Arc::new(ThreadRuntime))?.list();
    match &tools.command {
        Some(ToolsCommand::Show { name, ts }) => show(&definitions, name, *ts)?,
        None if tools.json => {
            let all: Vec<Entry<'_>> = definitions.iter().map(|tool| Entry::of(tool)).collect();
            json_line(&all)?;
        }
        None => to_stdout(|out| list(&definitions, out))?,
    }
    Ok(Exit::Success)
}

/// One tool as `--json` has it.
#[derive(Serialize)]
struct Entry<'a> {
    name: &'a str,
    family: &'a str,
    description: &'a str,
    parameters: &'a Value,
    output: &'a Value,
    annotations: Annotations,
    enforced: bool,
}

impl<'a> Entry<'a> {
    fn of(tool: &'a ToolDefinition) -> Self {
        Self {
            name: tool.name(),
            family: tool.family(),
            description: tool.description(),
            parameters: tool.parameters().document(),
            output: tool.output().document(),
            annotations: tool.annotations(),
            enforced: tool.parameters_enforced() && tool.output_enforced(),
        }
    }
}

/// Family, name and the description's first line, in columns, by family and name.
fn list(definitions: &[Arc<ToolDefinition>], out: &mut dyn Write) -> io::Result<()> {
    let mut rows: Vec<[&str; 3]> = definitions.iter().map(|tool| row(tool)).collect();
    rows.sort_unstable();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let (families, names) = (width(0), width(1));
    for [family, name, line] in rows {
        writeln!(out, "{family:families$}  {name:names$}  {line}")?;
    }
    Ok(())
}

fn row(tool: &ToolDefinition) -> [&str; 3] {
    [tool.family(), tool.name(), tool.description().lines().next().unwrap_or_default()]
}

fn show(definitions: &[Arc<ToolDefinition>], name: &str, ts: bool) -> Result<(), Stop> {
    let Some(tool) = definitions.iter().find(|tool| tool.name() == name) else {
        return Err(unknown(definitions, name));
    };
    to_stdout(|out| {
        if ts {
            return out.write_all(tool.typescript().as_bytes());
        }
        in_full(tool, out)
    })
}

fn unknown(definitions: &[Arc<ToolDefinition>], name: &str) -> Stop {
    let names: Vec<&str> = definitions.iter().map(|tool| tool.name()).collect();
    match nearest(name, &names) {
        Some(near) => Stop::failed(format!("there is no tool `{name}`; did you mean `{near}`?")),
        None => Stop::failed(format!("there is no tool `{name}`; `tenon tools` lists them")),
    }
}

fn in_full(tool: &ToolDefinition, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} ({})\n\n{}\n", tool.name(), tool.family(), tool.description().trim_end())?;
    for (title, schema) in [("Arguments", tool.parameters()), ("Value", tool.output())] {
        writeln!(out, "{title}\n{}\n", serde_json::to_string_pretty(schema.document())?)?;
    }
    writeln!(out, "Annotations\n{}", serde_json::to_string_pretty(&tool.annotations())?)
}
