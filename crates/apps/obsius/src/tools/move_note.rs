//! `move_note`: another name or folder for a note, with every link to it.

use graphloom_agents::{Risk, ToolError, ToolOutput, TypedTool};
use graphloom_vault::{NotePath, Notes, Overlay};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::bench::{Bench, told};
use super::names::{count, find_note, ticked};

pub(super) struct MoveNote(pub(super) Bench);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MoveArguments {
    /// The note: its path, its name or its title.
    #[schemars(length(min = 1, max = 500))]
    path: String,
    /// The new path; without a `/` a new name in the same folder; with a `/` at the end a folder.
    #[schemars(length(min = 1, max = 500))]
    to: String,
}

impl TypedTool for MoveNote {
    type Arguments = MoveArguments;
    const NAME: &'static str = "move_note";
    const DESCRIPTION: &'static str = include_str!("descriptions/move_note.txt");
    const RISK: Risk = Risk::Write;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("from", "path"),
        ("source", "path"),
        ("old_path", "path"),
        ("note", "path"),
        ("file", "path"),
        ("file_path", "path"),
        ("destination", "to"),
        ("target", "to"),
        ("new_path", "to"),
        ("new_name", "to"),
        ("new_title", "to"),
        ("folder", "to"),
    ];

    async fn run(&self, arguments: MoveArguments) -> Result<ToolOutput, ToolError> {
        let MoveArguments { path: name, to } = arguments;
        let changed = self
            .0
            .change(move |sight| {
                let from = find_note(sight.overlay, sight.index, &name)?;
                sight.check_seen(&from)?;
                let to = destination(sight.overlay, &from, &to)?;
                if from == to {
                    return Err(ToolError::refused(format!("`{from}` is already there")));
                }
                sight.overlay.rename(&from, &to).map_err(|error| told(&error))
            })
            .await?;
        let renamed = changed.value;
        let mut said = format!("Moved `{}` to `{}`.", renamed.from, renamed.to);
        let links = renamed.links();
        if links == 0 {
            said.push_str(" No link had to be changed.");
        } else {
            let notes: Vec<&NotePath> = renamed.relinked.keys().collect();
            said.push_str(&format!(
                " {} rewritten in {}: {}.",
                count(links, "link was", "links were"),
                count(notes.len(), "note", "notes"),
                ticked(&notes)
            ));
        }
        if !renamed.unread.is_empty() {
            said.push_str(&format!(" Notes that cannot be read keep their links: {}.", ticked(&renamed.unread)));
        }
        let hash = changed.overlay.expect(&renamed.to).map_err(|error| told(&error))?.hash().clone();
        let data = json!({ "from": renamed.from, "path": renamed.to, "hash": hash, "links": links,
                           "relinked": renamed.relinked, "unread": renamed.unread });
        Ok(ToolOutput::new(said).with_data(data))
    }
}

/// Where the note goes: a folder keeps the name, a name keeps the folder.
fn destination(overlay: &Overlay, from: &NotePath, to: &str) -> Result<NotePath, ToolError> {
    let to = to.trim();
    // A first `/` says that it is from the top of the vault.
    let (top, rest) = to.strip_prefix('/').map_or((false, to), |rest| (true, rest));
    let folder = rest.trim_end_matches('/');
    let is_folder = rest.is_empty()
        || rest.ends_with('/')
        || (!rest.ends_with(".md")
            && rest.contains('/')
            && overlay.paths().iter().any(|path| crate::index::is_in(path, Some(folder))));
    let whole = if is_folder && folder.is_empty() {
        from.file_name().to_owned()
    } else if is_folder {
        format!("{folder}/{}", from.file_name())
    } else if top || rest.contains('/') || from.folder().is_empty() {
        rest.to_owned()
    } else {
        format!("{}/{rest}", from.folder())
    };
    NotePath::parse_lenient(&whole).map_err(|error| told(&error))
}
