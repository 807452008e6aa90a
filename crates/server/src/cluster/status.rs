//! The processes that share a store, as somebody sees them who is none of them.

use graphloom_core_graph::store::{Store, StoreError};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::claims::held;
use super::member::rows;
use super::settings::Cluster;

/// A server that shares its store with others.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ServerStatus {
    /// The name that threads have for it.
    pub id: Uuid,
    /// Its number on its machine; none where it is of a version that does not say it.
    pub process: Option<u32>,
    /// The graphs that it serves, by name.
    pub graphs: Vec<String>,
    /// How many threads it holds, since runs of theirs are under way or wait.
    pub threads: u64,
    /// Whether its heartbeat was heard while it was looked. One that stays silent for the time of a lease is removed by the
    /// others.
    pub is_heard: bool,
}

impl Cluster {
    /// Reads which servers share a store that have these settings, by age. It takes the time of one and a half heartbeats, in which
    /// each that lives is heard. Nothing is changed.
    ///
    /// # Errors
    /// The store's.
    pub async fn servers(&self, store: &dyn Store) -> Result<Vec<ServerStatus>, StoreError> {
        let before = rows(store).await?;
        if before.is_empty() {
            return Ok(Vec::new());
        }
        tokio::time::sleep(self.beat * 3 / 2).await;
        let (after, threads) = (rows(store).await?, held(store).await?);
        let status = |(id, row): (Uuid, Value)| ServerStatus {
            id,
            process: row["process"].as_u64().and_then(|process| u32::try_from(process).ok()),
            graphs: serde_json::from_value(row["graphs"].clone()).unwrap_or_default(),
            threads: threads.get(&id).copied().unwrap_or_default(),
            is_heard: before.get(&id).is_none_or(|before| before["beat"] != row["beat"]),
        };
        Ok(after.into_iter().map(status).collect())
    }
}
