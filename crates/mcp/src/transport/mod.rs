//! How a server is reached: a program on this machine, or an address.

mod beginning;
mod child;
mod events;
mod hearing;
mod http;
mod legible;
mod lines;
mod post;
mod pretty;
mod stdio;
mod waiting;

pub use child::passed_on;
pub(crate) use child::{Child, start};
pub(crate) use hearing::{Hearing, raw};
pub(crate) use http::{client, has_authorization};
pub(crate) use lines::TOO_LONG;
pub(crate) use stdio::Standard;

/// The code of the error that takes the place of an answer that cannot be read.
pub(crate) const UNREADABLE: i32 = -32_097;
