//! Matrices of weights in 4 bits (`Q4_0` and `Q4_1` of GGUF), multiplied as they are.
//!
//! candle multiplies these types element by element. Quantised anew to 8 bits, they took twice the memory, and a token twice the
//! reading of it.
//!
//! - `tiles.rs`: how the weights lie in memory.
//! - `activations.rs`: what they are multiplied by, in 8 bits.
//! - `product.rs`: the product.

mod activations;
mod product;
mod tiles;

pub(super) use tiles::FourBits;

/// So many weights of a row have one step between their values, as the format has them, and so have activations.
const BLOCK: usize = 32;
