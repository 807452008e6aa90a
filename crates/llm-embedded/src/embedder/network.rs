//! The network: candle's BERT with the weights of the file.

use std::path::Path;

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config, HiddenAct};

use crate::EmbeddedError;

pub(super) struct Network {
    bert: BertModel,
}

impl Network {
    /// How many numbers a vector has.
    pub(super) const DIMENSION: usize = 384;

    pub(super) fn load(path: &Path) -> std::result::Result<Self, EmbeddedError> {
        let fault =
            |error: candle_core::Error| EmbeddedError::Network { path: path.to_owned(), message: error.to_string() };
        let bytes = std::fs::read(path).map_err(EmbeddedError::io("read", path))?;
        let weights = VarBuilder::from_buffered_safetensors(bytes, DType::F32, &Device::Cpu).map_err(fault)?;
        let config = Config {
            hidden_size: Self::DIMENSION,
            num_hidden_layers: 6,
            num_attention_heads: 12,
            intermediate_size: 1536,
            hidden_act: HiddenAct::Gelu,
            ..Config::default()
        };
        Ok(Self { bert: BertModel::load(weights, &config).map_err(fault)? })
    }

    /// The sum of the last layer over the tokens of each window. The windows have one length.
    pub(super) fn sums(&self, windows: &[&[u32]]) -> Result<Vec<Vec<f32>>> {
        let length = windows.first().map_or(0, |window| window.len());
        let ids = Tensor::from_vec(windows.concat(), (windows.len(), length), &Device::Cpu)?;
        self.bert.forward(&ids, &ids.zeros_like()?, None)?.sum(1)?.to_vec2()
    }
}
