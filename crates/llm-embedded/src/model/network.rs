//! The forward pass of all architectures: norms, grouped-query attention with rotary positions, and a gated feed-forward
//! part, each with what its architecture adds.

use std::sync::Arc;

use candle_core::quantized::QTensor;
use candle_core::{D, DType, Device, Result, Tensor};
use candle_nn::ops::{rms_norm, silu, softmax_last_dim};

use super::architecture::{Activation, Architecture, Sizes};
use super::layer::Layer;
use super::mask::Mask;
use super::matrix::{Linear, Matrix};
use super::rotation::Rotations;
use super::tensors::Tensors;
use super::{Cache, Gguf, token_attention};
use crate::EmbeddedError;

/// A loaded network.
pub(crate) struct Network {
    sizes: Sizes,
    activation: Activation,
    context: usize,
    vocabulary: usize,
    embedding: Arc<QTensor>,
    /// What embeddings are multiplied by.
    embedding_scale: Option<f64>,
    layers: Vec<Layer>,
    norm: Tensor,
    output: Linear,
    rotations: Rotations,
}

impl Network {
    /// Loads the network for conversations of at most `context` tokens, or of as many as the model was made for.
    pub(crate) fn load(gguf: &Gguf, context: usize) -> std::result::Result<Self, EmbeddedError> {
        let architecture = Architecture::of(gguf)?;
        let sizes = Sizes::of(gguf, &architecture)?;
        let context = context.min(sizes.trained);
        let mut tensors = Tensors::read(gguf)?;
        let rotations = Rotations::load(gguf, &mut tensors, &architecture, &sizes, context)?;
        let (vocabulary, embedding) = tensors.rows("token_embd.weight", sizes.hidden)?;
        let norm = tensors.vector("output_norm.weight", sizes.hidden)?;
        let layers = (0..sizes.layers).map(|index| Layer::load(&mut tensors, &architecture, &sizes, index));
        let layers = layers.collect::<std::result::Result<Vec<_>, _>>()?;
        let output = if tensors.has("output.weight") {
            tensors.linear("output", vocabulary, sizes.hidden)?
        } else {
            let shared = Matrix::new(Arc::clone(&embedding)).map_err(|error| gguf.fault(error.to_string()))?;
            Linear::new(shared, tensors.optional_vector("output.bias", vocabulary)?)
        };
        tensors.finish()?;
        let embedding_scale = architecture.scaled_embeddings.then(|| (sizes.hidden as f64).sqrt());
        let activation = architecture.activation;
        Ok(Self { sizes, activation, context, vocabulary, embedding, embedding_scale, layers, norm, output, rotations })
    }

    /// The most tokens of a conversation.
    pub(crate) fn context(&self) -> usize {
        self.context
    }

    /// The number of tokens that the network knows.
    pub(crate) fn vocabulary(&self) -> usize {
        self.vocabulary
    }

    /// An empty cache for this network.
    pub(crate) fn cache(&self) -> Result<Cache> {
        Cache::new(self.sizes.layers, self.sizes.key_heads, self.sizes.head_width)
    }

    /// Reads `tokens` after those in `cache` and returns a row of hidden values per token.
    pub(crate) fn read_tokens(&self, tokens: &[u32], cache: &mut Cache) -> Result<Tensor> {
        let (start, count) = (cache.len(), tokens.len());
        if start + count > self.context {
            candle_core::bail!("{} tokens do not fit into the context of {}", start + count, self.context)
        }
        cache.reserve(count)?;
        let ids = Tensor::new(tokens, &Device::Cpu)?;
        let whole = Mask::new(start, count, None)?;
        let window = self.sizes.window.map(|window| Mask::new(start, count, Some(window))).transpose()?;
        let mut x = self.embedding.embedding(&ids)?;
        if x.dim(D::Minus1)? > self.sizes.hidden {
            x = x.narrow(D::Minus1, 0, self.sizes.hidden)?.contiguous()?;
        }
        if let Some(scale) = self.embedding_scale {
            x = (x * scale)?;
        }
        for (index, layer) in self.layers.iter().enumerate() {
            let mask = window.as_ref().filter(|_| layer.has_window).unwrap_or(&whole);
            let normed = rms_norm(&x, &layer.attention_norm, self.sizes.epsilon)?;
            let attended = self.attend(index, layer, &normed, cache, mask)?;
            x = (x + self.after(attended, layer.attention_post_norm.as_ref())?)?;
            let normed = rms_norm(&x, &layer.feed_norm, self.sizes.epsilon)?;
            let fed = self.feed(layer, &normed)?;
            x = (x + self.after(fed, layer.feed_post_norm.as_ref())?)?;
        }
        cache.advance(count);
        Ok(x)
    }

