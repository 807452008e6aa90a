//! The network: a GGUF file on candle's tensors, with products of its own for weights of 4 bits.

mod architecture;
mod cache;
mod four_bits;
mod gguf;
mod layer;
mod mask;
mod matrix;
mod network;
mod rotation;
mod tensors;
mod token_attention;

pub(crate) use cache::Cache;
pub(crate) use gguf::Gguf;
pub(crate) use network::Network;
