//! What a model reads: content blocks, and the context messages that may follow a result.

use serde::{Deserialize, Serialize};

/// One block of a tool result as a model reads it.
///
/// Deliberately without a `JsonSchema` implementation: a tool's value must have one, so a body cannot
/// return content (contract D1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
#[non_exhaustive]
pub enum ContentBlock {
    /// Plain text.
    #[non_exhaustive]
    Text {
        /// The text, exactly as shown.
        text: String,
    },
    /// An image.
    #[serde(rename_all = "camelCase")]
    #[non_exhaustive]
    Image {
        /// Media type, such as `image/png`.
        mime_type: String,
        /// The image's bytes in standard base64.
        data: String,
    },
}

impl ContentBlock {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// An image block; `data` is standard base64.
    pub fn image(mime_type: impl Into<String>, data: impl Into<String>) -> Self {
        Self::Image { mime_type: mime_type.into(), data: data.into() }
    }

    /// The text of a text block.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            Self::Image { .. } => None,
        }
    }
}

/// Who added a context message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextSource {
    /// Kind of the source, such as `tool`, `hook` or `policy`.
    pub kind: String,
    /// Name of the source within its kind.
    pub name: String,
}

/// A message for the model that follows a result (contract P12, P16).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdditionalContext {
    /// Who added it.
    pub source: ContextSource,
    /// What the model reads.
    pub content: Vec<ContentBlock>,
}

impl AdditionalContext {
    /// A context message of one text block.
    pub fn text(kind: impl Into<String>, name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            source: ContextSource { kind: kind.into(), name: name.into() },
            content: vec![ContentBlock::text(text)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_the_wire_form_of_the_contract() {
        let blocks = [ContentBlock::text("a\n"), ContentBlock::image("image/png", "AAAA")];
        let text = serde_json::to_string(&blocks).unwrap();
        assert_eq!(
            text,
            r#"[{"type":"text","text":"a\n"},{"type":"image","mimeType":"image/png","data":"AAAA"}]"#
        );
        assert_eq!(serde_json::from_str::<Vec<ContentBlock>>(&text).unwrap(), blocks);
    }
}
