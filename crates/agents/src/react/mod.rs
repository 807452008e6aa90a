//! An agent as a graph: the model, its tools beside each other, the model again.
//!
//! ```text
//! START ──► model ──► dispatch ══► tool × calls ──► dispatch ──► … ──► model ──► END
//!           model ──► compact ──► model
//! ```
//!
//! - A call is a task of its own. Its outcome is a durable step, so a tool that ran is not run again after a kill.
//! - Before a call of a risky tool, or of one that [must](crate::Tool::must_ask) be asked for, the run waits for a person:
//!   the question [`APPROVAL`] with a [`Confirmation`](crate::Confirmation), answered with a [`Decision`](crate::Decision).
//! - Calls that only read run beside each other, under the limit of `tool`; one that changes something waits for those
//!   before it and runs alone.
//! - The state keeps everything; what the model reads is made of it for each turn, with old results shortened until it
//!   fits into half of the model's window. Where that is not enough, the node `compact` has the oldest turns summarised: the
//!   summary is part of the state, and the event [`COMPACTED`] tells of it.
//!
//! [`converse()`](crate::converse()) is the same loop inside of one node, without approvals that wait.

mod graph;
mod nodes;
mod resources;
mod state;
mod view;

pub use graph::{APPROVAL, COMPACT, COMPACTED, DISPATCH, MODEL, NAME, TOOL, graph, graph_with};
pub(crate) use graph::{CALLS, PARALLEL};
pub use nodes::{compact, dispatch, model, tool};
pub use resources::ReactResources;
pub use state::{Assignment, MadeCall, ReactState, ReactStateUpdate, ToolTask, TurnRecord};
