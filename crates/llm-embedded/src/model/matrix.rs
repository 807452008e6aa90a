//! A quantised matrix whose rows have the length that candle's fastest kernel wants.

use std::borrow::Cow;
use std::sync::Arc;

use candle_core::quantized::{GgmlDType, QMatMul, QStorage, QTensor};
use candle_core::{D, Device, Module, Result, Tensor};

/// Rows of this many values are multiplied in tiles; the activations are quantised in blocks of as many.
const TILE: usize = 256;

/// A matrix that multiplies rows from the right.
pub(crate) struct Matrix {
    weights: QMatMul,
    padded: usize,
}

impl Matrix {
    pub(crate) fn new(tensor: Arc<QTensor>) -> Result<Self> {
        let (_, padded) = tensor.shape().dims2()?;
        Ok(Self { weights: QMatMul::from_arc(tensor)?, padded })
    }

    /// The product with rows of the matrix's own width, or rows that [`Matrix::fit`] made.
    pub(crate) fn forward(&self, rows: &Tensor) -> Result<Tensor> {
        self.weights.forward(&self.fit(rows)?)
    }

    /// Rows with zeros at their ends, to be used with several matrices of one width.
    pub(crate) fn fit(&self, rows: &Tensor) -> Result<Tensor> {
        match self.padded.saturating_sub(rows.dim(D::Minus1)?) {
            0 => Ok(rows.clone()),
            missing => rows.pad_with_zeros(D::Minus1, 0, missing),
        }
    }
}

/// A matrix, and what is added to its products.
pub(super) struct Linear {
    matrix: Matrix,
    bias: Option<Tensor>,
}

impl Linear {
    pub(super) fn new(matrix: Matrix, bias: Option<Tensor>) -> Self {
        Self { matrix, bias }
    }

    /// The product with rows of the matrix's own width, or rows that [`Linear::fit`] made.
    pub(super) fn forward(&self, rows: &Tensor) -> Result<Tensor> {
        let product = self.matrix.forward(rows)?;
        match &self.bias {
            Some(bias) => product.broadcast_add(bias),
            None => Ok(product),
        }
    }

    /// The width of the rows that it is multiplied with.
    pub(super) fn width(&self) -> usize {
        self.matrix.padded
    }

    /// See [`Matrix::fit`].
    pub(super) fn fit(&self, rows: &Tensor) -> Result<Tensor> {
        self.matrix.fit(rows)
    }
}

/// The length of rows of `width` values on this machine.
///
/// candle has a kernel for `Q8_0` that is several times faster than its general one; it needs the processor's vector neural
/// network instructions and whole tiles.
pub(crate) fn padded_width(width: usize) -> usize {
    if has_tiles() { width.next_multiple_of(TILE) } else { width }
}

#[cfg(target_arch = "x86_64")]
fn has_tiles() -> bool {
    let wide = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni");
    wide || (is_x86_feature_detected!("avxvnni") && is_x86_feature_detected!("avx2"))
}

#[cfg(not(target_arch = "x86_64"))]
fn has_tiles() -> bool {
    false
}

/// The matrix with zeros at the ends of its rows, up to [`padded_width`].
pub(crate) fn padded(matrix: QTensor) -> Result<QTensor> {
    let (rows, width) = matrix.shape().dims2()?;
    let dtype = matrix.dtype();
    let padded = padded_width(width);
    if dtype != GgmlDType::Q8_0 || padded == width {
        return Ok(matrix);
    }
    let row = |values: usize| values / dtype.block_size() * dtype.type_size();
    let mut bytes = vec![0_u8; rows * row(padded)];
    let data = matrix.data()?;
    for (to, from) in bytes.chunks_exact_mut(row(padded)).zip(data.chunks_exact(row(width))) {
        to[..from.len()].copy_from_slice(from);
    }
    QTensor::new(QStorage::from_data(Cow::Owned(bytes), &Device::Cpu, dtype)?, (rows, padded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_do_not_change_a_product() {
        let weights: Vec<f32> = (0..16 * 288).map(|index| ((index * 37 % 101) as f32 - 50.0) / 50.0).collect();
        let weights = Tensor::from_vec(weights, (16, 288), &Device::Cpu).unwrap();
        let rows: Vec<f32> = (0..3 * 288).map(|index| ((index * 53 % 89) as f32 - 44.0) / 44.0).collect();
        let rows = Tensor::from_vec(rows, (3, 288), &Device::Cpu).unwrap();
        let wanted: Vec<Vec<f32>> = rows.matmul(&weights.t().unwrap()).unwrap().to_vec2().unwrap();
        let quantized = padded(QTensor::quantize(&weights, GgmlDType::Q8_0).unwrap()).unwrap();
        assert_eq!(quantized.shape().dims(), [16, padded_width(288)]);
        let found: Vec<Vec<f32>> = Matrix::new(Arc::new(quantized)).unwrap().forward(&rows).unwrap().to_vec2().unwrap();
        for (found, wanted) in found.iter().flatten().zip(wanted.iter().flatten()) {
            assert!((found - wanted).abs() < 0.5, "{found} and {wanted}");
        }
    }
}
