//! Gemini's `batchEmbedContents`.

use serde_json::{Value, json};

use super::{EmbeddingWire, numbers};
use crate::EmbeddingPurpose;
use crate::providers::wire::Place;

pub(super) struct Gemini;

impl EmbeddingWire for Gemini {
    fn place(&self, model: &str) -> Place {
        let name = model.strip_prefix("models/").unwrap_or(model);
        Place::of(&["models", &format!("{name}:batchEmbedContents")])
    }

    fn encode(&self, model: &str, texts: &[String], purpose: EmbeddingPurpose) -> Value {
        let name = format!("models/{}", model.strip_prefix("models/").unwrap_or(model));
        let task = match purpose {
            EmbeddingPurpose::Passage => "RETRIEVAL_DOCUMENT",
            EmbeddingPurpose::Query => "RETRIEVAL_QUERY",
        };
        let request = |text: &String| json!({"model": name, "content": {"parts": [{"text": text}]}, "taskType": task});
        json!({"requests": texts.iter().map(request).collect::<Vec<_>>()})
    }

    /// It does not tell the tokens.
    fn read(&self, root: &Value) -> Option<(Vec<Vec<f32>>, u64)> {
        let entries = root.get("embeddings")?.as_array()?;
        Some((entries.iter().map(|entry| numbers(entry.get("values")?)).collect::<Option<Vec<_>>>()?, 0))
    }

    fn most_texts(&self) -> usize {
        100
    }
}
