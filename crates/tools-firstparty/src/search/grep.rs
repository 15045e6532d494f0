//! `grep`: lines that match a regular expression.
//!
//! The value keeps every matching line, up to the limits of a search, each cut at
//! `value_line_max_bytes`. The text shows the first `page_max_matches`, each cut at `line_max_bytes`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use contract_registry::{Annotations, CallContext, Overflow, Tool, ToolError};
use contract_schema::{ContentBlock, Meta};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::SearchError;
use super::grep_meta::GrepMeta;
use super::grep_page::{self, Page};
use super::grep_query::{matcher, parse_include};
use super::incomplete::Incomplete;
use super::matches::Matches;
use super::target::{Target, account};
use crate::config::{ConfigError, GrepCaps};
use crate::seam::fs::FileSystem;
use crate::seam::gather::{Scope, find_lines};

/// Arguments of `grep`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GrepArgs {
    /// Regular expression in Rust syntax, matched within one line; begin with `(?i)` to ignore case.
    pub pattern: String,
    /// Folder or file to search, relative to the workspace root or absolute. Default: the workspace root.
    pub path: Option<String>,
    /// Only files that match this path pattern, as for `glob`: `*.rs`, say, or `src/**/*.{ts,tsx}`.
    pub include: Option<String>,
}

/// The lines found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GrepValue {
    /// Matching lines, by path, then by line; a line counts once however often it matches.
    pub matches: Matches,
    /// What is missing, if anything is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<Incomplete>,
}

/// The tool `grep`.
#[derive(Clone, Debug)]
pub struct Grep {
    fs: Arc<dyn FileSystem>,
    caps: Arc<GrepCaps>,
}

impl Grep {
    /// Builds the tool. `fs` resolves paths; the search itself goes over the file system of this machine.
    ///
    /// # Errors
    /// The first limit that cannot work.
    pub fn new(fs: Arc<dyn FileSystem>, caps: GrepCaps) -> Result<Self, ConfigError> {
        caps.validate()?;
        Ok(Self { fs, caps: Arc::new(caps) })
    }
}

impl Tool for Grep {
    const NAME: &'static str = "grep";
    const FAMILY: &'static str = "search";
    type Args = GrepArgs;
    type Value = GrepValue;
    type Caps = GrepCaps;

    fn description(&self) -> String {
        format!(
            "Search file contents with a regular expression.\n\
             Matching lines come by path, at most {} are shown. Hidden files are included; what ignore files exclude is left out unless `path` names it, \
             or `include` does without wildcards. A file is searched up to its first NUL byte. Version \
             control folders are never searched.",
            self.caps.page_max_matches,
        )
    }

    fn annotations(&self) -> Annotations {
        Annotations { read_only: true, idempotent: true, ..Annotations::default() }
    }

    fn caps(&self) -> &GrepCaps {
        &self.caps
    }

    async fn run(&self, args: &GrepArgs, cx: &CallContext) -> Result<GrepValue, ToolError> {
        let job = Job {
            tool: self.clone(),
            workspace_root: cx.workspace_root().to_owned(),
            args: args.clone(),
        };
        let done = cx.blocking(move |cancel| job.search(&|| cancel.is_cancelled())).await?;
        Ok(done?)
    }

    fn render(caps: &GrepCaps, _: &GrepArgs, value: &GrepValue) -> Vec<ContentBlock> {
        Page::of(caps, value).render(None)
    }

    fn presentation_meta(caps: &GrepCaps, _: &GrepArgs, value: &GrepValue) -> Option<Meta> {
        Some(Meta::of(&GrepMeta::of(caps, value)))
    }

    fn overflow(caps: &GrepCaps, _: &GrepArgs, value: &GrepValue) -> Option<Overflow> {
        if value.matches.len() <= caps.page_max_matches {
            return None;
        }
        let page = Page::of(caps, value);
        Some(Overflow {
            suggested_name: "grep-results.txt".to_owned(),
            full_text: grep_page::full_text(caps, value),
            page: Box::new(move |saved_at| page.render(saved_at)),
        })
    }

    fn is_parallel_safe(&self, _: &GrepArgs) -> bool {
        true
    }

    fn timeout(&self) -> Option<Duration> {
        Some(self.caps.search.timeout())
    }
}

/// What a search needs, to be done on another thread.
struct Job {
    tool: Grep,
    workspace_root: PathBuf,
    args: GrepArgs,
}

impl Job {
    fn search(&self, is_cancelled: &(dyn Fn() -> bool + Sync)) -> Result<GrepValue, SearchError> {
        let matcher = matcher(&self.args.pattern)?;
        let path = self.args.path.as_deref();
        let target = Target::resolve(&*self.tool.fs, &self.workspace_root, path)?;
        let include = self.args.include.as_deref().map(|text| target.without_root(text));
        let pattern = parse_include(include)?;
        let caps = &*self.tool.caps;
        let scope = Scope {
            root: &target.root,
            workspace_root: &self.workspace_root,
            pattern: &pattern,
            prefix_bytes: target.prefix.len(),
            caps: &caps.search,
            is_cancelled,
        };
        let mut gathered = find_lines(scope, &matcher, caps.value_line_max_bytes)
            .map_err(|error| target.failed(error))?;
        let (mut lossy_names, hits) = (0, &mut gathered.found);
        let mut matches = Matches::of(std::mem::take(&mut hits.lines));
        for file in &hits.files {
            matches.add_file(file.part, file.lines.clone(), |path| {
                lossy_names += u64::from(target.show(hits.path(file), path));
            });
        }
        let incomplete = account(&gathered, matches.is_empty(), lossy_names, &caps.search)?;
        Ok(GrepValue { matches, incomplete })
    }
}

#[cfg(feature = "samples")]
mod samples;
#[cfg(test)]
mod tests;
