//! The forward pass of the llama architecture: RMS norms, grouped-query attention with rotary positions, and a gated
//! feed-forward part.

use std::sync::Arc;

use candle_core::quantized::QTensor;
use candle_core::{D, DType, Device, Result, Tensor};
use candle_nn::ops::{rms_norm, silu, softmax_last_dim};
use candle_nn::rotary_emb::rope_i;

use super::matrix::{Matrix, padded_width};
use super::{Cache, Gguf};
use crate::EmbeddedError;

/// Sizes of a model, from its metadata.
#[derive(Clone, Copy, Debug)]
struct ModelSizes {
    layers: usize,
    heads: usize,
    key_heads: usize,
    head_width: usize,
    epsilon: f32,
}

/// A loaded network.
pub(crate) struct Llama {
    sizes: ModelSizes,
    context: usize,
    vocabulary: usize,
    hidden: usize,
    embedding: Arc<QTensor>,
    layers: Vec<Layer>,
    norm: Tensor,
    output: Matrix,
    cosines: Tensor,
    sines: Tensor,
}

struct Layer {
    attention_norm: Tensor,
    query: Matrix,
    key: Matrix,
    value: Matrix,
    attention_output: Matrix,
    feed_norm: Tensor,
    gate: Matrix,
    up: Matrix,
    down: Matrix,
}

impl Llama {
    /// Loads the network. `context` limits the positions to fewer than the model was made for.
    pub(crate) fn load(gguf: &Gguf, context: Option<usize>) -> std::result::Result<Self, EmbeddedError> {
        let architecture = gguf.text("general.architecture").unwrap_or("unknown");
        if architecture != "llama" {
            return Err(gguf.unsupported(format!("its architecture is `{architecture}`, this engine runs `llama`")));
        }
        let heads = gguf.need_number("llama.attention.head_count")?;
        let hidden = gguf.need_number("llama.embedding_length")?;
        let key_heads = gguf.number("llama.attention.head_count_kv").unwrap_or(heads);
        let layers = gguf.need_number("llama.block_count")?;
        let trained = gguf.need_number("llama.context_length")?;
        let feed = gguf.need_number("llama.feed_forward_length")?;
        if heads == 0 || key_heads == 0 || heads % key_heads != 0 || hidden % heads != 0 || hidden == 0 || feed == 0 {
            let message = format!("{hidden} values cannot be split over {heads} heads and {key_heads} key heads");
            return Err(gguf.fault(message));
        }
        if layers == 0 || layers > 512 || trained == 0 {
            return Err(gguf.fault(format!("it has {layers} layers and a context of {trained} tokens")));
        }
        let head_width = gguf.number("llama.attention.key_length").unwrap_or(hidden / heads);
        if gguf.number("llama.rope.dimension_count").is_some_and(|rotary| rotary != head_width)
            || !head_width.is_multiple_of(2)
        {
            return Err(gguf.unsupported("only a part of each head is rotated"));
        }
        if gguf.number("llama.expert_count").is_some_and(|experts| experts > 0) {
            return Err(gguf.unsupported("it is a mixture of experts"));
        }
        let epsilon = gguf.float("llama.attention.layer_norm_rms_epsilon").unwrap_or(1e-5) as f32;
        let sizes = ModelSizes { layers, heads, key_heads, head_width, epsilon };
        let context = trained.min(context.unwrap_or(MOST_POSITIONS)).min(MOST_POSITIONS);
        Self::read(gguf, sizes, hidden, feed, context)
    }

