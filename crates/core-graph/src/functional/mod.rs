//! Durable functions: an async function as a graph of one node, and tasks beside each other inside it.

mod body;
mod entry;
mod state;
mod task;

pub use body::{EntryBody, Final};
pub use entry::{EntryPoint, entry_point};
pub use state::{EntryState, EntryUpdate, EntryValue};
pub use task::TaskFuture;
