//! The nodes of the agent.

mod compact;
mod dispatch;
mod model;
mod tool;

pub use compact::compact;
pub use dispatch::dispatch;
pub use model::model;
pub use tool::tool;
