//! The product of activations with weights of 4 bits.
//!
//! Quants are multiplied in 16 bits: 16 products of at most 15 * 127 are added up before they are widened. A result is the same
//! however the rows are grouped and whatever vector instructions the processor has.

use std::sync::{LazyLock, Mutex, PoisonError};

use candle_core::utils::barrier_pool;
use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor, bail};
use pulp::{Arch, NullaryFnOnce};

use super::BLOCK;
use super::activations::{Activations, Row};
use super::tiles::{FourBits, IN_WORD, ROWS, Tile, WORDS};

/// So many rows of activations are multiplied at once, so that weights are unpacked once for all of them.
const AT_ONCE: usize = 4;
/// A thread takes at most so many rows of activations at a time.
const SHARE: usize = 32;
/// The words of a tile whose products fit into 16 bits together.
const HALF: usize = WORDS / 2;
/// 2^112: what the bits of a 16-bit float are short of when they are read as one of 32 bits.
const FROM_HALF: f32 = f32::from_bits((112 + 127) << 23);

impl FourBits {
    /// The products with rows of its width.
    pub(in super::super) fn forward(&self, rows: &Tensor) -> Result<Tensor> {
        rows.contiguous()?.apply_op1_no_bwd(&Product(self))
    }

    /// Writes the products of all rows of `values`.
    fn multiply(&self, values: &[f32], products: &mut [f32]) {
        let arch = Arch::new();
        let activations = |values| arch.dispatch(Rounding { values, width: self.width() });
        if values.len() == self.width() {
            let activations = &activations(values);
            in_shares(products, ROWS, |at, products| {
                arch.dispatch(Multiplying { tiles: self.tiles(at..at + 1), activations, products });
            });
            return;
        }
        let count = values.len() / self.width();
        let share = count.div_ceil(*THREADS).clamp(1, SHARE);
        in_shares(products, share * self.rows(), |at, products| {
            let values = &values[at * share * self.width()..][..products.len() / self.rows() * self.width()];
            let tiles = self.tiles(0..self.rows().div_ceil(ROWS));
            arch.dispatch(Multiplying { tiles, activations: &activations(values), products });
        });
    }
}

struct Product<'a>(&'a FourBits);

impl CustomOp1 for Product<'_> {
    fn name(&self) -> &'static str {
        "product-with-4-bits"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let Some((start, end)) = layout.contiguous_offsets() else { bail!("a product needs rows that lie in a row") };
        let values = &storage.as_slice::<f32>()?[start..end];
        let mut dims = layout.dims().to_vec();
        match dims.last_mut() {
            Some(width) if *width == self.0.width() => *width = self.0.rows(),
            _ => bail!("rows of the shape {:?} do not fit a matrix that is {} wide", layout.dims(), self.0.width()),
        }
        let mut products = vec![0.0; values.len() / self.0.width() * self.0.rows()];
        self.0.multiply(values, &mut products);
        Ok((CpuStorage::F32(products), dims.into()))
    }
}

/// The threads that work on a product. The system is asked once, as it reads files for it.
static THREADS: LazyLock<usize> = LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));

/// Calls `work` on all threads, with each piece of `size` values and its number.
fn in_shares(values: &mut [f32], size: usize, work: impl Fn(usize, &mut [f32]) + Sync) {
    let shares: Vec<Mutex<&mut [f32]>> = values.chunks_mut(size).map(Mutex::new).collect();
    barrier_pool().execute_chunked(shares.len(), |range| {
        for at in range {
            work(at, &mut shares[at].lock().unwrap_or_else(PoisonError::into_inner));
        }
    });
}

/// Rounds activations to 8 bits, compiled for the vector instructions that the processor has.
struct Rounding<'a> {
    values: &'a [f32],
    width: usize,
}

impl NullaryFnOnce for Rounding<'_> {
    type Output = Activations;

    #[inline(always)]
    fn call(self) -> Activations {
        Activations::of(self.values, self.width)
    }
}

