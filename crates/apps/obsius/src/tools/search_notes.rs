//! `search_notes`: notes by their text, title or tags.

use graphloom_agents::{Risk, ToolError, ToolOutput, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::names::count;
use super::workspace::Workspace;
use crate::index::{SearchField, SearchQuery};

const LIMIT: u32 = 10;

pub(super) struct SearchNotes(pub(super) Workspace);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchArguments {
    /// The words to look for; also `tag:name`, `path:part` and `"a phrase"`, which a note must have.
    #[schemars(length(min = 1, max = 500))]
    query: String,
    /// Where to look; everywhere unless set.
    #[serde(default)]
    search_in: Option<SearchScope>,
    /// Only notes in this folder and below it.
    #[serde(default)]
    folder: Option<String>,
    /// How many notes at most; 10 unless set.
    #[serde(default)]
    #[schemars(range(min = 1, max = 50))]
    limit: Option<u32>,
    /// How many of the best notes to pass over, to see the next ones.
    #[serde(default)]
    offset: Option<usize>,
    /// Take the query as plain words: no `tag:`, `path:` and phrases, and no words that are only spelt alike.
    #[serde(default)]
    exact: bool,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Where")]
enum SearchScope {
    All,
    Content,
    Title,
    Tags,
}

impl TypedTool for SearchNotes {
    type Arguments = SearchArguments;
    const NAME: &'static str = "search_notes";
    const DESCRIPTION: &'static str = include_str!("descriptions/search_notes.txt");
    const RISK: Risk = Risk::Read;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("q", "query"),
        ("text", "query"),
        ("term", "query"),
        ("terms", "query"),
        ("keywords", "query"),
        ("search", "query"),
        ("search_query", "query"),
        ("search_type", "search_in"),
        ("field", "search_in"),
        ("type", "search_in"),
        ("in", "search_in"),
        ("directory", "folder"),
        ("dir", "folder"),
        ("path", "folder"),
        ("max_results", "limit"),
        ("top_k", "limit"),
        ("count", "limit"),
        ("n", "limit"),
        ("skip", "offset"),
        ("start", "offset"),
    ];

    async fn run(&self, arguments: SearchArguments) -> Result<ToolOutput, ToolError> {
        let SearchArguments { query: text, search_in, folder, limit, offset, exact } = arguments;
        let offset = offset.unwrap_or(0);
        let limit = usize::try_from(limit.unwrap_or(LIMIT)).unwrap_or(usize::MAX);
        let written = if exact { SearchQuery::new(text.as_str(), limit) } else { SearchQuery::parse(&text, limit) };
        let mut query = written.from_offset(offset).in_field(match search_in {
            None | Some(SearchScope::All) => SearchField::All,
            Some(SearchScope::Content) => SearchField::Content,
            Some(SearchScope::Title) => SearchField::Title,
            Some(SearchScope::Tags) => SearchField::Tags,
        });
        query.folder.clone_from(&folder);
        let page = self
            .0
            .look(move |overlay, index| {
                index.page(overlay, &query).map_err(|error| ToolError::failed(error.to_string()))
            })
            .await?;
        let place = folder.filter(|folder| !folder.is_empty()).map(|folder| format!(" in `{folder}`"));
        let place = place.unwrap_or_default();
        let found = &page.found;
        let mut content = match found.len() {
            0 if offset > 0 => format!("No more notes{place} fit `{text}`."),
            0 => format!("No note{place} fits `{text}`."),
            number => format!("{}{place} for `{text}`, best first:", count(number, "note", "notes")),
        };
        for hit in found {
            let pending = if hit.pending { " (changed in this run)" } else { "" };
            content.push_str(&format!("\n- `{}` — {}{pending}\n  {}", hit.path, hit.title, hit.snippet));
        }
        if page.more {
            let next = offset.saturating_add(found.len());
            content.push_str(&format!("\nMore notes fit; `offset` {next} gives the next."));
        }
        if !page.corrected.is_empty() {
            content.push_str(&format!("\n({}.)", page.corrected_in_words()));
        }
        let data = json!({ "found": found, "more": page.more, "corrected": page.corrected });
        Ok(ToolOutput::new(content).with_data(data))
    }
}
