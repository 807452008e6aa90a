//! The nodes of the agent.

mod dispatch;
mod model;
mod tool;

pub use dispatch::dispatch;
pub use model::model;
pub use tool::tool;
