//! A vault at its public boundary.

mod scale;
mod vault;
