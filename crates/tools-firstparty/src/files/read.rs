//! `read`: one page of a text file, its lines numbered.
//!
//! The value is one page: at most `page_max_lines` lines, `page_max_bytes` bytes, `line_max_chars`
//! characters a line. `total_lines` counts all of the file. The text leaves nothing of the value out.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract_registry::{Annotations, CallContext, SchemaAdjuster, Tool, ToolError};
use contract_schema::{ContentBlock, Meta};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::{ReadError, ReadFault};
use super::index::IndexCache;
use super::lang;
use super::observe::Observations;
use super::scan::{self, Page, Request};
use crate::config::{ConfigError, ReadCaps};
use crate::seam::error::FsError;
use crate::seam::fs::{FileSystem, OpenFile};
use crate::seam::place::{Place, real_or_nearest};
use crate::seam::version::VersionToken;
use crate::text::escape::one_row;
use crate::text::json_size::json_bytes;

/// Arguments of `read`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReadArgs {
    /// The file, relative to the workspace root or absolute.
    pub file_path: String,
    /// First line to read, counted from 1. Default 1.
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    pub offset: Option<u64>,
    /// How many lines to read.
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    pub limit: Option<u64>,
}

/// One page of a text file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadValue {
    /// The file, relative to the workspace root when under it, else absolute.
    pub path: String,
    /// Number of the first line asked for.
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    pub offset: u64,
    /// The lines, without their line breaks. Over-long lines are cut and say so at their end.
    pub lines: Vec<ReadLine>,
    /// Lines in the whole file.
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_u64))]
    pub total_lines: u64,
}

/// One line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadLine {
    /// Its number, counted from 1.
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    pub number: u64,
    /// Its text.
    pub text: String,
}

/// The tool `read`.
#[derive(Clone, Debug)]
pub struct Read {
    fs: Arc<dyn FileSystem>,
    caps: Arc<ReadCaps>,
    cache: Arc<IndexCache>,
}

impl Read {
    /// Builds the tool over a file system.
    ///
    /// # Errors
    /// The first limit that cannot work.
    pub fn new(fs: Arc<dyn FileSystem>, caps: ReadCaps) -> Result<Self, ConfigError> {
        caps.validate()?;
        Ok(Self { fs, caps: Arc::new(caps), cache: Arc::default() })
    }
}

impl Tool for Read {
    const NAME: &'static str = "read";
    const FAMILY: &'static str = "files";
    type Args = ReadArgs;
    type Value = ReadValue;
    type Caps = ReadCaps;

    fn description(&self) -> String {
        format!(
            "Read a text file.\n\
             Lines come numbered, at most {} a call; go on with `offset`. UTF-8, or UTF-16 with a byte \
             order mark. Lines over {} characters are cut.",
            self.caps.page_max_lines, self.caps.line_max_chars,
        )
    }

    fn annotations(&self) -> Annotations {
        Annotations { read_only: true, idempotent: true, ..Annotations::default() }
    }

    fn caps(&self) -> &ReadCaps {
        &self.caps
    }

    async fn run(&self, args: &ReadArgs, cx: &CallContext) -> Result<ReadValue, ToolError> {
        let job = Job {
            tool: self.clone(),
            workspace_root: cx.workspace_root().to_owned(),
            args: args.clone(),
            observations: cx.services().get::<Observations>().cloned(),
        };
        let done = cx.blocking(move |cancel| job.read(&|| cancel.is_cancelled())).await?;
        Ok(done?)
    }

    fn render(caps: &ReadCaps, args: &ReadArgs, value: &ReadValue) -> Vec<ContentBlock> {
        vec![ContentBlock::text(envelope(caps, args, value))]
    }

    fn presentation_meta(caps: &ReadCaps, _: &ReadArgs, value: &ReadValue) -> Option<Meta> {
        Some(Meta::of(&ReadMeta::of(caps, value)))
    }

    fn is_parallel_safe(&self, _: &ReadArgs) -> bool {
        true
    }

    fn adjust_schema(&self, schema: &mut SchemaAdjuster<'_>) {
        let max = self.caps.page_max_lines;
        schema.maximum("limit", max);
        schema.describe("limit", format!("How many lines to read, at most {max}. Default {max}."));
    }
}

/// What a read needs, to be done on another thread.
struct Job {
    tool: Read,
    workspace_root: PathBuf,
    args: ReadArgs,
    observations: Option<Observations>,
}

impl Job {
    fn read(&self, is_cancelled: &dyn Fn() -> bool) -> Result<ReadValue, ReadError> {
        let caps = &*self.tool.caps;
        let offset = self.args.offset.unwrap_or(1);
        let limit = self.args.limit.unwrap_or(caps.page_max_lines);
        let fail = |path: &str, fault| ReadError { path: path.to_owned(), fault };
        let requested = self.args.file_path.as_str();
        let argument_fault = check_args(caps, requested, offset, limit);
        argument_fault.map_err(|fault| fail(requested, fault))?;
        let fs = &*self.tool.fs;
        let place = Place::resolve(fs, &self.workspace_root, requested).map_err(|error| {
            self.saw_nothing(&self.workspace_root.join(requested), &error);
            fail(requested, error.into())
        })?;
        let Place { absolute, shown: path } = place;
        let file = fs.open(&absolute).map_err(|error| {
            self.saw_nothing(&absolute, &error);
            fail(&path, error.into())
        })?;
        let version = self.version(&*file).map_err(|error| fail(&path, error.into()))?;
        let cache = &*self.tool.cache;
        let request = Request { caps, first_line: offset, limit, cache, is_cancelled };
        let Page { lines, total_lines } =
            scan::read_page(&*file, request).map_err(|error| fail(&path, error.into()))?;
        if offset > total_lines.max(1) {
            return Err(fail(&path, ReadFault::PastEnd { offset, total_lines }));
        }
        self.saw(&absolute, version);
        Ok(ReadValue { path, offset, lines, total_lines })
    }

