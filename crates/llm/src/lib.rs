//! Chat models behind one trait: provider clients, structured output, record and replay, budgets.
//!
//! - **One trait.** [`ChatModel`] answers whole, as a stream, or by choosing; models of [providers], [`Scripted`] models
//!   and [recordings](cassette) are models, and so is every [layer](layers) around one.
//! - **Typed answers.** [`structured()`] asks for a value of a Rust type: by the provider's own JSON schema or a
//!   grammar where there is one, else by tolerant reading. A reply that does not fit is sent back with its faults.
//! - **Nothing hidden.** Errors are [typed](ModelError) by whose fault they are, budgets stop a run before it overspends,
//!   recordings play back byte for byte, and repairs of replies are [listed](parse::ParseStep).
//!
//! ```
//! use std::sync::Arc;
//!
//! use graphloom_llm::layers::{Budgeted, Ledger, Meter, Metered, Retry, RetryPolicy};
//! use graphloom_llm::{ChatModel, ChatRequest, ModelError, Scripted, StructuredOptions, structured};
//!
//! #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
//! struct Outline {
//!     sections: Vec<String>,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // In place of a server: a model that answers from a function.
//! let model: Arc<dyn ChatModel> = Arc::new(Scripted::from_fn(|_| Ok(r#"```json
//! {"sections": ["Keepers", "Lamps",]}
//! ```"#)));
//!
//! let meter = Meter::new();
//! let ledger = Ledger::new("calls=20,tokens=50k".parse()?);
//! let model = Arc::new(Retry::new(model, RetryPolicy::default()));
//! let model = Arc::new(Budgeted::new(model, Arc::clone(&ledger))?);
//! let model = Metered::new(model, Arc::clone(&meter));
//!
//! let request = ChatRequest::user("Outline a page on lighthouses.");
//! let outline = structured::<Outline>(&model, request, &StructuredOptions::default()).await?;
//! assert_eq!(outline.value.sections, ["Keepers", "Lamps"]);
//! assert_eq!(ledger.spent().calls, 1);
//! # Ok(())
//! # }
//! ```
//!
//! # Models by name
//!
//! [`resolve::ModelSpec`] reads what users write: `embedded`, `anthropic:NAME`, `compatible:NAME@BASE_URL`, a `.gguf` path,
//! `scripted:FILE`, `replay:FILE`, with [roles](resolve::ModelSpecs) such as `embedded,write=compatible:…`. The model
//! inside the program lives in a crate of its own, so [`resolve::resolve`] takes a function that makes that model.
//!
//! # Embeddings
//!
//! An [`Embedder`] makes vectors of texts, so that passages can be found by their meaning: a provider's
//! ([`providers::RemoteEmbedder`]), or the small one inside the program. [`resolve::EmbedderSpec`] reads its name.
//!
//! # Text from outside
//!
//! [`fence`] wraps untrusted text of documents, pages and notes in a request. The tag that ends a fence holds a mark.
//! For a server the mark is new in each call, and no recording or stored step depends on it.
//!
//! # Thoughts
//!
//! What a model thinks is reasoning beside its answer, also where a server leaves it in the text: see [`thoughts`]. The text
//! of an answer holds none.
//!
//! # Keys
//!
//! A key belongs to a host: [`providers::Keys`] decides which of the user's keys goes to which server. Over `http` a
//! key goes to this machine only. An [`providers::ApiKey`] holds a key and never prints it, and the key is taken out
//! of every message of a server. The client follows no redirect.

#![forbid(unsafe_code)]

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub mod cassette;
pub mod fence;
pub mod layers;
pub mod parse;
pub mod prices;
pub mod providers;
pub mod resolve;
pub mod scripted;
pub mod structured;
pub mod thoughts;

mod choose;
mod embedder;
mod error;
mod events;
mod message;
mod model;
mod notes;
mod request;
mod response;

pub use cassette::Cassette;
pub use choose::choose_by_schema;
pub use embedder::{Embedder, EmbedderLimits, EmbeddingPurpose, Embeddings};
pub use error::ModelError;
pub use events::events_of;
pub use message::{DocumentSource, ImageSource, Message, Part, Role, ToolCall, ToolResult};
pub use model::{Capabilities, ChatModel, ChatStream, Choice, ModelId, StructuredSupport};
pub use notes::{Note, NoteKind, Notes};
pub use providers::{Provider, Remote, RemoteConfig};
pub use request::{ChatRequest, Effort, Params, Reasoning, ResponseFormat, ToolChoice, ToolSpec};
pub use response::{ChatEvent, ChatResponse, FinishReason, Usage};
pub use scripted::Scripted;
pub use structured::{Structured, StructuredOptions, structured, structured_partial, structured_value};
