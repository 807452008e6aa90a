//! Lists of a server, page by page.

use std::collections::BTreeSet;

use rmcp::model::{ClientRequest, ListPromptsRequest, ListResourcesRequest, ListToolsRequest, PaginatedRequestParams};
use rmcp::service::{Peer, RoleClient, ServiceError};
use serde_json::Value;

use crate::ask::ask;
use crate::offered::kind;

/// The most pages of a list that are asked for.
const MOST_PAGES: usize = 512;

/// What a server lists.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Of {
    Tools,
    Resources,
    Prompts,
}

/// What came of a list.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    /// The items as the server sent them.
    pub(crate) items: Vec<Value>,
    /// Whether the server has more, which was not asked for.
    pub(crate) more: bool,
    /// What is wrong with the list itself, in words.
    pub(crate) odd: Vec<String>,
}

/// Asks for the pages of a list until there is no other, or more than so many items or bytes came: a server may have always
/// one page more. A page that names one that was read is the last.
///
/// # Errors
/// Those of the server.
pub(crate) async fn pages(
    peer: &Peer<RoleClient>,
    of: Of,
    most_items: usize,
    most_bytes: usize,
) -> Result<Pages, ServiceError> {
    let mut pages = Pages::default();
    let (mut cursor, mut bytes) = (None, 0_usize);
    let mut named = BTreeSet::new();
    for _ in 0..MOST_PAGES {
        let page = ask(peer, of.request(cursor)).await?;
        bytes += page.to_string().len();
        let next = next(&page);
        let repeats = next.as_ref().is_some_and(|next| !named.insert(next.clone()));
        let mut items = of.items(page, &mut pages.odd);
        if repeats {
            // Such a page is the same as one before, as a rule.
            items.retain(|item| !pages.items.contains(item));
            pages.odd.push(format!("its list of {} has no end: a page names one that was read already", of.name()));
        }
        pages.items.extend(items);
        cursor = next.filter(|_| !repeats);
        if cursor.is_none() || pages.items.len() > most_items || bytes > most_bytes {
            break;
        }
    }
    pages.more = cursor.is_some();
    Ok(pages)
}

/// The name of the page after this one.
fn next(page: &Value) -> Option<String> {
    match page.get("nextCursor")? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

impl Of {
    /// Where they stand in a page, and in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::Prompts => "prompts",
        }
    }

    fn request(self, cursor: Option<String>) -> ClientRequest {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        match self {
            Self::Tools => ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params)),
            Self::Resources => ClientRequest::ListResourcesRequest(ListResourcesRequest::with_param(params)),
            Self::Prompts => ClientRequest::ListPromptsRequest(ListPromptsRequest::with_param(params)),
        }
    }

    /// The items of a page. Where it has none, it says so, unless it says that there are none.
    fn items(self, page: Value, odd: &mut Vec<String>) -> Vec<Value> {
        let found = match page {
            Value::Array(items) => return items,
            Value::Object(mut members) => members.shift_remove(self.name()).unwrap_or_default(),
            _ => Value::Null,
        };
        match found {
            Value::Array(items) => return items,
            Value::Null => odd.push(format!("its list of {} is missing", self.name())),
            other => odd.push(format!("its list of {} is {}, and no list", self.name(), kind(&other))),
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_page_without_a_list_says_so_and_has_no_items() {
        for (page, items, wrong) in [
            (json!({"tools": [1, 2]}), 2, None),
            (json!([1, 2]), 2, None),
            (json!({"tools": []}), 0, None),
            (json!({"tools": null}), 0, Some("is missing")),
            (json!({}), 0, Some("is missing")),
            (json!({"tools": {"a": {}}}), 0, Some("is an object, and no list")),
            (json!("none"), 0, Some("is missing")),
        ] {
            let mut odd = Vec::new();
            assert_eq!(Of::Tools.items(page.clone(), &mut odd).len(), items, "{page}");
            assert_eq!(odd.first().map(|words| words.contains(wrong.unwrap())), wrong.map(|_| true), "{page}: {odd:?}");
        }
    }

    #[test]
    fn a_cursor_is_a_text_or_a_number() {
        for (page, expected) in [
            (json!({"nextCursor": "a"}), Some("a")),
            (json!({"nextCursor": 2}), Some("2")),
            (json!({"nextCursor": ""}), None),
            (json!({"nextCursor": null}), None),
            (json!({}), None),
        ] {
            assert_eq!(next(&page).as_deref(), expected, "{page}");
        }
    }
}
