//! Session information: who asked for what, where, and with what.

use graphloom_vault::Skipped;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::Config;

/// What a run is about. It does not change while it goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct SessionInfo {
    /// The session: requests that belong together.
    pub session_id: String,
    /// The run.
    pub workflow_id: String,
    /// What was asked for.
    pub original_request: String,
    /// When the run began, in milliseconds since 1970.
    pub start_time: u64,
    /// The vault's directory.
    pub vault: String,
    /// The models, as on the command line.
    pub model: String,
    /// The date that prompts state, empty for none.
    pub today: String,
    /// The seed of samplers.
    pub seed: u64,
    /// The parameters.
    pub config: Config,
    /// The folders of `--corpus`, as they were given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub corpus: Vec<String>,
    /// The engines of `--search`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub search: Vec<String>,
    /// Whether open full texts of works are read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub full_text: bool,
    /// The model of `--embeddings`, as on the command line; empty without one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub embeddings: String,
    /// The working directory, from which the folders lead; empty without folders.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub directory: String,
    /// Requests and answers of the same session before this one, oldest first.
    pub earlier: Vec<PastRequest>,
}

/// A request of the session and its outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PastRequest {
    /// What was asked for.
    pub request: String,
    /// What was answered.
    pub answer: String,
}

/// What is known of the vault.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct VaultContext {
    /// The name of the vault: that of its directory.
    pub vault_name: String,
    /// How many notes it has.
    pub notes: usize,
    /// Notes that searches found, the best first.
    pub active_files: Vec<String>,
    /// Notes that this run changes.
    pub recent_changes: Vec<String>,
    /// Files that are not read and not changed, each with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Skipped>,
}
