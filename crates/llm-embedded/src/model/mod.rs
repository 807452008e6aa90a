//! The network: a GGUF file on candle's quantised tensors.

mod architecture;
mod cache;
mod gguf;
mod layer;
mod mask;
mod matrix;
mod network;
mod rotation;
mod tensors;

pub(crate) use cache::Cache;
pub(crate) use gguf::Gguf;
pub(crate) use network::Network;
