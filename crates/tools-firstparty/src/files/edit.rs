//! `edit`: text of a file replaced by other text, all other bytes kept.
//!
//! The value holds the whole text before and after, at most `file_max_bytes` each. The text a model reads
//! names the file only.

use std::sync::Arc;

use contract_registry::{Annotations, CallContext, Tool, ToolError};
use contract_schema::{ContentBlock, Meta};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::change::{Means, Subject, Surroundings};
use super::change_error::{ChangeError, ChangeFault, NotText};
use super::diff::DiffMeta;
use super::hint;
use super::replace::{Refusal, Replacement, replace, with_lf};
use crate::catalog::Seams;
use crate::config::{AccessCaps, ConfigError, EditCaps};
use crate::seam::publish::HeldFile;
use crate::text::decode::Encoding;
use crate::text::escape::one_row;

/// Arguments of `edit`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EditArgs {
    /// The file, relative to the workspace root or absolute.
    pub file_path: String,
    /// The text to replace, exactly as in the file, without line numbers.
    pub old_string: String,
    /// The text that comes in its place.
    pub new_string: String,
    /// Replace every occurrence. Default false.
    pub replace_all: Option<bool>,
}

/// A file that was edited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditValue {
    /// The file, relative to the workspace root when under it, else absolute.
    pub path: String,
    /// Its text before.
    pub before: String,
    /// Its text after.
    pub after: String,
}

/// The tool `edit`.
#[derive(Clone, Debug)]
pub struct Edit {
    means: Means,
    caps: Arc<EditCaps>,
}

impl Edit {
    /// Builds the tool over a file system and a publisher.
    ///
    /// # Errors
    /// The first limit that cannot work.
    pub fn new(seams: &Seams, access: AccessCaps, caps: EditCaps) -> Result<Self, ConfigError> {
        access.validate()?;
        caps.validate()?;
        Ok(Self { means: Means::new(seams, access), caps: Arc::new(caps) })
    }
}

impl Tool for Edit {
    const NAME: &'static str = "edit";
    const FAMILY: &'static str = "files";
    type Args = EditArgs;
    type Value = EditValue;
    type Caps = EditCaps;

    fn description(&self) -> String {
        format!(
            "Replace text in a file.\n\
             `old_string` must be in the file exactly once, unless `replace_all` is set; a line break in it also \
             matches CRLF. All other bytes stay, and new line breaks are like those around. UTF-8 files up to {} \
             bytes.",
            self.caps.file_max_bytes,
        )
    }

    fn annotations(&self) -> Annotations {
        Annotations { destructive: true, ..Annotations::default() }
    }

    fn caps(&self) -> &EditCaps {
        &self.caps
    }

    async fn run(&self, args: &EditArgs, cx: &CallContext) -> Result<EditValue, ToolError> {
        let around = Surroundings::of(&self.means, cx, self.caps.change.lock_wait());
        let job = Job { around, caps: Arc::clone(&self.caps), args: args.clone() };
        let done = cx.blocking(move |cancel| job.edit(&|| cancel.is_cancelled())).await?;
        Ok(done?)
    }

    fn render(_: &EditCaps, args: &EditArgs, value: &EditValue) -> Vec<ContentBlock> {
        let path = one_row(&value.path);
        vec![ContentBlock::text(if args.replace_all == Some(true) {
            format!("Replaced every occurrence in {path}.")
        } else {
            format!("Edited {path}.")
        })]
    }

    fn presentation_meta(caps: &EditCaps, _: &EditArgs, value: &EditValue) -> Option<Meta> {
        let EditValue { path, before, after } = value;
        Some(Meta::of(&DiffMeta::of(&caps.change, path, Some(before), after)))
    }
}

/// What an edit needs, to be done on another thread.
struct Job {
    around: Surroundings,
    caps: Arc<EditCaps>,
    args: EditArgs,
}

impl Job {
    fn edit(&self, is_cancelled: &dyn Fn() -> bool) -> Result<EditValue, ChangeError> {
        let requested = &self.args.file_path;
        self.check_args().map_err(|fault| ChangeError { path: requested.clone(), fault })?;
        let Subject { file, path } = self.around.hold(requested, false, is_cancelled)?;
        match self.change(file, is_cancelled) {
            Err(fault) => Err(ChangeError { path, fault }),
            Ok((before, after)) => Ok(EditValue { path, before, after }),
        }
    }

    /// What a schema cannot say.
    fn check_args(&self) -> Result<(), ChangeFault> {
        let EditArgs { old_string, new_string, .. } = &self.args;
        if old_string.is_empty() {
            return Err(ChangeFault::EmptyOld);
        }
        if with_lf(old_string) == with_lf(new_string) {
            return Err(ChangeFault::SameStrings);
        }
        Ok(())
    }

    fn change(
        &self,
        file: Box<dyn HeldFile>,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<(String, String), ChangeFault> {
        self.around.check_for_edit(file.real_path(), file.version())?;
        let max_bytes = self.caps.file_max_bytes;
        let content = file.read(max_bytes)?.ok_or(ChangeFault::TooLarge { max_bytes })?;
        let before = text(content).map_err(ChangeFault::NotText)?;
        let after = self.replaced(&before)?;
        self.around.publish(file, &after, is_cancelled)?;
        Ok((before, after))
    }

    fn replaced(&self, before: &str) -> Result<String, ChangeFault> {
        let EditArgs { old_string, new_string, replace_all, .. } = &self.args;
        let replacement =
            Replacement { old: old_string, new: new_string, all: *replace_all == Some(true) };
        let max_bytes = self.caps.file_max_bytes;
        replace(before, replacement, max_bytes, self.caps.places_max).map_err(|refusal| {
            match refusal {
                Refusal::TooLarge => ChangeFault::ResultTooLarge { max_bytes },
                Refusal::Ambiguous { count, lines } => ChangeFault::Ambiguous { count, lines },
                Refusal::NoMatch => {
                    let (text, old) = (with_lf(before), with_lf(old_string));
                    let near = hint::near(&text, &old, self.caps.hint_max_bytes);
                    ChangeFault::NoMatch { near }
                }
            }
        })
    }
}

/// The content as text, with its byte order mark if it has one.
fn text(content: Vec<u8>) -> Result<String, NotText> {
    if Encoding::sniff(&content).0 != Encoding::Utf8 {
        return Err(NotText::Utf16);
    }
    let nul = memchr::memchr(0, &content);
    match String::from_utf8(content) {
        Ok(text) => nul.map_or(Ok(text), |offset| Err(NotText::Nul { offset })),
        Err(error) => {
            let offset = error.utf8_error().valid_up_to();
            match nul {
                Some(nul) if nul < offset => Err(NotText::Nul { offset: nul }),
                _ => Err(NotText::Utf8 { offset }),
            }
        }
    }
}

#[cfg(feature = "samples")]
mod samples;
#[cfg(test)]
mod tests;
