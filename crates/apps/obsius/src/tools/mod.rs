//! The tools with which a model works on a vault.
//!
//! They work on a [`Bench`]: the vault with the changes of a run, which later calls and searches see. Nothing touches the
//! disk. Each tool says in plain words what it found or changed, and gives programs paths, hashes and counts.

mod backlinks;
mod bench;
mod create_note;
mod delete_note;
mod list_notes;
mod merge_notes;
mod move_note;
mod names;
mod read_note;
mod search_notes;
mod tags;
mod update_note;

use graphloom_agents::{AgentError, Risk, ToolRegistry, typed};

pub use bench::Bench;

/// The names of the tools, in the order the model reads them.
pub const NAMES: [&str; 10] = [
    "search_notes",
    "read_note",
    "list_notes",
    "backlinks",
    "tags",
    "create_note",
    "update_note",
    "move_note",
    "merge_notes",
    "delete_note",
];

/// The ten tools on a bench; those that can change more than `ceiling` are hidden from the model and refused.
///
/// # Errors
/// None that a caller can cause: a tool whose schema is none would be told.
pub fn registry(bench: &Bench, ceiling: Risk) -> Result<ToolRegistry, AgentError> {
    let mut registry = ToolRegistry::new(ceiling);
    registry
        .register(typed(search_notes::SearchNotes(bench.clone())))?
        .register(typed(read_note::ReadNote(bench.clone())))?
        .register(typed(list_notes::ListNotes(bench.clone())))?
        .register(typed(backlinks::Backlinks(bench.clone())))?
        .register(typed(tags::Tags(bench.clone())))?
        .register(typed(create_note::CreateNote(bench.clone())))?
        .register(typed(update_note::UpdateNote(bench.clone())))?
        .register(typed(move_note::MoveNote(bench.clone())))?
        .register(typed(merge_notes::MergeNotes(bench.clone())))?
        .register(typed(delete_note::DeleteNote(bench.clone())))?;
    Ok(registry)
}
