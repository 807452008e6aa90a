//! `delete_note`: a note into the trash.

use graphloom_agents::{Risk, ToolError, ToolOutput, TypedTool};
use graphloom_vault::Notes;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::names::{count, find_note, ticked};
use super::workspace::{Workspace, tool_error};

pub(super) struct DeleteNote(pub(super) Workspace);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DeleteArguments {
    /// The note: its path, its name or its title.
    #[schemars(length(min = 1, max = 500))]
    path: String,
}

impl TypedTool for DeleteNote {
    type Arguments = DeleteArguments;
    const NAME: &'static str = "delete_note";
    const DESCRIPTION: &'static str = include_str!("descriptions/delete_note.txt");
    const RISK: Risk = Risk::Destructive;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("title", "path"),
        ("name", "path"),
        ("note", "path"),
        ("file", "path"),
        ("filename", "path"),
        ("file_path", "path"),
    ];

    async fn run(&self, arguments: DeleteArguments) -> Result<ToolOutput, ToolError> {
        let name = arguments.path;
        let changed = self
            .0
            .change(move |sight| {
                let path = find_note(sight.overlay, sight.index, &name)?;
                sight.check_seen(&path)?;
                let note = sight.overlay.expect(&path).map_err(|error| tool_error(&error))?;
                let links = sight.overlay.links();
                let mut from: Vec<_> = links.backlinks(&path).into_iter().map(|link| link.from.clone()).collect();
                from.retain(|other| *other != path);
                from.dedup();
                sight.overlay.delete(&path).map_err(|error| tool_error(&error))?;
                Ok((note, from))
            })
            .await?;
        let (note, from) = changed.value;
        let mut message = format!("`{}` goes to the trash when the changes are applied.", note.path());
        if !from.is_empty() {
            let linking = count(from.len(), "note links to it and will", "notes link to it and will");
            message.push_str(&format!(" {linking} have links that do not lead to it any more: {}.", ticked(&from)));
        }
        let data = json!({ "path": note.path(), "before": note.hash(), "linked_from": from });
        Ok(ToolOutput::new(message).with_data(data))
    }
}
