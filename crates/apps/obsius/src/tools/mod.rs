//! The tools with which a model works on a vault.
//!
//! They work on a [`Workspace`]: the vault with the changes of a run, which later calls and searches see. Nothing touches the
//! disk. Each tool says in plain words what it found or changed, and gives programs paths, hashes and counts.

mod backlinks;
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
mod workspace;

use graphloom_agents::{AgentError, Risk, ToolRegistry, typed};

pub use workspace::Workspace;

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

/// The ten tools on a workspace; those that can change more than `ceiling` are hidden from the model and refused.
///
/// # Errors
/// None that a caller can cause: a tool whose schema is none would be told.
pub fn registry(workspace: &Workspace, ceiling: Risk) -> Result<ToolRegistry, AgentError> {
    let mut registry = ToolRegistry::new(ceiling);
    registry
        .register(typed(search_notes::SearchNotes(workspace.clone())))?
        .register(typed(read_note::ReadNote(workspace.clone())))?
        .register(typed(list_notes::ListNotes(workspace.clone())))?
        .register(typed(backlinks::Backlinks(workspace.clone())))?
        .register(typed(tags::Tags(workspace.clone())))?
        .register(typed(create_note::CreateNote(workspace.clone())))?
        .register(typed(update_note::UpdateNote(workspace.clone())))?
        .register(typed(move_note::MoveNote(workspace.clone())))?
        .register(typed(merge_notes::MergeNotes(workspace.clone())))?
        .register(typed(delete_note::DeleteNote(workspace.clone())))?;
    Ok(registry)
}
