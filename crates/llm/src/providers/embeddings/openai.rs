//! `/embeddings`, as `OpenAI` and most servers have it.

use serde_json::{Value, json};

use super::{EmbeddingWire, numbers};
use crate::EmbeddingPurpose;
use crate::providers::wire::Place;

pub(super) struct OpenAi;

impl EmbeddingWire for OpenAi {
    fn place(&self, _: &str) -> Place {
        Place::of(&["embeddings"])
    }

    fn encode(&self, model: &str, texts: &[String], _: EmbeddingPurpose) -> Value {
        json!({"model": model, "input": texts, "encoding_format": "float"})
    }

    /// The entries may come in any order; each has its number. Servers without numbers keep the order.
    fn read(&self, root: &Value) -> Option<(Vec<Vec<f32>>, u64)> {
        let entries = root.get("data")?.as_array()?;
        let mut vectors = Vec::with_capacity(entries.len());
        for (place, entry) in entries.iter().enumerate() {
            let number = entry.get("index").and_then(Value::as_u64).unwrap_or(place as u64);
            vectors.push((number, numbers(entry.get("embedding")?)?));
        }
        vectors.sort_by_key(|(number, _)| *number);
        let is_whole = vectors.iter().zip(0..).all(|((number, _), place)| *number == place);
        let tokens = root.pointer("/usage/prompt_tokens").or_else(|| root.pointer("/usage/total_tokens"));
        let tokens = tokens.and_then(Value::as_u64).unwrap_or_default();
        is_whole.then(|| (vectors.into_iter().map(|(_, vector)| vector).collect(), tokens))
    }

    // OpenAI takes 2048 texts, and other servers fewer. The sum of tokens has a limit of its own.
    fn most_texts(&self) -> usize {
        128
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_in_the_order_of_the_texts() {
        let read = |root: Value| OpenAi.read(&root);
        let entry = |index: u64, value: f64| json!({"object": "embedding", "index": index, "embedding": [value]});
        let usage = json!({"prompt_tokens": 7, "total_tokens": 7});
        let root = json!({"object": "list", "data": [entry(1, 0.5), entry(0, 0.25)], "usage": usage});
        assert_eq!(read(root), Some((vec![vec![0.25], vec![0.5]], 7)));
        assert_eq!(
            read(json!({"data": [{"embedding": [1]}, {"embedding": [2]}]})),
            Some((vec![vec![1.0], vec![2.0]], 0))
        );
        for wrong in [
            json!({"data": [entry(0, 1.0), entry(0, 2.0)]}),
            json!({"data": [entry(1, 1.0)]}),
            json!({"data": [{"embedding": "AACAPw=="}]}),
            json!({"data": [{"embedding": [null]}]}),
            json!({"error": "no"}),
        ] {
            assert_eq!(read(wrong.clone()), None, "{wrong}");
        }
    }
}
