//! A quantised matrix: of 4 bits as it is, of another type by candle, with rows of the length that its fastest kernel wants.

use std::borrow::Cow;
use std::sync::Arc;

use candle_core::quantized::{GgmlDType, QMatMul, QStorage, QTensor};
use candle_core::{D, Device, Module, Result, Tensor};

use super::four_bits::FourBits;

/// Rows of this many values are multiplied in tiles; the activations are quantised in blocks of as many.
const TILE: usize = 256;

/// A matrix that multiplies rows from the right.
pub(crate) struct Matrix {
    weights: Weights,
    padded: usize,
}

enum Weights {
    FourBits(FourBits),
    /// Of a type that candle multiplies.
    Candle(QMatMul),
}

impl Matrix {
    pub(crate) fn new(tensor: Arc<QTensor>) -> Result<Self> {
        let (_, padded) = tensor.shape().dims2()?;
        let weights = match FourBits::takes(&tensor) {
            true => Weights::FourBits(FourBits::of(&tensor)?),
            false => Weights::Candle(QMatMul::from_arc(tensor)?),
        };
        Ok(Self { weights, padded })
    }

    /// The product with rows of the matrix's own width, or rows that [`Matrix::fit`] made.
    pub(crate) fn forward(&self, rows: &Tensor) -> Result<Tensor> {
        match &self.weights {
            Weights::FourBits(weights) => weights.forward(rows),
            Weights::Candle(weights) => weights.forward(&self.fit(rows)?),
        }
    }

    /// One matrix with the rows of all, where they are quantised alike and candle has no tiles for them.
    fn join<'m>(matrices: impl Iterator<Item = &'m Self> + Clone) -> Result<Option<Self>> {
        let of_four_bits = matrices.clone().map(|matrix| match &matrix.weights {
            Weights::FourBits(weights) => Some(weights),
            Weights::Candle(_) => None,
        });
        if let Some(parts) = of_four_bits.collect::<Option<Vec<_>>>() {
            let joined = FourBits::joined(&parts);
            return Ok(joined.map(|weights| Self { padded: weights.width(), weights: Weights::FourBits(weights) }));
        }
        let (mut bytes, mut rows, mut kind) = (Vec::new(), 0, None);
        for Self { weights, padded } in matrices {
            let Weights::Candle(QMatMul::QTensor(weights)) = weights else { return Ok(None) };
            let found = (weights.dtype(), *padded);
            if *kind.get_or_insert(found) != found || (has_tiles() && padded.is_multiple_of(TILE)) {
                return Ok(None);
            }
            bytes.extend_from_slice(&weights.data()?);
            rows += weights.shape().dims2()?.0;
        }
        let Some((dtype, width)) = kind else { return Ok(None) };
        let storage = QStorage::from_data(Cow::Owned(bytes), &Device::Cpu, dtype)?;
        Self::new(Arc::new(QTensor::new(storage, (rows, width))?)).map(Some)
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

    /// The product with rows of the matrix's own width, or rows that [`Matrix::fit`] made.
    pub(super) fn forward(&self, rows: &Tensor) -> Result<Tensor> {
        let product = self.matrix.forward(rows)?;
        match &self.bias {
            Some(bias) => product.broadcast_add(bias),
            None => Ok(product),
        }
    }

    /// One matrix with the rows of all, where they are quantised alike and candle has no tiles for them: one product takes less
    /// time than several. Its products by tiles share their work as they are, see [`Linear::forward_all`].
    pub(super) fn join(linears: &[Self]) -> Result<Option<Self>> {
        let biases: Vec<Tensor> = linears.iter().filter_map(|linear| linear.bias.clone()).collect();
        if !biases.is_empty() && biases.len() != linears.len() {
            return Ok(None);
        }
        let Some(matrix) = Matrix::join(linears.iter().map(|linear| &linear.matrix))? else { return Ok(None) };
        let bias = if biases.is_empty() { None } else { Some(Tensor::cat(&biases, 0)?) };
        Ok(Some(Self { matrix, bias }))
    }

    /// The products of several with the same rows. Where candle has a kernel for it, the rows are quantised once for all.
    pub(super) fn forward_all(linears: &[Self], rows: &Tensor) -> Result<Vec<Tensor>> {
        let Some(first) = linears.first() else { return Ok(Vec::new()) };
        let fitted = first.matrix.fit(rows)?;
        let weights = linears.iter().map(|linear| match &linear.matrix.weights {
            Weights::Candle(QMatMul::QTensor(weights)) if linear.bias.is_none() => Some(&**weights),
            _ => None,
        });
        if let Some(weights) = weights.collect::<Option<Vec<_>>>()
            && let Some(products) = QTensor::gemv_fused_shared_lhs(&weights, &fitted)?
        {
            return Ok(products);
        }
        // Matrices of one layer may be quantised differently, and only some of them be filled up.
        let own = |linear: &Self| if linear.matrix.padded == first.matrix.padded { &fitted } else { rows };
        linears.iter().map(|linear| linear.forward(own(linear))).collect()
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
