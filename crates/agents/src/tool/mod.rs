//! Tools: what a model can ask for, and the rules under which it gets it.

mod arguments;
mod confirm;
mod contract;
mod error;
mod failed_calls;
mod outcome;
mod registry;
mod risk;
mod typed;

pub use confirm::{Confirm, Confirmation, Decision};
pub use contract::{Tool, ToolOutput, ToolSource};
pub use error::ToolError;
pub use failed_calls::FailedCalls;
pub(crate) use failed_calls::fingerprint;
pub use outcome::ToolOutcome;
pub use registry::ToolRegistry;
pub use risk::Risk;
pub use typed::{TypedTool, typed};
