//! The models that a provider has.

use serde::Serialize;
use serde_json::Value;

use super::answer::string;
use crate::StructuredSupport;

/// A model that a provider offers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OfferedModel {
    /// The name to write after the provider's.
    pub name: String,
    /// What the provider calls it for people, where that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Tokens that the model reads, where the provider tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    /// Tokens that the model generates at most, where the provider tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// Whether the model reads images, where the provider tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<bool>,
    /// Whether the model calls tools, where the provider tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<bool>,
    /// How the model gives an answer that follows a schema, where the provider tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured: Option<StructuredSupport>,
    /// Whether the model takes `temperature`, where the provider tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling: Option<bool>,
}

/// A page of the list of models.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) models: Vec<OfferedModel>,
    /// The name of the next page.
    pub(super) next: Option<String>,
}

/// Whether a list of words holds one; `None` where there is no such list, or an empty one, which says nothing.
pub(super) fn has(entry: &Value, pointer: &str, word: &str) -> Option<bool> {
    let words = entry.pointer(pointer)?.as_array().filter(|words| !words.is_empty())?;
    Some(words.iter().any(|one| one == word))
}

/// The strongest form of an answer that `supported_parameters` name.
fn structured(entry: &Value) -> Option<StructuredSupport> {
    let takes = |word| has(entry, "/supported_parameters", word);
    Some(if takes("structured_outputs")? {
        StructuredSupport::JsonSchema
    } else if takes("response_format")? {
        StructuredSupport::JsonObject
    } else {
        StructuredSupport::Prompted
    })
}

/// The list of chat completions and of responses: `data` with an `id` each, and the context under one of the names that
/// servers give it. Some servers answer with the bare array.
pub(super) fn openai_page(root: &Value) -> Option<Page> {
    let entries = root.get("data").and_then(Value::as_array).or_else(|| root.as_array())?;
    let models = entries.iter().filter_map(|entry| {
        let name = string(entry, "id")?;
        let number = |pointers: &[&str]| pointers.iter().find_map(|pointer| entry.pointer(pointer)?.as_u64());
        Some(OfferedModel {
            title: ["name", "display_name"].iter().find_map(|key| string(entry, key)).filter(|title| *title != name),
            context: number(&[
                "/context_length",
                "/context_window",
                "/max_context_length",
                "/max_model_len",
                "/meta/n_ctx",
                "/meta/n_ctx_train",
            ]),
            output: number(&["/top_provider/max_completion_tokens", "/max_completion_tokens"]),
            images: has(entry, "/architecture/input_modalities", "image")
                .or_else(|| entry.pointer("/capabilities/vision")?.as_bool()),
            tools: has(entry, "/supported_parameters", "tools")
                .or_else(|| entry.pointer("/capabilities/function_calling")?.as_bool()),
            structured: structured(entry),
            sampling: has(entry, "/supported_parameters", "temperature"),
            name,
        })
    });
    Some(Page { models: models.collect(), next: None })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn abilities_are_read_where_they_are_stated() {
        let page = openai_page(&json!({"data": [
            {"id": "all", "architecture": {"input_modalities": ["text", "image"]},
                "supported_parameters": ["tools", "temperature", "response_format", "structured_outputs"]},
            {"id": "few", "architecture": {"input_modalities": ["text"]}, "supported_parameters": ["response_format"]},
            {"id": "none", "supported_parameters": ["max_tokens"]},
            {"id": "mistral", "capabilities": {"function_calling": true, "vision": false}},
            {"id": "silent", "supported_parameters": []},
        ]}))
        .unwrap();
        let told = |index: usize| {
            let model: &OfferedModel = &page.models[index];
            (model.images, model.tools, model.structured, model.sampling)
        };
        use StructuredSupport::{JsonObject, JsonSchema, Prompted};
        assert_eq!(told(0), (Some(true), Some(true), Some(JsonSchema), Some(true)));
        assert_eq!(told(1), (Some(false), Some(false), Some(JsonObject), Some(false)));
        assert_eq!(told(2), (None, Some(false), Some(Prompted), Some(false)));
        assert_eq!(told(3), (Some(false), Some(true), None, None));
        assert_eq!(told(4), (None, None, None, None));
    }

    #[test]
    fn contexts_are_read_under_every_name() {
        let page = openai_page(&json!({"object": "list", "data": [
            {"id": "a", "name": "The A", "context_length": 1, "top_provider": {"max_completion_tokens": 7}},
            {"id": "b", "context_window": 2},
            {"id": "c", "max_context_length": 3},
            {"id": "d", "max_model_len": 4},
            {"id": "e", "meta": {"n_ctx_train": 5}},
            {"id": "f", "name": "f"},
            {"object": "no id"},
        ]}))
        .unwrap();
        let told: Vec<_> = page.models.iter().map(|model| (model.name.as_str(), model.context)).collect();
        assert_eq!(told, [("a", Some(1)), ("b", Some(2)), ("c", Some(3)), ("d", Some(4)), ("e", Some(5)), ("f", None)]);
        assert_eq!((page.models[0].title.as_deref(), page.models[0].output), (Some("The A"), Some(7)));
        assert_eq!(
            (page.models[5].title.as_deref(), page.models[5].tools, page.models[5].structured),
            (None, None, None)
        );
        assert_eq!(openai_page(&json!([{"id": "bare"}])).unwrap().models[0].name, "bare");
        assert!(openai_page(&json!({"models": []})).is_none());
    }
}
