//! Models of providers: one client for all of them, a table of who they are, and the rule of which key goes where.
//!
//! A provider's requests and answers are written in one of a few [wires](Wire). A wire is a set of pure functions between
//! bytes and types: it encodes a request, reads an answer whole or from a stream, however the bytes are cut, and reads
//! the list of models. [`Remote`] does everything else for all of them: it sends, holds to the limits of time, keeps the
//! key to its host, makes [`ModelError`](crate::ModelError)s, and learns which features a provider rejects.
//!
//! ```
//! use graphloom_llm::providers::{Provider, Remote, RemoteConfig};
//! use graphloom_llm::ChatModel;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let provider = Provider::named("ollama").ok_or("no such provider")?;
//! let model = Remote::new(RemoteConfig::new(provider, "qwen3:8b").at("http://127.0.0.1:11434"))?;
//! assert_eq!(model.id().to_string(), "ollama:qwen3:8b");
//! # Ok(())
//! # }
//! ```

mod answer;
mod anthropic;
mod calls;
mod config;
mod embeddings;
mod error;
mod features;
mod finish;
mod frames;
mod gemini;
mod json;
mod key;
mod keys;
mod learnt;
mod listing;
mod ollama;
mod openai_chat;
mod openai_responses;
mod remote;
mod retry_after;
mod schema;
mod table;
mod text;
mod wire;

pub use config::{KEY_VARIABLE, RemoteConfig, check_base_url, without_user};
pub use embeddings::RemoteEmbedder;
pub use key::ApiKey;
pub use keys::{HOSTS_VARIABLE, Host, KeyUse, Keys, is_private, role_variable};
pub use learnt::LearntAbilities;
pub use listing::OfferedModel;
pub use remote::Remote;
pub(crate) use remote::http_client;
pub use table::Provider;
pub use wire::Wire;
