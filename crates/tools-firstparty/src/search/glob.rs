//! `glob`: files whose path matches a pattern, most recently changed first.
//!
//! The value keeps every path found, up to the limits of a search. The text shows `page_max_paths` of
//! them; when there are more, an even choice from the top entries of the tree.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use contract_registry::{Annotations, CallContext, Overflow, Tool, ToolError};
use contract_schema::{ContentBlock, Meta};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::SearchError;
use super::incomplete::{Incomplete, plural};
use super::page;
use super::pattern::PathPattern;
use super::sample_page::{self, SamplePage};
use super::target::{Target, account};
use crate::config::{ConfigError, GlobCaps};
use crate::seam::fs::FileSystem;
use crate::seam::gather::{Scope, find_files};
use crate::seam::stamps::Stamped;
use crate::text::escape::one_row;
use crate::text::json_size::json_bytes;

/// Arguments of `glob`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GlobArgs {
    /// Path pattern with `*`, `?`, `[a-z]`, `{a,b}`, and `**` for any number of folders.
    pub pattern: String,
    /// Folder to search, relative to the workspace root or absolute. Default: the workspace root.
    pub path: Option<String>,
}

/// The files found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GlobValue {
    /// Most recently changed first; each relative to the workspace root when under it, else absolute.
    pub paths: Vec<String>,
    /// What is missing, if anything is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<Incomplete>,
}

/// The tool `glob`.
#[derive(Clone, Debug)]
pub struct Glob {
    fs: Arc<dyn FileSystem>,
    caps: Arc<GlobCaps>,
}

impl Glob {
    /// Builds the tool. `fs` resolves paths; the search itself goes over the file system of this machine.
    ///
    /// # Errors
    /// The first limit that cannot work.
    pub fn new(fs: Arc<dyn FileSystem>, caps: GlobCaps) -> Result<Self, ConfigError> {
        caps.validate()?;
        Ok(Self { fs, caps: Arc::new(caps) })
    }
}

impl Tool for Glob {
    const NAME: &'static str = "glob";
    const FAMILY: &'static str = "search";
    type Args = GlobArgs;
    type Value = GlobValue;
    type Caps = GlobCaps;

    fn description(&self) -> String {
        format!(
            "Find files by path pattern, most recently changed first.\n\
             At most {} are shown; of more, an even choice from all folders. A pattern without a slash matches names at any depth, one with a slash \
             starts at the folder searched. Hidden files are included; what ignore files exclude is left out unless `path` names it, or the \
             pattern does without wildcards. Version control folders are never searched.",
            self.caps.page_max_paths,
        )
    }

    fn annotations(&self) -> Annotations {
        Annotations { read_only: true, idempotent: true, ..Annotations::default() }
    }

    fn caps(&self) -> &GlobCaps {
        &self.caps
    }

    async fn run(&self, args: &GlobArgs, cx: &CallContext) -> Result<GlobValue, ToolError> {
        let job = Job {
            tool: self.clone(),
            workspace_root: cx.workspace_root().to_owned(),
            args: args.clone(),
        };
        let done = cx.blocking(move |cancel| job.search(&|| cancel.is_cancelled())).await?;
        Ok(done?)
    }

    fn render(caps: &GlobCaps, _: &GlobArgs, value: &GlobValue) -> Vec<ContentBlock> {
        Page::of(caps, value).render(None)
    }

    fn presentation_meta(caps: &GlobCaps, _: &GlobArgs, value: &GlobValue) -> Option<Meta> {
        Some(Meta::of(&GlobMeta::of(caps, value)))
    }

    fn overflow(caps: &GlobCaps, _: &GlobArgs, value: &GlobValue) -> Option<Overflow> {
        if value.paths.len() <= caps.page_max_paths {
            return None;
        }
        let page = Page::of(caps, value);
        Some(Overflow {
            suggested_name: "glob-results.txt".to_owned(),
            full_text: full_text(value),
            page: Box::new(move |saved_at| page.render(saved_at)),
        })
    }

    fn is_parallel_safe(&self, _: &GlobArgs) -> bool {
        true
    }

    fn timeout(&self) -> Option<Duration> {
        Some(self.caps.search.timeout())
    }
}

/// What a search needs, to be done on another thread.
struct Job {
    tool: Glob,
    workspace_root: PathBuf,
    args: GlobArgs,
}

