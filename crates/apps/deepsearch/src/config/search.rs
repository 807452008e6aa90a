//! The engines.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Extension, Secret};

/// The web engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct WebSearchConfig {
    /// `tavily`, `google` (Serper), and ours `serper`, `searxng`, `wikipedia`, `arxiv`, `openalex`, `crossref`; empty for
    /// those of `--search` or whose keys are set. Several are separated by commas.
    pub search_engine_name: String,
    /// The key.
    pub search_api_key: Secret,
    /// The address, where it is not the engine's own.
    pub search_url: String,
    /// Documents of one search, 1 to 10.
    pub max_web_search_results: u32,
    /// More of the request.
    pub extension: Extension,
}

/// The local engine: the corpus of `--corpus`. Keys for engines that are not built are read and have no effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct LocalSearchConfig {
    /// `native` (the corpus); `openapi` and `custom` are not built and are an error.
    pub search_engine_name: String,
    /// The key.
    pub search_api_key: Secret,
    /// The address.
    pub search_url: String,
    /// The data sets.
    pub search_datasets: Vec<String>,
    /// Documents of one search, 1 to 10.
    pub max_local_search_results: u32,
    /// How much documents must fit, 0 to 1; the corpus ranks and has no threshold.
    pub recall_threshold: f64,
    /// `doc`, `keyword` or `mix`; the corpus searches by keywords.
    pub search_mode: String,
    /// `internal` or `external`.
    pub knowledge_base_type: String,
    /// `KooSearch` or `LakeSearch`.
    pub source: String,
    /// More of the request.
    pub extension: Extension,
    /// Vector data bases; not built, setting them is an error.
    pub knowledge_base_configs: Vec<Value>,
}

/// An engine of the user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct CustomSearchConfig {
    /// The file.
    pub file: String,
    /// The function in it.
    pub func: String,
    /// More.
    pub extension: Extension,
}

fn table() -> Value {
    Value::Object(serde_json::Map::new())
}

impl Default for WebSearchConfig {
    fn default() -> Self {
        Self {
            search_engine_name: String::new(),
            search_api_key: Secret::default(),
            search_url: String::new(),
            max_web_search_results: 5,
            extension: table(),
        }
    }
}

impl Default for LocalSearchConfig {
    fn default() -> Self {
        Self {
            search_engine_name: "native".into(),
            search_api_key: Secret::default(),
            search_url: String::new(),
            search_datasets: Vec::new(),
            max_local_search_results: 5,
            recall_threshold: 0.5,
            search_mode: "keyword".into(),
            knowledge_base_type: "internal".into(),
            source: "KooSearch".into(),
            extension: table(),
            knowledge_base_configs: Vec::new(),
        }
    }
}

impl Default for CustomSearchConfig {
    fn default() -> Self {
        Self { file: String::new(), func: String::new(), extension: table() }
    }
}
