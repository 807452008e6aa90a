//! How a server is reached: a program on this machine, or an address.

mod child;
mod http;
mod lines;

pub use child::passed_on;
pub(crate) use child::{Child, start};
pub(crate) use http::{client, has_authorization};
pub(crate) use lines::TOO_LONG;
