//! Embeddings of providers: three wires of pure functions, and the client that they share with chat models.

mod gemini;
mod ollama;
mod openai;

use async_trait::async_trait;
use serde_json::Value;

use super::remote::address;
use super::wire::Place;
use super::{Remote, RemoteConfig, Wire};
use crate::{Embedder, EmbedderLimits, EmbeddingPurpose, Embeddings, ModelError, ModelId, Usage};

/// The functions of one wire.
pub(super) trait EmbeddingWire: Sync {
    /// Where texts are sent.
    fn place(&self, model: &str) -> Place;

    /// The body of a request.
    fn encode(&self, model: &str, texts: &[String], purpose: EmbeddingPurpose) -> Value;

    /// The vectors in the order of the texts, and the tokens read; `None` when the JSON is no list of vectors.
    fn read(&self, root: &Value) -> Option<(Vec<Vec<f32>>, u64)>;

    /// The most texts of a request.
    fn most_texts(&self) -> usize;
}

impl Wire {
    /// The wire of embeddings that belongs to a wire of chats; Anthropic has none.
    pub(super) fn embeddings(self) -> Option<&'static dyn EmbeddingWire> {
        match self {
            Self::OpenAiChat | Self::OpenAiResponses => Some(&openai::OpenAi),
            Self::Ollama => Some(&ollama::Ollama),
            Self::Gemini => Some(&gemini::Gemini),
            Self::Anthropic => None,
        }
    }
}

/// An embedding model of a provider. Addresses, keys and limits of time are those of [`Remote`].
///
/// Failed calls are not tried again here.
pub struct RemoteEmbedder {
    client: Remote,
    wire: &'static dyn EmbeddingWire,
    model: String,
}

impl RemoteEmbedder {
    /// Makes a client. No connection is made yet.
    ///
    /// # Errors
    /// [`ModelError::Setup`] for a provider that has no embeddings, and as [`Remote::new`].
    pub fn new(config: RemoteConfig) -> Result<Self, ModelError> {
        let name = config.provider.name();
        let Some(wire) = config.provider.wire().embeddings() else {
            let message = format!("`{name}` offers no embeddings; name a model of another provider, or `embedded`");
            return Err(ModelError::Setup { message });
        };
        let model = config.name.clone();
        Ok(Self { client: Remote::new(config)?, wire, model })
    }

    async fn batch(&self, texts: &[String], purpose: EmbeddingPurpose) -> Result<(Vec<Vec<f32>>, u64), ModelError> {
        let url = address(self.client.base(), &self.wire.place(&self.model));
        let root = self.client.post(&url, &self.wire.encode(&self.model, texts, purpose)).await?;
        self.wire.read(&root).ok_or_else(|| ModelError::Parse {
            model: self.id().to_string(),
            expected: "list of embeddings".to_owned(),
            message: format!("`{url}` answers something else"),
            raw: root.to_string().chars().take(2000).collect(),
        })
    }
}

#[async_trait]
impl Embedder for RemoteEmbedder {
    fn id(&self) -> &ModelId {
        crate::ChatModel::id(&self.client)
    }

    fn limits(&self) -> EmbedderLimits {
        EmbedderLimits::new(self.wire.most_texts(), None)
    }

    async fn embed(&self, texts: &[String], purpose: EmbeddingPurpose) -> Result<Embeddings, ModelError> {
        let mut vectors = Vec::with_capacity(texts.len());
        let mut usage = Usage::default();
        for batch in texts.chunks(self.wire.most_texts()) {
            let (some, tokens) = self.batch(batch, purpose).await?;
            // Each answer is checked alone, so that what one lacks does not shift the vectors of another.
            vectors.extend(Embeddings::checked(self.id(), batch.len(), some, Usage::default())?.vectors);
            usage.input += tokens;
        }
        Embeddings::checked(self.id(), texts.len(), vectors, usage)
    }
}

impl std::fmt::Debug for RemoteEmbedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("RemoteEmbedder").field(self.id()).finish()
    }
}

/// The numbers of a JSON array; `None` when it holds anything else.
fn numbers(value: &Value) -> Option<Vec<f32>> {
    value.as_array()?.iter().map(|number| number.as_f64().map(|number| number as f32)).collect()
}
