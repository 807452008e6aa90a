//! Chat models behind one trait: provider clients, structured output, record and replay, budgets.

#![forbid(unsafe_code)]

mod error;
mod message;
mod model;
mod request;
mod response;

pub use error::ModelError;
pub use message::{ImageSource, Message, Part, Role, ToolCall, ToolResult};
pub use model::{Capabilities, ChatModel, ChatStream, Choice, ModelId, StructuredSupport};
pub use request::{ChatRequest, Params, ResponseFormat, ToolChoice, ToolSpec};
pub use response::{ChatEvent, ChatResponse, FinishReason, Usage};
