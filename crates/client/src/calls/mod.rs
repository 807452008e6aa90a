//! The calls of §3 of the protocol, a file for each kind of thing.

mod assistants;
mod crons;
mod runs;
mod store;
mod threads;

use reqwest::header::HeaderMap;
use serde::de::DeserializeOwned;

pub use assistants::Assistants;
pub use crons::Crons;
pub use runs::{RunResult, Runs};
pub use store::Store;
pub use threads::Threads;

use crate::transport::{Call, Transport};
use crate::{ClientError, Page};

/// Asks for a part of a list.
async fn page<T: DeserializeOwned>(transport: &Transport, call: &Call) -> Result<Page<T>, ClientError> {
    let (items, headers) = transport.json_with_headers(call).await?;
    Ok(Page { items, total: number(&headers, "x-pagination-total"), next: number(&headers, "x-pagination-next") })
}

fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.parse().ok()
}
