//! `merge_notes`: one note put into another, with every link to it.

use graphloom_agents::{Risk, ToolError, ToolOutput, TypedTool};
use graphloom_vault::Notes;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::names::{find_note, links_in_words, ticked};
use super::workspace::{Workspace, tool_error};

pub(super) struct MergeNotes(pub(super) Workspace);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MergeArguments {
    /// The note that goes: its path, its name or its title.
    #[schemars(length(min = 1, max = 500))]
    path: String,
    /// The note that takes its text, and stays.
    #[schemars(length(min = 1, max = 500))]
    into: String,
}

impl TypedTool for MergeNotes {
    type Arguments = MergeArguments;
    const NAME: &'static str = "merge_notes";
    const DESCRIPTION: &'static str = include_str!("descriptions/merge_notes.txt");
    const RISK: Risk = Risk::Destructive;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("from", "path"),
        ("source", "path"),
        ("note", "path"),
        ("file", "path"),
        ("file_path", "path"),
        ("to", "into"),
        ("target", "into"),
        ("destination", "into"),
    ];

    async fn run(&self, arguments: MergeArguments) -> Result<ToolOutput, ToolError> {
        let MergeArguments { path: name, into } = arguments;
        let changed = self
            .0
            .change(move |sight| {
                let from = find_note(sight.overlay, sight.index, &name)?;
                let into = find_note(sight.overlay, sight.index, &into)?;
                sight.check_seen(&from)?;
                sight.check_seen(&into)?;
                let merged = sight.overlay.merge(&from, &into).map_err(|error| tool_error(&error))?;
                Ok((from, into, merged))
            })
            .await?;
        let (from, into, merged) = changed.value;
        let mut message = format!(
            "The text of `{from}` stands at the end of `{into}` now, and `{from}` goes to the trash when the changes are \
             applied.{}",
            links_in_words(&merged.relinked)
        );
        for line in &merged.told {
            message.push_str(&format!(" {line}."));
        }
        if !merged.unread.is_empty() {
            message.push_str(&format!(" Files that cannot be read keep their links: {}.", ticked(&merged.unread)));
        }
        let hash = changed.overlay.expect(&into).map_err(|error| tool_error(&error))?.hash().clone();
        let data = json!({ "from": from, "path": into, "hash": hash, "links": merged.links(),
                           "relinked": merged.relinked, "unread": merged.unread, "told": merged.told });
        Ok(ToolOutput::new(message).with_data(data))
    }
}