    fn read(
        gguf: &Gguf,
        sizes: ModelSizes,
        hidden: usize,
        feed: usize,
        context: usize,
    ) -> std::result::Result<Self, EmbeddedError> {
        let fault = |error: candle_core::Error| gguf.fault(error.to_string());
        let (all, keys) = (sizes.heads * sizes.head_width, sizes.key_heads * sizes.head_width);
        let parts: [(&str, &[usize]); 9] = [
            ("attn_norm", &[hidden]),
            ("attn_q", &[all, hidden]),
            ("attn_k", &[keys, hidden]),
            ("attn_v", &[keys, hidden]),
            ("attn_output", &[hidden, all]),
            ("ffn_norm", &[hidden]),
            ("ffn_gate", &[feed, hidden]),
            ("ffn_up", &[feed, hidden]),
            ("ffn_down", &[hidden, feed]),
        ];
        let mut names = vec!["token_embd.weight".to_owned(), "output_norm.weight".to_owned()];
        for layer in 0..sizes.layers {
            names.extend(parts.iter().map(|(part, _)| format!("blk.{layer}.{part}.weight")));
        }
        let own_output = gguf.has_tensor("output.weight");
        if own_output {
            names.push("output.weight".to_owned());
        }
        let scaled = gguf.has_tensor("rope_freqs.weight");
        if scaled {
            names.push("rope_freqs.weight".to_owned());
        }
        let mut tensors = names.iter().zip(gguf.tensors(&names)?);
        let mut next = |shape: &[usize]| match tensors.next() {
            Some((_, tensor)) if shape.is_empty() || fits(&tensor, shape) => Ok(Arc::new(tensor)),
            Some((name, tensor)) => {
                Err(gguf.fault(format!("tensor `{name}` has the shape {:?}, not {shape:?}", tensor.shape().dims())))
            }
            None => Err(gguf.fault("a tensor is missing")),
        };
        let vector = |tensor: Arc<QTensor>| tensor.dequantize(&Device::Cpu).map_err(fault);
        let matrix = |tensor: Arc<QTensor>| Matrix::new(tensor).map_err(fault);

        let embedding = next(&[])?;
        let &[vocabulary, width] = embedding.shape().dims() else {
            return Err(gguf.fault("tensor `token_embd.weight` is not a matrix"));
        };
        if width != hidden && width != padded_width(hidden) {
            return Err(gguf.fault(format!("tensor `token_embd.weight` is {width} wide, not {hidden}")));
        }
        let norm = vector(next(&[hidden])?)?;
        let mut layers = Vec::with_capacity(sizes.layers);
        for _ in 0..sizes.layers {
            layers.push(Layer {
                attention_norm: vector(next(parts[0].1)?)?,
                query: matrix(next(parts[1].1)?)?,
                key: matrix(next(parts[2].1)?)?,
                value: matrix(next(parts[3].1)?)?,
                attention_output: matrix(next(parts[4].1)?)?,
                feed_norm: vector(next(parts[5].1)?)?,
                gate: matrix(next(parts[6].1)?)?,
                up: matrix(next(parts[7].1)?)?,
                down: matrix(next(parts[8].1)?)?,
            });
        }
        let output = if own_output { next(&[vocabulary, hidden])? } else { Arc::clone(&embedding) };
        let factors = if scaled {
            vector(next(&[sizes.head_width / 2])?)?.to_vec1::<f32>().map_err(fault)?
        } else {
            vec![1.0; sizes.head_width / 2]
        };
        let base = gguf.float("llama.rope.freq_base").unwrap_or(10_000.0);
        let (cosines, sines) = rotations(context, base, &factors).map_err(fault)?;
        let output = matrix(output)?;
        Ok(Self { sizes, context, vocabulary, hidden, embedding, layers, norm, output, cosines, sines })
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
        let cosines = self.cosines.narrow(0, start, count)?;
        let sines = self.sines.narrow(0, start, count)?;
        let mask = if count > 1 { Some(causal_mask(start, count)?) } else { None };
        let mut x = self.embedding.embedding(&ids)?.narrow(D::Minus1, 0, self.hidden)?.contiguous()?;
        for (index, layer) in self.layers.iter().enumerate() {
            let normed = rms_norm(&x, &layer.attention_norm, self.sizes.epsilon)?;
            x = (x + self.attend(index, layer, &normed, cache, (&cosines, &sines), mask.as_ref())?)?;
            let normed = layer.gate.fit(&rms_norm(&x, &layer.feed_norm, self.sizes.epsilon)?)?;
            let gated = (silu(&layer.gate.forward(&normed)?)? * layer.up.forward(&normed)?)?;
            x = (x + layer.down.forward(&gated)?)?;
        }
        cache.advance(count);
        Ok(x)
    }

