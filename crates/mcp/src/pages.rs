//! Lists of a server, page by page.

use rmcp::model::PaginatedRequestParams;
use rmcp::service::{Peer, RoleClient, ServiceError};
use serde::Serialize;

/// The most pages of a list that are asked for.
const MOST_PAGES: usize = 512;

/// What came of a list.
pub(crate) struct Pages<T> {
    pub(crate) items: Vec<T>,
    /// Whether the server has more, which was not asked for.
    pub(crate) more: bool,
}

/// Asks for the pages of a list until there is no other, or more than so many items or bytes came: a server may have always
/// one page more.
///
/// # Errors
/// Those of the server.
pub(crate) async fn pages<T, F>(
    peer: &Peer<RoleClient>,
    most_items: usize,
    most_bytes: usize,
    ask: impl Fn(Peer<RoleClient>, PaginatedRequestParams) -> F + Send,
) -> Result<Pages<T>, ServiceError>
where
    T: Serialize + Send,
    F: Future<Output = Result<(Vec<T>, Option<String>), ServiceError>> + Send,
{
    let (mut items, mut cursor, mut bytes) = (Vec::new(), None, 0_usize);
    for _ in 0..MOST_PAGES {
        let (page, next) = ask(peer.clone(), PaginatedRequestParams::default().with_cursor(cursor)).await?;
        bytes += serde_json::to_string(&page).map_or(0, |text| text.len());
        items.extend(page);
        cursor = next;
        if cursor.is_none() || items.len() > most_items || bytes > most_bytes {
            break;
        }
    }
    Ok(Pages { items, more: cursor.is_some() })
}
