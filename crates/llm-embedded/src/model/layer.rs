//! One layer of a network, as its file has it.

use candle_core::{D, Result, Tensor};

use super::architecture::{Architecture, Sizes};
use super::matrix::Linear;
use super::tensors::Tensors;
use crate::EmbeddedError;

/// A layer: attention, then the feed-forward part, each behind a norm and added to what came in.
pub(super) struct Layer {
    pub(super) attention_norm: Tensor,
    /// Query, key and value.
    pub(super) attention_input: Joined<3>,
    /// Norms of each head's query and key.
    pub(super) head_norms: Option<(Tensor, Tensor)>,
    pub(super) attention_output: Linear,
    /// A norm of what attention adds.
    pub(super) attention_post_norm: Option<Tensor>,
    pub(super) feed_norm: Tensor,
    /// Gate, and what it opens.
    pub(super) feed_input: Joined<2>,
    pub(super) feed_output: Linear,
    /// A norm of what the feed-forward part adds.
    pub(super) feed_post_norm: Option<Tensor>,
    pub(super) has_window: bool,
    pub(super) is_rotated: bool,
}

impl Layer {
    pub(super) fn load(
        tensors: &mut Tensors<'_>,
        architecture: &Architecture,
        sizes: &Sizes,
        index: usize,
    ) -> std::result::Result<Self, EmbeddedError> {
        let Sizes { hidden, feed, head_width, .. } = *sizes;
        let (all, keys) = (sizes.heads * head_width, sizes.key_heads * head_width);
        let name = |part: &str| format!("blk.{index}.{part}");
        let norm = |part: &str| format!("blk.{index}.{part}.weight");
        let head_norms = if architecture.head_norms {
            let query = tensors.vector(&norm("attn_q_norm"), head_width)?;
            Some((query, tensors.vector(&norm("attn_k_norm"), head_width)?))
        } else {
            None
        };
        let attention = [("attn_q", all), ("attn_k", keys), ("attn_v", keys)];
        Ok(Self {
            attention_norm: tensors.vector(&norm("attn_norm"), hidden)?,
            attention_input: {
                let joined = tensors.has(&norm("attn_qkv")).then_some("attn_qkv");
                Joined::load(tensors, &name, joined, attention, hidden)?
            },
            head_norms,
            attention_output: tensors.linear(&name("attn_output"), hidden, all)?,
            attention_post_norm: tensors.optional_vector(&norm("post_attention_norm"), hidden)?,
            feed_norm: tensors.vector(&norm("ffn_norm"), hidden)?,
            // Where the gate has no matrix of its own, it is the first half of the other's.
            feed_input: {
                let joined = (!tensors.has(&norm("ffn_gate"))).then_some("ffn_up");
                Joined::load(tensors, &name, joined, [("ffn_gate", feed), ("ffn_up", feed)], hidden)?
            },
            feed_output: tensors.linear(&name("ffn_down"), hidden, feed)?,
            feed_post_norm: tensors.optional_vector(&norm("post_ffw_norm"), hidden)?,
            has_window: sizes.window.is_some() && architecture.has_window(index),
            is_rotated: architecture.is_rotated(index),
        })
    }
}

/// Several products with the same rows, by one matrix where that can be, else by matrices of their own.
pub(super) enum Joined<const N: usize> {
    Apart([Linear; N]),
    Together(Linear, [usize; N]),
}

impl<const N: usize> Joined<N> {
    /// Takes the matrix `joined`, where there is one, else those of `parts`, which are given with their rows.
    fn load(
        tensors: &mut Tensors<'_>,
        name: &dyn Fn(&str) -> String,
        joined: Option<&str>,
        parts: [(&str, usize); N],
        width: usize,
    ) -> std::result::Result<Self, EmbeddedError> {
        let rows = parts.map(|(_, rows)| rows);
        if let Some(joined) = joined {
            let linear = tensors.linear(&name(joined), rows.iter().sum(), width)?;
            return Ok(Self::Together(linear, rows));
        }
        let mut linears = Vec::with_capacity(N);
        for (part, rows) in parts {
            linears.push(tensors.linear(&name(part), rows, width)?);
        }
        if let Some(joined) = Linear::join(&linears).map_err(|error| tensors.fault(&error))? {
            return Ok(Self::Together(joined, rows));
        }
        match linears.try_into() {
            Ok(linears) => Ok(Self::Apart(linears)),
            Err(_) => unreachable!("there are as many matrices as parts"),
        }
    }

    /// The products, in the order of the parts.
    pub(super) fn forward(&self, x: &Tensor) -> Result<[Tensor; N]> {
        let products = match self {
            Self::Apart(linears) => Linear::forward_all(linears, x)?,
            Self::Together(linear, rows) => {
                let all = linear.forward(x)?;
                let mut products = Vec::with_capacity(N);
                let mut first = 0;
                for rows in rows {
                    products.push(all.narrow(D::Minus1, first, *rows)?.contiguous()?);
                    first += rows;
                }
                products
            }
        };
        match products.try_into() {
            Ok(products) => Ok(products),
            Err(_) => candle_core::bail!("a product is missing"),
        }
    }
}
