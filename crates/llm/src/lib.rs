//! Chat models behind one trait: provider clients, structured output, record and replay, budgets.

#![forbid(unsafe_code)]

pub mod parse;
pub mod scripted;
pub mod structured;

mod choose;
mod error;
mod events;
mod message;
mod model;
mod request;
mod response;

pub use choose::choose_by_schema;
pub use error::ModelError;
pub use events::events_of;
pub use message::{ImageSource, Message, Part, Role, ToolCall, ToolResult};
pub use model::{Capabilities, ChatModel, ChatStream, Choice, ModelId, StructuredSupport};
pub use request::{ChatRequest, Params, ResponseFormat, ToolChoice, ToolSpec};
pub use response::{ChatEvent, ChatResponse, FinishReason, Usage};
pub use scripted::Scripted;
pub use structured::{Structured, StructuredOptions, structured, structured_value};