    /// The logits over the vocabulary for rows of [`Network::read_tokens`], one row each.
    pub(crate) fn logits(&self, rows: &Tensor) -> Result<Tensor> {
        let logits = self.output.forward(&rms_norm(&rows.contiguous()?, &self.norm, self.sizes.epsilon)?)?;
        match self.sizes.logit_cap {
            Some(cap) => (logits / cap)?.tanh()? * cap,
            None => Ok(logits),
        }
    }

    fn attend(&self, index: usize, layer: &Layer, x: &Tensor, cache: &Cache, mask: &Mask) -> Result<Tensor> {
        let Sizes { heads, key_heads, head_width, score_scale, .. } = self.sizes;
        let (start, count, group) = (cache.len(), x.dim(0)?, heads / key_heads);
        let split = |x: &Tensor, heads| x.reshape((1, count, heads, head_width))?.transpose(1, 2)?.contiguous();
        let [query, key, value] = layer.attention_input.forward(x)?;
        let mut query = split(&query, heads)?;
        let mut key = split(&key, key_heads)?;
        let value = value.reshape((count, key_heads, head_width))?;
        if let Some((query_norm, key_norm)) = &layer.head_norms {
            query = rms_norm(&query, query_norm, self.sizes.epsilon)?;
            key = rms_norm(&key, key_norm, self.sizes.epsilon)?;
        }
        if layer.is_rotated {
            let rotation = self.rotations.of(layer.has_window);
            query = rotation.apply(&query, start)?;
            key = rotation.apply(&key, start)?;
        }
        let key = key.squeeze(0)?.transpose(0, 1)?.contiguous()?;
        let (keys, values) = cache.write(index, &key, &value)?;
        let (first, total) = (mask.first(), mask.visible());
        let (keys, values) = (keys.narrow(0, first, total)?, values.narrow(0, first, total)?);
        if count == 1 {
            // It sees all that is left, so that it needs no mask.
            let query = query.reshape((heads, head_width))?;
            let mixed = token_attention::of_one_token(&query, &keys, &values, score_scale as f32)?;
            return layer.attention_output.forward(&mixed.reshape((1, heads * head_width))?);
        }
        let by_heads = |rows: &Tensor| rows.to_dtype(DType::F32)?.transpose(0, 1);
        let (keys, values) = (by_heads(&keys)?, by_heads(&values)?);

        // Query heads of one key head are stacked, so that keys are not repeated.
        let query = query.reshape((key_heads, group * count, head_width))?;
        let mut scores = (query.matmul(&keys.t()?)? * score_scale)?;
        if let Some(mask) = mask.tensor() {
            scores = scores.reshape((key_heads, group, count, total))?.broadcast_add(mask)?;
            scores = scores.reshape((key_heads, group * count, total))?;
        }
        let mixed = softmax_last_dim(&scores)?.matmul(&values)?;
        let mixed = mixed.reshape((heads, count, head_width))?.transpose(0, 1)?.contiguous()?;
        layer.attention_output.forward(&mixed.reshape((count, heads * head_width))?)
    }

    fn feed(&self, layer: &Layer, x: &Tensor) -> Result<Tensor> {
        let [gate, up] = layer.feed_input.forward(x)?;
        let gate = match self.activation {
            Activation::Silu => silu(&gate)?,
            Activation::Gelu => gate.gelu()?,
        };
        layer.feed_output.forward(&(gate * up)?)
    }

    fn after(&self, x: Tensor, norm: Option<&Tensor>) -> Result<Tensor> {
        match norm {
            Some(norm) => rms_norm(&x.contiguous()?, norm, self.sizes.epsilon),
            None => Ok(x),
        }
    }
}
