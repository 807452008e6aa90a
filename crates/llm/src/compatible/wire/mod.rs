//! The wire of chat completions as pure functions between bytes and types.

mod decode;
mod encode;
mod error;
mod retry_after;
mod stream;

pub(super) use decode::decode_body;
pub(super) use encode::encode;
pub(super) use error::{Failure, error_of};
pub(super) use retry_after::retry_after;
pub(super) use stream::decode_events;
