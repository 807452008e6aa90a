//! The network: a GGUF file of the llama architecture on candle's quantised tensors.

mod cache;
mod gguf;
mod llama;
mod matrix;

pub(crate) use cache::Cache;
pub(crate) use gguf::Gguf;
pub(crate) use llama::Llama;
