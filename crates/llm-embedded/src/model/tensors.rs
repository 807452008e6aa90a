//! The tensors of a file, taken one by one, so that none is left out unseen.

use std::collections::HashMap;
use std::sync::Arc;

use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Tensor};

use super::Gguf;
use super::matrix::{Linear, Matrix, padded_width};
use crate::EmbeddedError;

/// The tensors of a file that have no place in the network yet.
pub(super) struct Tensors<'g> {
    gguf: &'g Gguf,
    left: HashMap<String, QTensor>,
}

impl<'g> Tensors<'g> {
    /// Reads all tensors of a file.
    pub(super) fn read(gguf: &'g Gguf) -> Result<Self, EmbeddedError> {
        let names = gguf.tensor_names();
        let tensors = gguf.tensors(&names)?;
        Ok(Self { gguf, left: names.into_iter().zip(tensors).collect() })
    }

    /// Whether the tensor is there and not taken.
    pub(super) fn has(&self, name: &str) -> bool {
        self.left.contains_key(name)
    }

    /// A matrix of `rows` rows that are `width` wide.
    pub(super) fn matrix(&mut self, name: &str, rows: usize, width: usize) -> Result<Arc<QTensor>, EmbeddedError> {
        let tensor = self.take(name)?;
        let is_padded = tensor.dtype() == GgmlDType::Q8_0;
        match tensor.shape().dims() {
            &[found, wide] if found == rows && (wide == width || (is_padded && wide == padded_width(width))) => {
                Ok(Arc::new(tensor))
            }
            found => Err(self.gguf.fault(format!("tensor `{name}` has the shape {found:?}, not [{rows}, {width}]"))),
        }
    }

    /// A matrix with as many rows as it has.
    pub(super) fn rows(&mut self, name: &str, width: usize) -> Result<(usize, Arc<QTensor>), EmbeddedError> {
        let rows = self.left.get(name).and_then(|tensor| tensor.shape().dims().first().copied()).unwrap_or(0);
        Ok((rows, self.matrix(name, rows, width)?))
    }

    /// The matrix `NAME.weight` with its `NAME.bias`, where it has one.
    pub(super) fn linear(&mut self, name: &str, rows: usize, width: usize) -> Result<Linear, EmbeddedError> {
        let weights = self.matrix(&format!("{name}.weight"), rows, width)?;
        let weights = Matrix::new(weights).map_err(|error| self.gguf.fault(error.to_string()))?;
        Ok(Linear::new(weights, self.optional_vector(&format!("{name}.bias"), rows)?))
    }

    /// A vector of `length` values.
    pub(super) fn vector(&mut self, name: &str, length: usize) -> Result<Tensor, EmbeddedError> {
        let tensor = self.take(name)?;
        if tensor.shape().dims() != [length] {
            let found = tensor.shape().dims();
            return Err(self.gguf.fault(format!("tensor `{name}` has the shape {found:?}, not [{length}]")));
        }
        tensor.dequantize(&Device::Cpu).map_err(|error| self.gguf.fault(error.to_string()))
    }

    /// A vector that a file may lack.
    pub(super) fn optional_vector(&mut self, name: &str, length: usize) -> Result<Option<Tensor>, EmbeddedError> {
        self.has(name).then(|| self.vector(name, length)).transpose()
    }

    /// The values of a vector that a file may lack.
    pub(super) fn optional_values(&mut self, name: &str, length: usize) -> Result<Option<Vec<f32>>, EmbeddedError> {
        let vector = self.optional_vector(name, length)?;
        let values = vector.map(|vector| vector.to_vec1().map_err(|error| self.gguf.fault(error.to_string())));
        values.transpose()
    }

    /// Refuses a file with tensors that the network has no place for: what it computed would be something else.
    pub(super) fn finish(self) -> Result<(), EmbeddedError> {
        match self.left.keys().min() {
            Some(name) => Err(self.gguf.unsupported(format!("this engine has no place for its tensor `{name}`"))),
            None => Ok(()),
        }
    }

    /// A fault of the file, as candle tells it.
    pub(super) fn fault(&self, error: &candle_core::Error) -> EmbeddedError {
        self.gguf.fault(error.to_string())
    }

    fn take(&mut self, name: &str) -> Result<QTensor, EmbeddedError> {
        self.left.remove(name).ok_or_else(|| self.gguf.fault(format!("there is no tensor `{name}`")))
    }
}
