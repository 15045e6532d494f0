//! `write`: a text file, created or replaced whole.
//!
//! The value holds the new text, and the old one when that was text and neither is larger than
//! `diff_basis_max_bytes`. The text a model reads repeats neither.

use std::sync::Arc;

use contract_registry::{Annotations, CallContext, Tool, ToolError};
use contract_schema::{ContentBlock, Meta};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::change::{Means, Subject, Surroundings};
use super::change_error::{ChangeError, ChangeFault};
use super::diff::DiffMeta;
use crate::catalog::Seams;
use crate::config::{AccessCaps, ConfigError, WriteCaps};
use crate::seam::publish::HeldFile;
use crate::text::escape::one_row;

/// Arguments of `write`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WriteArgs {
    /// The file, relative to the workspace root or absolute. Missing folders are made.
    pub file_path: String,
    /// All of the file's new text.
    pub content: String,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WriteValue {
    /// The file, relative to the workspace root when under it, else absolute.
    pub path: String,
    /// Whether the file was made or replaced.
    pub operation: Operation,
    /// The old text; null for a new file, and when the old content was not text or either is very large.
    pub before: Option<String>,
    /// The new text.
    pub after: String,
}

/// What `write` did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// There was no such file.
    Create,
    /// The file was replaced.
    Update,
}

/// The tool `write`.
#[derive(Clone, Debug)]
pub struct Write {
    means: Means,
    caps: Arc<WriteCaps>,
}

impl Write {
    /// Builds the tool over a file system and a publisher.
    ///
    /// # Errors
    /// The first limit that cannot work.
    pub fn new(seams: &Seams, access: AccessCaps, caps: WriteCaps) -> Result<Self, ConfigError> {
        access.validate()?;
        caps.validate()?;
        Ok(Self { means: Means::new(seams, access), caps: Arc::new(caps) })
    }
}

impl Tool for Write {
    const NAME: &'static str = "write";
    const FAMILY: &'static str = "files";
    type Args = WriteArgs;
    type Value = WriteValue;
    type Caps = WriteCaps;

    fn description(&self) -> String {
        "Create a text file, or replace all of one.\n\
         The content is written as it is, in UTF-8. To change parts of a file use `edit`. The old file stays \
         until the new one is whole."
            .to_owned()
    }

    fn annotations(&self) -> Annotations {
        Annotations { destructive: true, idempotent: true, ..Annotations::default() }
    }

    fn caps(&self) -> &WriteCaps {
        &self.caps
    }

    async fn run(&self, args: &WriteArgs, cx: &CallContext) -> Result<WriteValue, ToolError> {
        let around = Surroundings::of(&self.means, cx, self.caps.change.lock_wait());
        let job = Job { around, caps: Arc::clone(&self.caps), args: args.clone() };
        let done = cx.blocking(move |cancel| job.write(&|| cancel.is_cancelled())).await?;
        Ok(done?)
    }

    fn render(_: &WriteCaps, _: &WriteArgs, value: &WriteValue) -> Vec<ContentBlock> {
        let done = match value.operation {
            Operation::Create => "Created file",
            Operation::Update => "Updated file",
        };
        let path = one_row(&value.path);
        vec![ContentBlock::text(format!(
            "<path>{path}</path>\n<type>file</type>\n<content>\n{done}\n</content>"
        ))]
    }

    fn presentation_meta(caps: &WriteCaps, _: &WriteArgs, value: &WriteValue) -> Option<Meta> {
        let (before, after) = (value.before.as_deref(), value.after.as_str());
        Some(Meta::of(&DiffMeta::of(&caps.change, &value.path, before, after)))
    }
}

/// What a write needs, to be done on another thread.
struct Job {
    around: Surroundings,
    caps: Arc<WriteCaps>,
    args: WriteArgs,
}

impl Job {
    fn write(self, is_cancelled: &dyn Fn() -> bool) -> Result<WriteValue, ChangeError> {
        let Subject { file, path } = self.around.hold(&self.args.file_path, true, is_cancelled)?;
        match self.put(file, is_cancelled) {
            Err(fault) => Err(ChangeError { path, fault }),
            Ok((operation, before)) => {
                Ok(WriteValue { path, operation, before, after: self.args.content })
            }
        }
    }

    fn put(
        &self,
        file: Box<dyn HeldFile>,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<(Operation, Option<String>), ChangeFault> {
        self.around.check_for_write(file.real_path(), file.version())?;
        let (operation, before) = match file.version() {
            None => (Operation::Create, None),
            Some(_) => (Operation::Update, self.basis(&*file)),
        };
        self.around.publish(file, &self.args.content, is_cancelled)?;
        Ok((operation, before))
    }

    /// The old text, when it can be shown. That it cannot be read is no reason not to replace it.
    fn basis(&self, file: &dyn HeldFile) -> Option<String> {
        let most = self.caps.diff_basis_max_bytes - 1;
        if self.args.content.len() > most {
            return None;
        }
        let old = file.read(most).ok()??;
        if memchr::memchr(0, &old).is_some() {
            return None;
        }
        String::from_utf8(old).ok()
    }
}

#[cfg(feature = "samples")]
mod samples;
