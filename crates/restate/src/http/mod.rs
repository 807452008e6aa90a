//! Connections between processes: HTTP/2, over which many wait together.

mod client;
mod listen;

pub(crate) use client::client;
pub(crate) use listen::{listen, serve};
