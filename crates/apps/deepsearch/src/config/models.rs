//! The models by slot.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Extension, Secret, secret};

/// The models by slot; a slot without one falls back to `general`. Models of the command line (`--model`) come first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct LlmConfigs {
    /// For all that has no slot of its own.
    pub general: LlmConfig,
    /// For outlines and plans.
    pub plan_understanding: LlmConfig,
    /// For the collector.
    pub info_collecting: LlmConfig,
    /// For writing sections.
    pub writing_checking: LlmConfig,
    /// For looking at charts; it has to read images.
    pub vlm_chart_generating: LlmConfig,
}

/// Kinds of servers; both speak the chat-completions interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModelType {
    /// OpenAI or compatible.
    #[default]
    Openai,
    /// The server of that name.
    Siliconflow,
}

/// One model; without a name there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct LlmConfig {
    /// Its name at the server; empty for none.
    pub model_name: String,
    /// The kind of server.
    pub model_type: ModelType,
    /// The address of the interface, at most 8192 characters.
    pub base_url: String,
    /// The key.
    pub api_key: Secret,
    /// Sampling parameters: `temperature`, `top_p`, `max_tokens`.
    pub hyper_parameters: Value,
    /// More of the request's body; without effect, for a request has the fields that its recording knows.
    pub extension: Extension,
}

impl Default for LlmConfig {
    fn default() -> Self {
        Self {
            model_name: String::new(),
            model_type: ModelType::default(),
            base_url: String::new(),
            api_key: Secret::default(),
            hyper_parameters: Value::Object(serde_json::Map::new()),
            extension: Value::Object(serde_json::Map::new()),
        }
    }
}

impl LlmConfigs {
    /// The slots by name.
    pub fn slots(&self) -> [(&'static str, &LlmConfig); 5] {
        [
            ("general", &self.general),
            ("plan_understanding", &self.plan_understanding),
            ("info_collecting", &self.info_collecting),
            ("writing_checking", &self.writing_checking),
            ("vlm_chart_generating", &self.vlm_chart_generating),
        ]
    }

    pub(super) fn forget_secrets(&mut self) {
        for config in [
            &mut self.general,
            &mut self.plan_understanding,
            &mut self.info_collecting,
            &mut self.writing_checking,
            &mut self.vlm_chart_generating,
        ] {
            config.api_key = Secret::default();
            secret::forget(&mut config.hyper_parameters);
            secret::forget(&mut config.extension);
        }
    }
}