    /// The state of the file before any of it is read, so that a change meanwhile is noticed later.
    fn version(&self, file: &dyn OpenFile) -> Result<Option<VersionToken>, FsError> {
        self.observations.as_ref().map(|_| VersionToken::of(file)).transpose()
    }

    /// Notes what was seen; a part of a file stands for all of it.
    fn saw(&self, absolute: &Path, version: Option<VersionToken>) {
        if let (Some(observations), Some(version)) = (&self.observations, version)
            && let Ok(real) = self.tool.fs.canonicalize(absolute)
        {
            observations.present(&real, version);
        }
    }

    /// Notes that nothing was there, if that is why it failed.
    fn saw_nothing(&self, absolute: &Path, error: &FsError) {
        if let (Some(observations), FsError::NotFound) = (&self.observations, error)
            && let Some(real) = real_or_nearest(&*self.tool.fs, absolute)
        {
            observations.absent(&real);
        }
    }
}

/// The schema has checked the numbers; a program that calls the body by itself may not have.
fn check_args(caps: &ReadCaps, path: &str, offset: u64, limit: u64) -> Result<(), ReadFault> {
    if path.trim().is_empty() {
        return Err(ReadFault::BlankPath);
    }
    if offset == 0 {
        return Err(ReadFault::ZeroOffset);
    }
    if limit == 0 || limit > caps.page_max_lines {
        return Err(ReadFault::Limit { found: limit, max: caps.page_max_lines });
    }
    Ok(())
}

fn envelope(caps: &ReadCaps, args: &ReadArgs, value: &ReadValue) -> String {
    use std::fmt::Write as _;
    let size: usize = value.lines.iter().map(|line| line.text.len() + 9).sum();
    let mut text = String::with_capacity(size + value.path.len() + 160);
    let path = one_row(&value.path);
    // Writing to a string cannot fail.
    let _ = write!(text, "<path>{path}</path>\n<type>file</type>\n<content>\n");
    for line in &value.lines {
        let _ = writeln!(text, "{}: {}", line.number, line.text);
    }
    if !value.lines.is_empty() {
        text.push('\n');
    }
    text.push_str(&footer(caps, args, value));
    text.push_str("\n</content>");
    text
}

/// What was shown of how much, and how to go on.
fn footer(caps: &ReadCaps, args: &ReadArgs, value: &ReadValue) -> String {
    let total = value.total_lines;
    let last = value.lines.last().map_or(0, |line| line.number);
    if last >= total {
        let lines = if total == 1 { "line" } else { "lines" };
        return format!("(End of file: {total} {lines}.)");
    }
    let (first, next) = (value.offset, last + 1);
    let limit = args.limit.unwrap_or(caps.page_max_lines);
    let is_byte_capped = value.lines.len() < usize::try_from(limit).unwrap_or(usize::MAX);
    let why = if is_byte_capped {
        format!("; a page holds {} bytes", caps.page_max_bytes)
    } else {
        String::new()
    };
    format!("(Lines {first}-{last} of {total}{why}. Go on with offset={next}.)")
}

/// What an interface shows: the same lines, and the language to color them by.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReadMeta<'a> {
    path: &'a str,
    offset: u64,
    lines: &'a [ReadLine],
    total_lines: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lang: Option<&'static str>,
    /// Lines were left out to stay under the cap.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

impl<'a> ReadMeta<'a> {
    fn of(caps: &ReadCaps, value: &'a ReadValue) -> Self {
        let mut meta = Self {
            path: &value.path,
            offset: value.offset,
            lines: &value.lines,
            total_lines: value.total_lines,
            lang: lang::of_path(&value.path),
            truncated: false,
        };
        // A byte becomes at most six in JSON; most pages are under the cap by that measure.
        let text: usize = value.lines.iter().map(|line| line.text.len() * 6 + 48).sum();
        if text + value.path.len() * 6 + 128 > caps.meta_max_bytes {
            meta.cut_to(caps.meta_max_bytes);
        }
        meta
    }

    /// Leaves out lines at the end, keeping at least one.
    fn cut_to(&mut self, max_bytes: usize) {
        let lines = self.lines;
        self.lines = &[];
        let around = json_bytes(&*self) + r#","truncated":true"#.len();
        let mut room = max_bytes.saturating_sub(around);
        let fitting = lines.iter().take_while(|line| {
            let size = json_bytes(*line) + 1;
            let fits = size <= room;
            room = room.saturating_sub(size);
            fits
        });
        let count = fitting.count().max(1).min(lines.len());
        self.lines = lines.get(..count).unwrap_or(lines);
        self.truncated = count < lines.len();
    }
}

#[cfg(feature = "samples")]
mod samples;
#[cfg(test)]
mod tests;