    /// The logits over the vocabulary for rows of [`Llama::read_tokens`], one row each.
    pub(crate) fn logits(&self, rows: &Tensor) -> Result<Tensor> {
        self.output.forward(&rms_norm(&rows.contiguous()?, &self.norm, self.sizes.epsilon)?)
    }

    fn attend(
        &self,
        index: usize,
        layer: &Layer,
        x: &Tensor,
        cache: &Cache,
        (cosines, sines): (&Tensor, &Tensor),
        mask: Option<&Tensor>,
    ) -> Result<Tensor> {
        let ModelSizes { heads, key_heads, head_width, .. } = self.sizes;
        let (count, group) = (x.dim(0)?, heads / key_heads);
        let x = &layer.query.fit(x)?;
        let split = |x: Tensor, heads| x.reshape((1, count, heads, head_width))?.transpose(1, 2)?.contiguous();
        let query = rope_i(&split(layer.query.forward(x)?, heads)?, cosines, sines)?;
        let key = rope_i(&split(layer.key.forward(x)?, key_heads)?, cosines, sines)?;
        let value = split(layer.value.forward(x)?, key_heads)?;
        let (keys, values) = cache.write(index, &key.squeeze(0)?, &value.squeeze(0)?)?;

        // Query heads of one key head are stacked, so that keys are not repeated.
        let query = query.reshape((key_heads, group * count, head_width))?;
        let mut scores = (query.matmul(&keys.t()?)? / (head_width as f64).sqrt())?;
        if let Some(mask) = mask {
            let total = keys.dim(1)?;
            scores = scores.reshape((key_heads, group, count, total))?.broadcast_add(mask)?;
            scores = scores.reshape((key_heads, group * count, total))?;
        }
        let mixed = softmax_last_dim(&scores)?.matmul(&values)?;
        let mixed = mixed.reshape((heads, count, head_width))?.transpose(0, 1)?.contiguous()?;
        layer.attention_output.forward(&mixed.reshape((count, heads * head_width))?)
    }
}

/// Whether a tensor has a shape, but for zeros at the ends of a matrix's rows.
fn fits(tensor: &QTensor, shape: &[usize]) -> bool {
    match (tensor.shape().dims(), shape) {
        (&[rows, width], &[own_rows, own_width]) => {
            rows == own_rows && (width == own_width || width == padded_width(own_width))
        }
        (found, wanted) => found == wanted,
    }
}

/// Longer contexts cost memory for positions that small models do not use well.
const MOST_POSITIONS: usize = 8192;

/// Minus infinity where a token would see a later one.
fn causal_mask(start: usize, count: usize) -> Result<Tensor> {
    let total = Tensor::arange(0, (start + count) as u32, &Device::Cpu)?.reshape((1, start + count))?;
    let own = Tensor::arange(start as u32, (start + count) as u32, &Device::Cpu)?.reshape((count, 1))?;
    let shape = (count, start + count);
    let later = total.broadcast_as(shape)?.gt(&own.broadcast_as(shape)?)?;
    let never = Tensor::new(f32::NEG_INFINITY, &Device::Cpu)?.broadcast_as(shape)?;
    later.where_cond(&never, &Tensor::zeros(shape, DType::F32, &Device::Cpu)?)
}

/// Cosines and sines of every position's angles, of shape (positions, half of a head).
fn rotations(positions: usize, base: f64, factors: &[f32]) -> Result<(Tensor, Tensor)> {
    let half = factors.len();
    let frequencies: Vec<f32> = factors
        .iter()
        .enumerate()
        .map(|(index, factor)| (base.powf(-(index as f64) / half as f64) / f64::from(*factor)) as f32)
        .collect();
    let frequencies = Tensor::from_vec(frequencies, (1, half), &Device::Cpu)?;
    let positions = Tensor::arange(0, positions as u32, &Device::Cpu)?.to_dtype(DType::F32)?.unsqueeze(D::Minus1)?;
    let angles = positions.matmul(&frequencies)?;
    Ok((angles.cos()?, angles.sin()?))
}
