//! `tags`: which tags there are, or which notes have one.

use std::collections::BTreeMap;

use graphloom_agents::{Risk, ToolError, ToolOutput, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::names::count;
use super::workspace::Workspace;
use crate::index::is_in;

const LIMIT: u32 = 100;

pub(super) struct Tags(pub(super) Workspace);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TagArguments {
    /// The notes with this tag or one below it; without it, all tags with how many notes have them.
    #[serde(default)]
    tag: Option<String>,
    /// Only notes in this folder and below it.
    #[serde(default)]
    folder: Option<String>,
    /// How many tags or notes at most; 100 unless set.
    #[serde(default)]
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
    /// How many to pass over, to see the next ones.
    #[serde(default)]
    offset: Option<usize>,
}

impl TypedTool for Tags {
    type Arguments = TagArguments;
    const NAME: &'static str = "tags";
    const DESCRIPTION: &'static str = include_str!("descriptions/tags.txt");
    const RISK: Risk = Risk::Read;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("name", "tag"),
        ("query", "tag"),
        ("path", "folder"),
        ("directory", "folder"),
        ("max_results", "limit"),
        ("count", "limit"),
        ("skip", "offset"),
    ];

    async fn run(&self, arguments: TagArguments) -> Result<ToolOutput, ToolError> {
        let TagArguments { tag, folder, limit, offset } = arguments;
        let offset = offset.unwrap_or(0);
        let limit = usize::try_from(limit.unwrap_or(LIMIT)).unwrap_or(usize::MAX);
        let mut cards = self.0.look(move |overlay, index| Ok(index.shown_cards(overlay))).await?;
        cards.retain(|(card, _)| is_in(&card.path, folder.as_deref()));
        if let Some(tag) = tag.as_deref().map(|tag| tag.trim().trim_start_matches('#')).filter(|tag| !tag.is_empty()) {
            cards.retain(|(card, _)| card.has_tag(tag));
            let total = cards.len();
            let mut content = match total {
                0 => format!("No note has the tag `{tag}`."),
                _ => format!("{} with the tag `{tag}`:", count(total, "note", "notes")),
            };
            cards = cards.into_iter().skip(offset).take(limit).collect();
            for (card, _) in &cards {
                content.push_str(&format!("\n- `{}` — {}", card.path, card.title));
            }
            content.push_str(&more(offset + cards.len(), total));
            let notes: Vec<_> =
                cards.iter().map(|(card, _)| json!({ "path": card.path, "title": card.title })).collect();
            return Ok(ToolOutput::new(content).with_data(json!({ "tag": tag, "total": total, "notes": notes })));
        }
        // By the name without case; shown as it is first written.
        let mut counts: BTreeMap<String, (String, usize)> = BTreeMap::new();
        for tag in cards.iter().flat_map(|(card, _)| &card.tags) {
            counts.entry(tag.to_lowercase()).or_insert_with(|| (tag.clone(), 0)).1 += 1;
        }
        let mut counts: Vec<(String, usize)> = counts.into_values().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let total = counts.len();
        counts = counts.into_iter().skip(offset).take(limit).collect();
        let mut content = match total {
            0 => "No note has a tag.".to_owned(),
            _ => format!("{}, the most used first:", count(total, "tag", "tags")),
        };
        for (tag, notes) in &counts {
            content.push_str(&format!("\n- {tag} ({})", count(*notes, "note", "notes")));
        }
        content.push_str(&more(offset + counts.len(), total));
        let tags: Vec<_> = counts.iter().map(|(tag, notes)| json!({ "tag": tag, "notes": notes })).collect();
        Ok(ToolOutput::new(content).with_data(json!({ "total": total, "tags": tags })))
    }
}

/// What is said of a list that goes on after its first `shown`.
fn more(shown: usize, total: usize) -> String {
    if shown < total { format!("\n{shown} of {total} so far; `offset` {shown} gives the next.") } else { String::new() }
}
