//! The nodes of the graph, one a file.

mod analyze;
mod apply;
mod assess;
mod clock;
mod complete;
mod ending;
mod error;
mod execute;
mod initialize;
mod reflect;
mod review;
mod search;
mod simple;
mod visit;

pub(crate) use analyze::analyze;
pub(crate) use apply::apply;
pub use apply::transaction_name;
pub(crate) use assess::assess;
pub(crate) use complete::complete;
pub(crate) use error::error;
pub(crate) use execute::execute;
pub(crate) use initialize::initialize;
pub(crate) use reflect::reflect;
pub(crate) use review::review;
pub(crate) use search::search;
pub(crate) use simple::simple;
