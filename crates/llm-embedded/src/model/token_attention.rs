//! What one token sees of the conversation: a pass over the keys and a pass over the values.
//!
//! With candle's own attention of one token, `bench/embedded.py` wrote 49 tokens a second in place of 56, and that takes vector
//! instructions for keys and values of 32 bits only.

use std::sync::{Mutex, PoisonError};

use candle_core::utils::barrier_pool;
use candle_core::{CpuStorage, CustomOp3, Layout, Result, Shape, Tensor, WithDType};
use half::f16;
use half::slice::HalfFloatSliceExt;
use pulp::{Arch, NullaryFnOnce};

/// So many tokens are one block of work. Blocks are put together in their order, so that a sum is the same on any number of
/// threads.
const BLOCK: usize = 64;
/// Sums are kept in so many parts, so that the compiler uses vector instructions.
const LANES: usize = 16;

/// Mixes the values that a token sees, by its queries of shape (heads, width) and keys and values of shape (tokens, key heads,
/// width). Several heads in a row share a key head. The result has the shape of the queries.
pub(super) fn of_one_token(queries: &Tensor, keys: &Tensor, values: &Tensor, scale: f32) -> Result<Tensor> {
    queries.apply_op3_no_bwd(keys, values, &TokenAttention { scale })
}

struct TokenAttention {
    scale: f32,
}

impl CustomOp3 for TokenAttention {
    fn name(&self) -> &'static str {
        "attention-of-one-token"
    }

    fn cpu_fwd(
        &self,
        queries: &CpuStorage,
        query_layout: &Layout,
        keys: &CpuStorage,
        key_layout: &Layout,
        values: &CpuStorage,
        value_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (heads, width) = query_layout.shape().dims2()?;
        let (tokens, key_heads, _) = key_layout.shape().dims3()?;
        let queries: &[f32] = slice(queries, query_layout)?;
        let (keys, values): (&[f16], &[f16]) = (slice(keys, key_layout)?, slice(values, value_layout)?);
        let (group, row) = (heads / key_heads, key_heads * width);
        let blocks = tokens.div_ceil(BLOCK);
        let done = Mutex::new(vec![None; key_heads * blocks]);
        let arch = Arch::new();
        barrier_pool().execute_chunked(key_heads * blocks, |range| {
            for index in range {
                let (head, first) = (index / blocks, index % blocks * BLOCK);
                let seen = first * row..tokens.min(first + BLOCK) * row;
                let block = Block {
                    queries: &queries[head * group * width..][..group * width],
                    keys: &keys[seen.clone()],
                    values: &values[seen],
                    row,
                    column: head * width,
                    width,
                    scale: self.scale,
                };
                let mixed = arch.dispatch(block);
                done.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(mixed);
            }
        });
        let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut mixed = Vec::with_capacity(heads * width);
        for blocks in done.chunks_exact(blocks) {
            for query in 0..group {
                mixed.extend(together(blocks.iter().flatten().filter_map(|block| block.get(query)), width));
            }
        }
        Ok((CpuStorage::F32(mixed), (heads, width).into()))
    }
}

/// The keys and values of some tokens, and the queries of one key head.
struct Block<'a> {
    queries: &'a [f32],
    keys: &'a [f16],
    values: &'a [f16],
    /// The width of a token's keys of all heads.
    row: usize,
    /// Where the head stands in them.
    column: usize,
    width: usize,
    scale: f32,
}

/// What a query takes of a block, as far as it is known without the others.
#[derive(Clone)]
struct Mixed {
    /// The highest score.
    top: f32,
    /// The sum of the weights, each relative to the highest score.
    total: f32,
    /// The sum of the values by their weights.
    values: Vec<f32>,
}

/// What each query takes, compiled for the vector instructions that the processor has.
impl NullaryFnOnce for Block<'_> {
    type Output = Vec<Mixed>;

    #[inline(always)]
    fn call(self) -> Vec<Mixed> {
        let Self { queries, keys, values, row, column, width, scale } = self;
        let mut floats = vec![0.0; width];
        let count = queries.len() / width;
        let tokens = keys.len() / row;
        let mut scores = vec![0.0; count * tokens];
        for (token, keys) in keys.chunks_exact(row).enumerate() {
            keys[column..][..width].convert_to_f32_slice(&mut floats);
            for (query, scores) in queries.chunks_exact(width).zip(scores.chunks_exact_mut(tokens)) {
                scores[token] = dot(query, &floats) * scale;
            }
        }
        let mut mixed = Vec::with_capacity(count);
        for scores in scores.chunks_exact_mut(tokens) {
            let top = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            for score in scores.iter_mut() {
                *score = (*score - top).exp();
            }
            mixed.push(Mixed { top, total: scores.iter().sum(), values: vec![0.0; width] });
        }
        for (token, values) in values.chunks_exact(row).enumerate() {
            values[column..][..width].convert_to_f32_slice(&mut floats);
            for (mixed, weights) in mixed.iter_mut().zip(scores.chunks_exact(tokens)) {
                add(&mut mixed.values, &floats, weights[token]);
            }
        }
        mixed
    }
}

