//! Activations in 8 bits, as llama.cpp has them in a product with weights of 4 bits (its `Q8_1`).

use super::BLOCK;

/// The largest quant.
const MOST: f32 = 127.0;

/// Rows of activations. The value at a place is about `step * quant`.
pub(super) struct Activations {
    width: usize,
    /// Between -127 and 127, in the width in which they are multiplied.
    quants: Vec<i16>,
    /// The steps of the blocks.
    steps: Vec<f32>,
    /// The sums of the blocks.
    sums: Vec<f32>,
}

/// One row of them.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) quants: &'a [i16],
    pub(super) steps: &'a [f32],
    pub(super) sums: &'a [f32],
}

impl Activations {
    #[inline(always)]
    pub(super) fn of(values: &[f32], width: usize) -> Self {
        let blocks = values.len() / BLOCK;
        let mut made = Self {
            width,
            quants: vec![0; values.len()],
            steps: Vec::with_capacity(blocks),
            sums: Vec::with_capacity(blocks),
        };
        let (values, _) = values.as_chunks::<BLOCK>();
        let (quants, _) = made.quants.as_chunks_mut::<BLOCK>();
        for (values, quants) in values.iter().zip(quants) {
            let most = values.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
            let step = most / MOST;
            let scale = if most > 0.0 { MOST / most } else { 0.0 };
            let mut sum = 0_i32;
            for (quant, value) in quants.iter_mut().zip(values) {
                *quant = (value * scale).round_ties_even() as i16;
                sum += i32::from(*quant);
            }
            made.steps.push(step);
            made.sums.push(step * sum as f32);
        }
        made
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.quants.len() / self.width
    }

    pub(super) fn row(&self, at: usize) -> Row<'_> {
        let blocks = self.width / BLOCK;
        Row {
            quants: &self.quants[at * self.width..][..self.width],
            steps: &self.steps[at * blocks..][..blocks],
            sums: &self.sums[at * blocks..][..blocks],
        }
    }
}
