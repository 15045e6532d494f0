//! What a model reads: content blocks, and the context messages that may follow a result.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// One block of a tool result as a model reads it.
///
/// Deliberately without a `JsonSchema` implementation: a tool's value must have one, so a body cannot
/// return content (contract D1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
    /// A block of a kind that this version does not know, kept as it was read.
    #[serde(untagged)]
    Other(OtherBlock),
}

/// A content block of a kind that this version does not know. Only reading one makes one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct OtherBlock {
    members: Map<String, Value>,
}

impl OtherBlock {
    /// Its kind: the member `type`.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.members.get(TYPE).and_then(Value::as_str).unwrap_or_default()
    }
}

/// The member that tells the kind of a block.
const TYPE: &str = "type";

/// The kinds that are known, as they are read.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Known {
    Text {
        text: String,
    },
    #[serde(rename_all = "camelCase")]
    Image {
        mime_type: String,
        data: String,
    },
}

impl<'de> Deserialize<'de> for ContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Map::deserialize(deserializer)?;
        match members.get(TYPE).and_then(Value::as_str) {
            None => Err(D::Error::missing_field(TYPE)),
            Some("text" | "image") => {
                let known = Known::deserialize(Value::Object(members));
                Ok(match known.map_err(D::Error::custom)? {
                    Known::Text { text } => Self::Text { text },
                    Known::Image { mime_type, data } => Self::Image { mime_type, data },
                })
            }
            Some(_) => Ok(Self::Other(OtherBlock { members })),
        }
    }
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
            Self::Image { .. } | Self::Other(_) => None,
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

    #[test]
    fn a_block_of_a_later_kind_is_kept_and_a_broken_one_is_refused() {
        let text = r#"{"type":"audio","data":"AA==","rate":44100,"tags":[1.5,null]}"#;
        let block: ContentBlock = serde_json::from_str(text).unwrap();
        assert!(matches!(&block, ContentBlock::Other(other) if other.kind() == "audio"));
        assert_eq!(block.as_text(), None);
        assert_eq!(serde_json::to_string(&block).unwrap(), text);
        for (text, why) in [
            (r#"{"type":"text"}"#, "missing field `text`"),
            (r#"{"type":"image","data":"AA=="}"#, "missing field `mimeType`"),
            (r#"{"text":"a"}"#, "missing field `type`"),
            (r#""text""#, "invalid type"),
        ] {
            let error = serde_json::from_str::<ContentBlock>(text).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
