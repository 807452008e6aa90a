//! Messages and their parts, in a provider-neutral shape.

use serde::{Deserialize, Serialize};

/// Who speaks in a [`Message`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Instructions that frame the whole conversation.
    System,
    /// The person, or the program that asks.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The parts of the message, in order.
    pub parts: Vec<Part>,
}

/// One part of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Part {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// An image, for models that read images.
    Image {
        /// Where the image comes from.
        source: ImageSource,
    },
    /// A document such as a PDF file, for models that read documents.
    Document {
        /// The name of the file, where it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// Where the document comes from.
        source: DocumentSource,
    },
    /// The model asks for a tool to be run.
    ToolCall(ToolCall),
    /// The result of a tool call.
    ToolResult(ToolResult),
    /// The model's visible reasoning, kept so that it can be sent back to providers that require it.
    Reasoning {
        /// The reasoning text.
        text: String,
        /// The provider's signature over the reasoning, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
    },
    /// Reasoning that only its provider can read: redacted, encrypted, or a signature over the part that follows. It is
    /// sent back unchanged to the provider whose form it has, and left out for every other.
    EncryptedReasoning {
        /// The form of `data`: the name of the wire that it came by, such as `anthropic`.
        wire: String,
        /// What the provider gave, in its own form.
        data: serde_json::Value,
    },
}

/// Where a document comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum DocumentSource {
    /// An address that the provider fetches.
    Url {
        /// The address.
        url: String,
    },
    /// The bytes of the document.
    Base64 {
        /// The media type, such as `application/pdf`.
        media_type: String,
        /// The bytes in standard base64 with padding.
        data: String,
    },
}

/// Where an image comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ImageSource {
    /// An address that the provider fetches.
    Url {
        /// The address.
        url: String,
    },
    /// The bytes of the image.
    Base64 {
        /// The media type, such as `image/png`.
        media_type: String,
        /// The bytes in standard base64 with padding.
        data: String,
    },
}

/// A tool call that a model asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id of the call. [`ToolResult::call_id`] repeats the id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments: a JSON object, or a JSON string with the raw text when the text is no object.
    pub arguments: serde_json::Value,
}

/// The result of a [`ToolCall`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The id of the call.
    pub call_id: String,
    /// The result as text.
    pub content: String,
    /// Whether the tool failed.
    #[serde(default)]
    pub is_error: bool,
}

impl Message {
    /// A message of one text part.
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self { role, parts: vec![Part::Text { text: text.into() }] }
    }

    /// A system message.
    pub fn system(text: impl Into<String>) -> Self {
        Self::text(Role::System, text)
    }

    /// A user message.
    pub fn user(text: impl Into<String>) -> Self {
        Self::text(Role::User, text)
    }

    /// An assistant message.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::text(Role::Assistant, text)
    }

    /// All text parts, joined without a separator.
    pub fn joined_text(&self) -> String {
        self.parts
            .iter()
            .filter_map(|part| match part {
                Part::Text { text } => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }
}
