//! Ollama's `/api/embed`.

use serde_json::{Value, json};

use super::{EmbeddingWire, numbers};
use crate::EmbeddingPurpose;
use crate::providers::wire::Place;

pub(super) struct Ollama;

impl EmbeddingWire for Ollama {
    fn place(&self, _: &str) -> Place {
        Place::of(&["api", "embed"])
    }

    fn encode(&self, model: &str, texts: &[String], _: EmbeddingPurpose) -> Value {
        json!({"model": model, "input": texts})
    }

    fn read(&self, root: &Value) -> Option<(Vec<Vec<f32>>, u64)> {
        let vectors = root.get("embeddings")?.as_array()?.iter().map(numbers).collect::<Option<Vec<_>>>()?;
        Some((vectors, root.get("prompt_eval_count").and_then(Value::as_u64).unwrap_or_default()))
    }

    fn most_texts(&self) -> usize {
        64
    }
}
