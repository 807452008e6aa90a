//! From `--model`, `--record` and `--budget` to the models of a run.

mod build;
mod choose;
#[cfg(feature = "embedded")]
mod embedded;
mod embedder;
mod keys;
mod no_models;
mod notice;
mod today;

pub use build::{ModelSet, ServerOptions, build_models, build_models_with};
pub use choose::{Chosen, Reason, choose_models, find_servers, usable_model};
#[cfg(feature = "embedded")]
pub use embedded::{fetch_options, fetch_weights, installed_weights};
pub use embedder::build_embedder;
pub use keys::key_plan;
pub use no_models::no_models;