impl Job {
    fn search(&self, is_cancelled: &(dyn Fn() -> bool + Sync)) -> Result<GlobValue, SearchError> {
        let path = self.args.path.as_deref();
        let target = Target::resolve(&*self.tool.fs, &self.workspace_root, path)?;
        let pattern = target.without_root(&self.args.pattern);
        let pattern = PathPattern::parse(pattern).map_err(SearchError::Glob)?;
        let caps = &self.tool.caps.search;
        let gathered = find_files(Scope {
            root: &target.root,
            workspace_root: &self.workspace_root,
            pattern: &pattern,
            prefix_bytes: target.prefix.len(),
            caps,
            is_cancelled,
        })
        .map_err(|error| target.failed(error))?;
        let mut lossy_names = 0;
        let show = |file: &Stamped| {
            let mut path = String::with_capacity(target.prefix.len() + file.path.len());
            lossy_names += u64::from(target.show(&file.path, &mut path));
            path
        };
        let paths: Vec<String> = gathered.found.iter().map(show).collect();
        let incomplete = account(&gathered, paths.is_empty(), lossy_names, caps)?;
        Ok(GlobValue { paths, incomplete })
    }
}

/// The page, kept as text so that it can be completed later.
struct Page {
    rows: String,
    /// What is shown of how much, when the page is cut.
    cut: Option<String>,
    incomplete: Option<String>,
}

impl Page {
    fn of(caps: &GlobCaps, value: &GlobValue) -> Self {
        let incomplete = value.incomplete.as_ref().map(Incomplete::row);
        let max = caps.page_max_paths;
        if value.paths.is_empty() {
            return Self { rows: "No file matches.\n".to_owned(), cut: None, incomplete };
        }
        if value.paths.len() <= max {
            return Self { rows: rows(&value.paths), cut: None, incomplete };
        }
        let chosen = sample_page::choose(&value.paths, max);
        let cut = Some(cut_fact(&chosen, value.paths.len()));
        Self { rows: rows(&chosen.paths), cut, incomplete }
    }

    fn render(&self, saved_at: Option<&str>) -> Vec<ContentBlock> {
        let mut text = self.rows.clone();
        if let Some(cut) = &self.cut {
            let how = page::recovery(saved_at, "narrow the pattern, or give a folder as path");
            text.push_str(&format!("\n({cut} {how})\n"));
        }
        if let Some(incomplete) = &self.incomplete {
            text.push_str(&format!("\n{incomplete}\n"));
        }
        text.pop();
        vec![ContentBlock::text(text)]
    }
}

fn cut_fact(chosen: &SamplePage<'_>, total: usize) -> String {
    let shown = chosen.paths.len();
    if chosen.is_head(total) {
        return format!("{shown} of {total} files shown, most recently changed first.");
    }
    let whose = match chosen.folder {
        "" => String::new(),
        folder => format!(" of {}", one_row(folder)),
    };
    let (from, entries) = (chosen.entries_shown, chosen.entries);
    format!(
        "{shown} of {total} files shown: an even choice from {from} of {entries} top entries{whose}, \
         not the most recently changed."
    )
}

fn rows<P: AsRef<str>>(paths: &[P]) -> String {
    let mut rows = String::with_capacity(paths.iter().map(|path| path.as_ref().len() + 1).sum());
    for path in paths {
        rows.push_str(&one_row(path.as_ref()));
        rows.push('\n');
    }
    rows
}

/// The whole list, in the order of the value.
fn full_text(value: &GlobValue) -> String {
    let mut text = rows(&value.paths);
    text.push_str(&format!("\n({})\n", plural(as_u64(value.paths.len()), "file", "files")));
    if let Some(incomplete) = &value.incomplete {
        text.push_str(&format!("{}\n", incomplete.row()));
    }
    text
}

/// What an interface shows: the same page.
#[derive(Serialize)]
struct GlobMeta<'v> {
    shape: &'static str,
    paths: Vec<&'v str>,
    truncated: bool,
    total: usize,
}

impl<'v> GlobMeta<'v> {
    fn of(caps: &GlobCaps, value: &'v GlobValue) -> Self {
        let total = value.paths.len();
        let all = || value.paths.iter().map(String::as_str).collect();
        let is_cut = total > caps.page_max_paths;
        let paths: Vec<&str> = if is_cut {
            sample_page::choose(&value.paths, caps.page_max_paths).paths
        } else {
            all()
        };
        let mut meta = Self { shape: "paths", paths, truncated: is_cut, total };
        meta.cut_to(caps.meta_max_bytes);
        meta
    }

    /// Leaves out paths at the end, keeping at least one.
    fn cut_to(&mut self, max_bytes: usize) {
        let around = 64;
        let mut room = max_bytes.saturating_sub(around);
        let fitting = self.paths.iter().take_while(|path| {
            let size = json_bytes(**path) + 1;
            let fits = size <= room;
            room = room.saturating_sub(size);
            fits
        });
        let count = fitting.count().max(1);
        if count < self.paths.len() {
            self.paths.truncate(count);
            self.truncated = true;
        }
    }
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(feature = "samples")]
mod samples;
#[cfg(test)]
mod tests;
