//! From `--model`, `--record`, `--budget` and the options of layers to the models of a run.

mod build;
mod choose;
#[cfg(feature = "embedded")]
mod embedded;
mod embedder;
mod keys;
mod no_models;
mod notice;
mod response_cache;
mod role_models;
mod today;

pub use build::{ModelSet, ServerOptions, build_models, build_models_with};
pub use choose::{Chosen, Reason, choose_models, find_servers, usable_model};
#[cfg(feature = "embedded")]
pub use embedded::{fetch_options, fetch_weights, installed_weights, known_model};
pub use embedder::build_embedder;
pub use keys::key_plan;
pub use no_models::no_models;
