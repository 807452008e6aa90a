//! `list_notes`: what notes there are.

use graphloom_agents::{Risk, ToolError, ToolOutput, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::names::count;
use super::workspace::Workspace;
use crate::index::is_in;

const LIMIT: u32 = 100;

pub(super) struct ListNotes(pub(super) Workspace);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListArguments {
    /// Only notes in this folder and below it.
    #[serde(default)]
    folder: Option<String>,
    /// Only notes whose path or title has this text in it.
    #[serde(default)]
    contains: Option<String>,
    /// The order; by path unless set.
    #[serde(default)]
    sort: Option<Sort>,
    /// How many notes at most; 100 unless set.
    #[serde(default)]
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
    /// How many notes to pass over, to see the next ones.
    #[serde(default)]
    offset: Option<usize>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Sort {
    Path,
    Recent,
}

impl TypedTool for ListNotes {
    type Arguments = ListArguments;
    const NAME: &'static str = "list_notes";
    const DESCRIPTION: &'static str = include_str!("descriptions/list_notes.txt");
    const RISK: Risk = Risk::Read;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("path", "folder"),
        ("directory", "folder"),
        ("dir", "folder"),
        ("pattern", "contains"),
        ("filter", "contains"),
        ("name", "contains"),
        ("query", "contains"),
        ("order", "sort"),
        ("sort_by", "sort"),
        ("max_results", "limit"),
        ("count", "limit"),
        ("skip", "offset"),
    ];

    async fn run(&self, arguments: ListArguments) -> Result<ToolOutput, ToolError> {
        let ListArguments { folder, contains, sort, limit, offset } = arguments;
        let part = contains.map(|part| part.trim().trim_matches('*').to_lowercase()).unwrap_or_default();
        let place = folder.clone();
        let mut cards = self.0.look(move |overlay, index| Ok(index.shown_cards(overlay))).await?;
        cards.retain(|(card, _)| {
            is_in(&card.path, place.as_deref())
                && (card.path.as_str().to_lowercase().contains(&part) || card.title.to_lowercase().contains(&part))
        });
        if matches!(sort, Some(Sort::Recent)) {
            // The sort is stable: equal times stay in the order of their paths.
            cards.sort_by_key(|(card, pending)| std::cmp::Reverse((*pending, card.modified)));
        }
        let total = cards.len();
        let limit = usize::try_from(limit.unwrap_or(LIMIT)).unwrap_or(usize::MAX);
        let shown: Vec<_> = cards.into_iter().skip(offset.unwrap_or(0)).take(limit).collect();
        let mut content = match total {
            0 => "There are no such notes.".to_owned(),
            _ if shown.len() < total => format!("{} of {}:", shown.len(), count(total, "note", "notes")),
            _ => format!("{}:", count(total, "note", "notes")),
        };
        for (card, pending) in &shown {
            content.push_str(&format!("\n- `{}`", card.path));
            if card.title != card.path.name() {
                content.push_str(&format!(" — {}", card.title));
            }
            if *pending {
                content.push_str(" (changed in this run)");
            }
        }
        let listed: Vec<_> = shown
            .iter()
            .map(|(card, pending)| {
                json!({ "path": card.path, "title": card.title, "tags": card.tags, "hash": card.hash,
                        "modified": card.modified, "pending": pending })
            })
            .collect();
        Ok(ToolOutput::new(content).with_data(json!({ "total": total, "notes": listed })))
    }
}