/// The mean of the values of all blocks by their weights.
fn together<'a>(blocks: impl Iterator<Item = &'a Mixed> + Clone, width: usize) -> Vec<f32> {
    let top = blocks.clone().map(|block| block.top).fold(f32::NEG_INFINITY, f32::max);
    let (mut total, mut values) = (0.0, vec![0.0; width]);
    for block in blocks {
        let weight = (block.top - top).exp();
        total += block.total * weight;
        add(&mut values, &block.values, weight);
    }
    values.iter_mut().for_each(|value| *value /= total);
    values
}

/// The values of a tensor that lie in a row.
fn slice<'s, T: WithDType>(storage: &'s CpuStorage, layout: &Layout) -> Result<&'s [T]> {
    let Some((start, end)) = layout.contiguous_offsets() else { candle_core::bail!("attention needs values in a row") };
    Ok(&storage.as_slice()?[start..end])
}

#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (whole_a, rest_a) = a.as_chunks::<LANES>();
    let (whole_b, rest_b) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in whole_a.iter().zip(whole_b) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

#[inline(always)]
fn add(sum: &mut [f32], values: &[f32], weight: f32) {
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum += value * weight;
    }
}

#[cfg(test)]
mod tests {
    use candle_core::{D, DType, Device};
    use candle_nn::ops::softmax_last_dim;

    use super::*;

    fn drawn(shape: (usize, usize, usize), step: usize) -> Tensor {
        let count = shape.0 * shape.1 * shape.2;
        let values: Vec<f32> = (0..count).map(|index| (index * step % 97) as f32 / 24.0 - 2.0).collect();
        Tensor::from_vec(values, shape, &Device::Cpu).unwrap()
    }

    #[test]
    fn it_is_the_mean_of_the_values_by_the_softmax_of_the_scores() {
        for (tokens, key_heads, group, width) in [(1, 1, 1, 8), (64, 2, 3, 40), (65, 3, 3, 64), (300, 2, 1, 20)] {
            let half = |step| drawn((tokens, key_heads, width), step).to_dtype(DType::F16).unwrap();
            let (keys, values) = (half(31), half(53));
            let queries = drawn((1, key_heads * group, width), 17).squeeze(0).unwrap();
            let found = of_one_token(&queries, &keys, &values, 0.3).unwrap();

            let by_heads = |rows: &Tensor| rows.to_dtype(DType::F32).unwrap().transpose(0, 1).unwrap();
            let queries = queries.reshape((key_heads, group, width)).unwrap();
            let scores = (queries.matmul(&by_heads(&keys).t().unwrap()).unwrap() * 0.3).unwrap();
            let wanted = softmax_last_dim(&scores).unwrap().matmul(&by_heads(&values)).unwrap();
            let wanted = wanted.reshape((key_heads * group, width)).unwrap();
            let apart = (found - wanted).unwrap().abs().unwrap().max(D::Minus1).unwrap().max(0).unwrap();
            let apart: f32 = apart.to_scalar().unwrap();
            assert!(apart < 1e-5, "{tokens} tokens: {apart}");
        }
    }

    #[test]
    fn tokens_before_a_window_are_left_out() {
        let (keys, values) = (drawn((9, 1, 8), 31), drawn((9, 1, 8), 53));
        let half = |rows: &Tensor| rows.to_dtype(DType::F16).unwrap();
        let queries = drawn((1, 2, 8), 17).squeeze(0).unwrap();
        let behind = |rows: &Tensor| half(rows).narrow(0, 4, 5).unwrap();
        let copied = |rows: &Tensor| half(&rows.narrow(0, 4, 5).unwrap().copy().unwrap());
        let all = |keys: &Tensor, values: &Tensor| -> Vec<Vec<f32>> {
            of_one_token(&queries, keys, values, 1.0).unwrap().to_vec2().unwrap()
        };
        assert_eq!(all(&behind(&keys), &behind(&values)), all(&copied(&keys), &copied(&values)));
        assert_ne!(all(&behind(&keys), &behind(&values)), all(&half(&keys), &half(&values)));
    }
}
