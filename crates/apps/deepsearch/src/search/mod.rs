//! Where documents come from: the engines of the web and the local ones, told apart, and recorded where a run is.

mod engines;
mod open;
mod recorded;
mod retrieved;

pub use engines::Engines;
pub use open::{OpenedWeb, configured_engines, network_options, open_web};
pub use retrieved::Retrieved;
