//! How weights of 4 bits lie in memory: rows side by side, so that one vector instruction is for many rows.

use std::ops::Range;

use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Result, bail};
use half::f16;

use super::BLOCK;

/// The rows of a tile.
pub(super) const ROWS: usize = 32;
/// The weights of one row in a word of 16 bits.
pub(super) const IN_WORD: usize = 4;
/// The words of a row in a tile.
pub(super) const WORDS: usize = BLOCK / IN_WORD;
/// The bytes of the quants of a block in a file, which hold its first half in their lower bits and its second in the higher.
const QUANTS: usize = BLOCK / 2;

/// A block of each of [`ROWS`] rows. The weight at a place is `least + step * quant`.
#[derive(Clone)]
pub(super) struct Tile {
    /// Bits of 16-bit floats.
    pub(super) steps: [u16; ROWS],
    pub(super) least: [u16; ROWS],
    /// By word and row: the quants at four places in a row, the first in the lowest bits.
    pub(super) words: [[u16; ROWS]; WORDS],
}

/// A matrix of weights in 4 bits.
pub(in super::super) struct FourBits {
    rows: usize,
    width: usize,
    /// Those of the first rows come first; within them, those of the first columns.
    tiles: Vec<Tile>,
}

impl FourBits {
    /// Whether the weights of a matrix are of 4 bits, in rows of whole blocks.
    pub(in super::super) fn takes(matrix: &QTensor) -> bool {
        let is_whole = matrix.shape().dims().last().is_some_and(|width| width.is_multiple_of(BLOCK));
        is_whole && matches!(matrix.dtype(), GgmlDType::Q4_0 | GgmlDType::Q4_1)
    }

    /// The weights of a matrix that it [takes](Self::takes).
    pub(in super::super) fn of(matrix: &QTensor) -> Result<Self> {
        let (rows, width) = matrix.shape().dims2()?;
        let size = match matrix.dtype() {
            GgmlDType::Q4_0 => 2 + QUANTS,
            GgmlDType::Q4_1 => 4 + QUANTS,
            other => bail!("a matrix of {other:?} is not one of 4 bits"),
        };
        let blocks = width / BLOCK;
        let empty = Tile { steps: [0; ROWS], least: [0; ROWS], words: [[0; ROWS]; WORDS] };
        let mut tiles = vec![empty; rows.div_ceil(ROWS) * blocks];
        for (at, block) in matrix.data()?.chunks_exact(size).enumerate() {
            let (row, column) = (at / blocks, at % blocks);
            let (head, quants) = block.split_at(size - QUANTS);
            if !tiles[row / ROWS * blocks + column].set(row % ROWS, head, quants) {
                bail!("the block {column} of row {row} has a step that is no number")
            }
        }
        Ok(Self { rows, width, tiles })
    }

    /// One matrix with the rows of all; `None` where the rows of one do not fill its tiles.
    pub(in super::super) fn joined(matrices: &[&Self]) -> Option<Self> {
        let width = matrices.first()?.width;
        let fits = |matrix: &&Self| matrix.width == width && matrix.rows.is_multiple_of(ROWS);
        if !matrices.iter().all(fits) {
            return None;
        }
        let rows = matrices.iter().map(|matrix| matrix.rows).sum();
        let tiles = matrices.iter().flat_map(|matrix| matrix.tiles.iter().cloned()).collect();
        Some(Self { rows, width, tiles })
    }

    pub(in super::super) fn rows(&self) -> usize {
        self.rows
    }

    pub(in super::super) fn width(&self) -> usize {
        self.width
    }

    /// The tiles of the rows with these numbers, counted in [`ROWS`].
    pub(super) fn tiles(&self, of: Range<usize>) -> &[Tile] {
        let blocks = self.width / BLOCK;
        &self.tiles[of.start * blocks..of.end * blocks]
    }
}

impl Tile {
    /// Takes the block of one row, if its numbers are finite. Without a least weight of its own it is eight steps below zero.
    fn set(&mut self, row: usize, head: &[u8], quants: &[u8]) -> bool {
        let float = |bytes: &[u8]| f16::from_le_bytes([bytes[0], bytes[1]]);
        let step = float(head);
        let least = if head.len() > 2 { float(&head[2..]) } else { f16::from_f32(-8.0 * step.to_f32()) };
        self.steps[row] = step.to_bits();
        self.least[row] = least.to_bits();
        for place in 0..BLOCK {
            let byte = quants[place % QUANTS];
            let quant = if place < QUANTS { byte & 15 } else { byte >> 4 };
            self.words[place / IN_WORD][row] |= u16::from(quant) << (place % IN_WORD * 4);
        }
        step.is_finite() && least.is_finite()
    }
}
