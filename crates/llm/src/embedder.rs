//! The trait of every model that makes vectors of texts.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::{ModelError, ModelId, Usage};

/// A model that makes a vector of a text, so that texts with a similar meaning have vectors that point in a similar
/// direction: a provider's, or one inside this process.
///
/// Dropping a returned future cancels the call.
///
/// ```
/// use async_trait::async_trait;
/// use graphloom_llm::{Embedder, Embeddings, EmbeddingPurpose, ModelError, ModelId, Usage};
///
/// /// Counts letters, in place of a model.
/// struct Letters(ModelId);
///
/// #[async_trait]
/// impl Embedder for Letters {
///     fn id(&self) -> &ModelId {
///         &self.0
///     }
///
///     async fn embed(&self, texts: &[String], _: EmbeddingPurpose) -> Result<Embeddings, ModelError> {
///         let vector = |text: &String| {
///             let mut counts = vec![0.0; 26];
///             for letter in text.bytes().filter(u8::is_ascii_lowercase) {
///                 counts[usize::from(letter - b'a')] += 1.0;
///             }
///             counts
///         };
///         Embeddings::checked(&self.0, texts.len(), texts.iter().map(vector).collect(), Usage::default())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), ModelError> {
/// let model = Letters(ModelId::new("example", "letters"));
/// let made = model.embed(&["tide".into(), "edit".into()], EmbeddingPurpose::Passage).await?;
/// assert_eq!(made.vectors[0], made.vectors[1]);
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait Embedder: Send + Sync + 'static {
    /// The name of this model in records and messages. Vectors of models with different names are never compared.
    fn id(&self) -> &ModelId;

    /// How many numbers a vector has, where that is known before the first call.
    fn dimension(&self) -> Option<usize> {
        None
    }

    /// What a call takes.
    fn limits(&self) -> EmbedderLimits {
        EmbedderLimits::default()
    }

    /// A vector of each text, in their order, each of length one. Any number of texts can be given; a call of a server
    /// has at most [`EmbedderLimits::texts`] of them.
    ///
    /// # Errors
    /// Those of a call of a model; [`ModelError::ContextLength`] for a text that is too long for a provider.
    async fn embed(&self, texts: &[String], purpose: EmbeddingPurpose) -> Result<Embeddings, ModelError>;
}

/// What a text is, for models that tell the two apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EmbeddingPurpose {
    /// A passage that can be found.
    #[default]
    Passage,
    /// A question that passages are looked for with.
    Query,
}

/// What a call of an embedder takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EmbedderLimits {
    /// The most texts of one call. Longer lists are sent in several calls.
    pub texts: usize,
    /// The most tokens of a text that count for its vector, where known. The embedded model reads a longer text in
    /// windows.
    pub tokens: Option<u32>,
}

impl Default for EmbedderLimits {
    fn default() -> Self {
        Self { texts: 64, tokens: None }
    }
}

impl EmbedderLimits {
    /// The most texts of one call, and the most tokens of a text where known.
    #[must_use]
    pub fn new(texts: usize, tokens: Option<u32>) -> Self {
        Self { texts: texts.max(1), tokens }
    }
}

/// The vectors of some texts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Embeddings {
    /// A vector of each text, in their order, each of length one.
    pub vectors: Vec<Vec<f32>>,
    /// Tokens used.
    pub usage: Usage,
}

impl Embeddings {
    /// Checks what a model made of `count` texts, and brings each vector to length one. A vector of zeros stays as it is:
    /// it is like no other.
    ///
    /// # Errors
    /// [`ModelError::Parse`] when there is not one vector a text, when the vectors have different lengths or none, or when
    /// one holds what is no number.
    pub fn checked(
        model: &ModelId,
        count: usize,
        mut vectors: Vec<Vec<f32>>,
        usage: Usage,
    ) -> Result<Self, ModelError> {
        let wrong = |message: String| ModelError::Parse {
            model: model.to_string(),
            expected: "list of embeddings".to_owned(),
            message,
            raw: String::new(),
        };
        if vectors.len() != count {
            return Err(wrong(format!("{count} texts were sent and {} vectors came", vectors.len())));
        }
        let dimension = vectors.first().map_or(1, Vec::len);
        for vector in &mut vectors {
            if vector.len() != dimension || dimension == 0 {
                return Err(wrong(format!("a vector has {} numbers, another {dimension}", vector.len())));
            }
            let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
            if !length.is_finite() {
                return Err(wrong("a vector holds what is no number".to_owned()));
            }
            if length > 0.0 {
                vector.iter_mut().for_each(|value| *value = (f64::from(*value) / length) as f32);
            }
        }
        Ok(Self { vectors, usage })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_checked_and_have_length_one() {
        let id = ModelId::new("test", "m");
        let checked = |count, vectors| Embeddings::checked(&id, count, vectors, Usage::default());
        let made = checked(2, vec![vec![3.0, 4.0], vec![0.0, 0.0]]).unwrap();
        assert_eq!(made.vectors, [[0.6, 0.8], [0.0, 0.0]]);
        assert!(checked(0, Vec::new()).unwrap().vectors.is_empty());
        for (count, vectors, told) in [
            (2, vec![vec![1.0]], "2 texts were sent and 1 vectors came"),
            (2, vec![vec![1.0], vec![1.0, 2.0]], "a vector has 2 numbers, another 1"),
            (1, vec![Vec::new()], "a vector has 0 numbers"),
            (1, vec![vec![f32::NAN]], "no number"),
            (1, vec![vec![f32::INFINITY, 1.0]], "no number"),
        ] {
            let error = checked(count, vectors).unwrap_err();
            assert!(matches!(&error, ModelError::Parse { .. }) && error.to_string().contains(told), "{error}");
        }
    }
}
