//! The nodes of the graph, one a file, for graphs of one's own over a [`WorkflowState`](crate::WorkflowState), and
//! [`visit()`], which makes a node of the work of a phase.

mod analyze;
mod apply;
mod assess;
mod complete;
mod error;
mod execute;
mod initialize;
mod iteration_clock;
mod reflect;
mod review;
mod search;
mod simple;
mod stop_reason;
mod visit;

pub use analyze::analyze;
pub use apply::{apply, transaction_name};
pub use assess::assess;
pub use complete::complete;
pub use error::error;
pub use execute::execute;
pub use initialize::initialize;
pub use reflect::reflect;
pub use review::review;
pub use search::search;
pub use simple::simple;
pub use visit::{Report, Visit, visit};