/// Writes the products of all rows of activations with all rows of the tiles, compiled for the vector instructions that the
/// processor has.
struct Multiplying<'a> {
    tiles: &'a [Tile],
    activations: &'a Activations,
    /// One row of products for each row of activations.
    products: &'a mut [f32],
}

impl NullaryFnOnce for Multiplying<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { tiles, activations, products } = self;
        let count = activations.len();
        let stride = products.len() / count;
        let blocks = activations.row(0).steps.len();
        for (first, tiles) in (0..).step_by(ROWS).zip(tiles.chunks_exact(blocks)) {
            let rows = ROWS.min(stride - first);
            let mut at = 0;
            while at < count {
                let whole = at + AT_ONCE <= count;
                if whole {
                    let found = of_tiles::<AT_ONCE>(tiles, std::array::from_fn(|next| activations.row(at + next)));
                    for (next, found) in found.iter().enumerate() {
                        products[(at + next) * stride + first..][..rows].copy_from_slice(&found[..rows]);
                    }
                } else {
                    let [found] = of_tiles::<1>(tiles, [activations.row(at)]);
                    products[at * stride + first..][..rows].copy_from_slice(&found[..rows]);
                }
                at += if whole { AT_ONCE } else { 1 };
            }
        }
    }
}

/// The products of some rows of activations with the rows of the tiles.
#[inline(always)]
fn of_tiles<const N: usize>(tiles: &[Tile], rows: [Row<'_>; N]) -> [[f32; ROWS]; N] {
    let mut products = [[0.0; ROWS]; N];
    for (block, tile) in tiles.iter().enumerate() {
        let quants: [&[i16; BLOCK]; N] =
            std::array::from_fn(|row| rows[row].quants[block * BLOCK..].first_chunk().unwrap_or(&[0; BLOCK]));
        let sums = quants_of_tile(tile, quants);
        let (mut steps, mut least) = ([0.0; ROWS], [0.0; ROWS]);
        for row in 0..ROWS {
            steps[row] = float(tile.steps[row]);
            least[row] = float(tile.least[row]);
        }
        for ((products, sums), row) in products.iter_mut().zip(&sums).zip(&rows) {
            let (step, sum) = (row.steps[block], row.sums[block]);
            for at in 0..ROWS {
                products[at] += sums[at] as f32 * steps[at] * step + least[at] * sum;
            }
        }
    }
    products
}

/// The products of the quants alone.
#[inline(always)]
fn quants_of_tile<const N: usize>(tile: &Tile, quants: [&[i16; BLOCK]; N]) -> [[i32; ROWS]; N] {
    let mut sums = [[0_i32; ROWS]; N];
    for half in 0..WORDS / HALF {
        let mut short = [[0_i16; ROWS]; N];
        for word in half * HALF..(half + 1) * HALF {
            let quants = quants.map(|quants| &quants[word * IN_WORD..][..IN_WORD]);
            // One loop over the rows that does enough for the compiler to make it one of vector instructions.
            for row in 0..ROWS {
                let bits = tile.words[word][row];
                for (short, quants) in short.iter_mut().zip(quants) {
                    for (place, quant) in quants.iter().enumerate() {
                        let weight = (bits >> (4 * place) & 15) as i16;
                        short[row] = short[row].wrapping_add(weight.wrapping_mul(*quant));
                    }
                }
            }
        }
        for (sums, short) in sums.iter_mut().zip(&short) {
            for row in 0..ROWS {
                sums[row] += i32::from(short[row]);
            }
        }
    }
    sums
}

/// A float of 16 bits, of those that are finite.
#[inline(always)]
fn float(bits: u16) -> f32 {
    let size = f32::from_bits(u32::from(bits & 0x7fff) << 13) * FROM_HALF;
    f32::from_bits(size.to_bits() | u32::from(bits & 0x8000) << 16)
}

#[cfg(test)]
mod tests {
    use candle_core::Device;
    use candle_core::quantized::{GgmlDType, QTensor};
    use half::f16;

    use super::*;

    fn drawn(rows: usize, width: usize, step: usize) -> Tensor {
        let values: Vec<f32> = (0..rows * width).map(|at| ((at * step % 1009) as f32 - 500.0) / 400.0).collect();
        Tensor::from_vec(values, (rows, width), &Device::Cpu).unwrap()
    }

    fn apart(one: &Tensor, other: &Tensor) -> f32 {
        (one - other).unwrap().abs().unwrap().max_all().unwrap().to_scalar().unwrap()
    }

    #[test]
    fn a_product_is_that_of_the_weights_within_the_rounding_of_8_bits() {
        for dtype in [GgmlDType::Q4_0, GgmlDType::Q4_1] {
            for (count, rows, width) in
                [(1, 32, 32), (1, 100, 64), (2, 64, 96), (4, 64, 64), (9, 33, 64), (75, 192, 576)]
            {
                let weights = QTensor::quantize(&drawn(rows, width, 37), dtype).unwrap();
                let activations = drawn(count, width, 53);
                let found = FourBits::of(&weights).unwrap().forward(&activations).unwrap();
                let exact = weights.dequantize(&Device::Cpu).unwrap();
                let wanted = activations.matmul(&exact.t().unwrap()).unwrap();
                let bound = 0.02 * (width as f32).sqrt();
                assert!(
                    apart(&found, &wanted) < bound,
                    "{dtype:?} {count}, {rows}, {width}: {}",
                    apart(&found, &wanted)
                );
            }
        }
    }

    #[test]
    fn a_row_has_the_same_product_alone_and_among_others() {
        let weights = FourBits::of(&QTensor::quantize(&drawn(96, 128, 37), GgmlDType::Q4_1).unwrap()).unwrap();
        let rows = drawn(11, 128, 53);
        let together: Vec<Vec<f32>> = weights.forward(&rows).unwrap().to_vec2().unwrap();
        for (at, together) in together.iter().enumerate() {
            let alone: Vec<Vec<f32>> = weights.forward(&rows.narrow(0, at, 1).unwrap()).unwrap().to_vec2().unwrap();
            assert_eq!(alone[0], *together, "row {at}");
        }
    }

    #[test]
    fn no_rows_have_no_products() {
        let weights = FourBits::of(&QTensor::quantize(&drawn(32, 32, 37), GgmlDType::Q4_0).unwrap()).unwrap();
        assert_eq!(weights.forward(&drawn(0, 32, 1)).unwrap().dims(), [0, 32]);
    }

    #[test]
    fn the_largest_quants_do_not_overflow() {
        let (weights, rows) = (vec![15.0_f32; 32 * 32], vec![127.0_f32; 32]);
        let weights = Tensor::from_vec(weights, (32, 32), &Device::Cpu).unwrap();
        let mut first = weights.to_vec2::<f32>().unwrap();
        first.iter_mut().for_each(|row| row[0] = 0.0);
        let weights = Tensor::new(first, &Device::Cpu).unwrap();
        let weights = FourBits::of(&QTensor::quantize(&weights, GgmlDType::Q4_1).unwrap()).unwrap();
        let rows = Tensor::from_vec(rows, (1, 32), &Device::Cpu).unwrap();
        let found: Vec<Vec<f32>> = weights.forward(&rows).unwrap().to_vec2().unwrap();
        assert!(found[0].iter().all(|value| (value - 31.0 * 15.0 * 127.0).abs() < 60.0), "{:?}", found[0]);
    }

    #[test]
    fn floats_of_16_bits_are_read() {
        for value in [0.0_f32, -0.0, 1.0, -1.5, 6.1e-5, 5.96e-8, -3.0e-6, 65504.0, 0.1] {
            let bits = f16::from_f32(value);
            assert_eq!(float(bits.to_bits()).to_bits(), bits.to_f32().to_bits(), "{value}");
        }
    }
}
