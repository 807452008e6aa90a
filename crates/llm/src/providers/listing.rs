//! The models that a provider has.

use serde::Serialize;
use serde_json::Value;

use super::answer::string;

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
}

/// A page of the list of models.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) models: Vec<OfferedModel>,
    /// The name of the next page.
    pub(super) next: Option<String>,
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
        assert_eq!(page.models[5].title, None);
        assert_eq!(openai_page(&json!([{"id": "bare"}])).unwrap().models[0].name, "bare");
        assert!(openai_page(&json!({"models": []})).is_none());
    }
}
