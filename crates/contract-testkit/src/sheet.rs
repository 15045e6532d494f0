//! The sheet of a tool: everything a model, a program or an interface may see of it, as text.

use std::fmt::{Display, Write};

use contract_registry::samples::{ErasedSample, SampledTool};
use contract_registry::{Annotations, Audience};
use contract_schema::ContentBlock;

use crate::projection::Projector;
use crate::shown;

/// Where an overflow's full text is said to be.
const PLACE: &str = "PLACE";

/// How many lines must be the same to be left out.
const REPEATED: usize = 5;

/// Writes a tool's sheet: description, annotations, both schemas, TypeScript signature, and for each
/// sample its arguments, value, rendered content and meta, byte-exact.
///
/// # Errors
///
/// A sample that cannot be rendered, with the reason.
pub fn sheet(tool: &SampledTool) -> Result<String, String> {
    let definition = tool.tool.definition();
    let mut text = format!(
        "tool: {}\nfamily: {}\nannotations: {}\n",
        definition.name(),
        definition.family(),
        annotations(definition.annotations())
    );
    section(&mut text, "description", &shown::text(definition.description()));
    section(&mut text, "arguments", &shown::json(definition.parameters().document()));
    section(&mut text, "value", &shown::json(definition.output().document()));
    section(&mut text, "typescript", &definition.typescript());
    for sample in &tool.samples {
        let title = format!("sample: {}", sample.name);
        write_sample(&mut text, tool, sample, &title).map_err(|what| format!("{title}: {what}"))?;
    }
    Ok(text)
}

fn write_sample(
    text: &mut String,
    tool: &SampledTool,
    sample: &ErasedSample,
    title: &str,
) -> Result<(), String> {
    let projector = Projector::new(tool, sample)?;
    let (content, meta) = projector.project(Audience::Direct)?;
    section(text, format!("{title}: args"), &shown::json(&sample.args.to_value()));
    section(text, format!("{title}: value"), &shown::json(&sample.value.to_value()));
    blocks(text, &format!("{title}: content"), &content, "");
    let meta = meta.map_or("none\n".to_owned(), |meta| shown::json(&meta.to_value()));
    section(text, format!("{title}: meta"), &meta);
    if let Some(overflow) = projector.overflow()? {
        let first = content.iter().find_map(ContentBlock::as_text).map(shown::text);
        let first = first.unwrap_or_default();
        let full = format!("{title}: full text for {}", overflow.suggested_name);
        section(text, full, &beside(&first, &shown::text(&overflow.full_text)));
        let pages = [("when saved", Some(PLACE)), ("when not saved", None)];
        for (case, place) in pages {
            blocks(text, &format!("{title}: page {case}"), &(overflow.page)(place), &first);
        }
    }
    Ok(())
}

fn section(text: &mut String, title: impl Display, body: &str) {
    // Writing to a string does not fail.
    let _ = write!(text, "\n== {title} ==\n{body}");
}

/// Writes each block; a text beside `first`, what the sheet has shown already.
fn blocks(text: &mut String, title: &str, content: &[ContentBlock], first: &str) {
    for (block, number) in content.iter().zip(1..) {
        match block.as_text() {
            Some(body) => {
                let title = format!("{title} {number}: text, {} bytes", body.len());
                section(text, title, &beside(first, &shown::text(body)));
            }
            None => {
                let block = serde_json::to_value(block).unwrap_or_default();
                section(text, format!("{title} {number}"), &shown::json(&block));
            }
        }
    }
}

/// A shown text with the lines at its start that `first` has too replaced by their number.
fn beside(first: &str, shown: &str) -> String {
    let lines = shown.lines().zip(first.lines());
    let same = lines.take_while(|(line, other)| line == other).count();
    if same < REPEATED {
        return shown.to_owned();
    }
    let rest: String = shown.split_inclusive('\n').skip(same).collect();
    format!("(the first {same} lines as content 1)\n{rest}")
}

fn annotations(annotations: Annotations) -> String {
    let Annotations { read_only, destructive, idempotent, open_world } = annotations;
    let named = [
        (read_only, "read only"),
        (destructive, "destructive"),
        (idempotent, "idempotent"),
        (open_world, "open world"),
    ];
    let set: Vec<&str> = named.iter().filter(|(set, _)| *set).map(|(_, name)| *name).collect();
    if set.is_empty() { "none".to_owned() } else { set.join(", ") }
}
