//! What the server keeps beside the checkpoints of threads: assistants and their versions, threads, runs and crons.
//!
//! Every record is a JSON item of the runtime's long-term [`Store`], so memory, SQLite and PostgreSQL all serve, and
//! several processes can share one. A record is changed by reading it, changing it, and putting it where its revision is
//! still the one that was read (`collection.rs`); who comes second tries again, so no change is lost.
//!
//! Times are milliseconds since 1970. The form that clients see, with its RFC 3339 times, is made by `wire()` of each
//! record.

mod assistants;
mod collection;
mod containment;
mod crons;
mod error;
mod listing;
#[cfg(feature = "mcp")]
mod protocol_data;
mod runs;
#[cfg(test)]
mod testing;
mod threads;
mod timestamp;

use std::sync::Arc;

use graphloom_core_graph::Clock;
use graphloom_core_graph::store::Store;
use serde_json::{Map, Value};

pub(crate) use assistants::{
    Assistant, AssistantCreate, AssistantPatch, AssistantSearch, Assistants, VersionSearch, system_assistant_id,
};
pub(crate) use containment::contains_fields;
pub(crate) use crons::{Cron, CronCreate, CronPatch, CronSearch, Crons};
pub(crate) use error::RecordError;
pub(crate) use listing::{IfExists, Listing, MAX_LIMIT};
#[cfg(feature = "mcp")]
pub(crate) use protocol_data::ProtocolData;
pub(crate) use runs::{Completion, Multitask, RunFailure, RunList, RunRecord, RunSearch, RunStatus, Runs};
pub(crate) use threads::{
    Copied, PendingInterrupt, ThreadCreate, ThreadPatch, ThreadRecord, ThreadSearch, ThreadStatus, Threads, Ttl,
    TtlStrategy,
};
pub(crate) use timestamp::{parse_timestamp, timestamp};

/// The first segment of the namespaces of all records. Clients must neither see nor name it: it has a dot, which a label
/// of a client's namespace may not have.
pub(crate) const RESERVED: &str = "graphloom.server";

/// All records of a store. A clone is another handle to the same.
#[derive(Clone, Debug)]
pub(crate) struct Records {
    /// Configured graphs.
    pub(crate) assistants: Assistants,
    /// Threads.
    pub(crate) threads: Threads,
    /// Runs.
    pub(crate) runs: Runs,
    /// Runs that start by the calendar.
    pub(crate) crons: Crons,
    /// What protocols keep for themselves.
    #[cfg(feature = "mcp")]
    pub(crate) protocols: ProtocolData,
}

impl Records {
    /// The records of a store; times are told by a clock.
    pub(crate) fn new(store: &Arc<dyn Store>, clock: &Arc<dyn Clock>) -> Self {
        Self {
            assistants: Assistants::new(store, clock),
            threads: Threads::new(store, clock),
            runs: Runs::new(store, clock),
            crons: Crons::new(store, clock),
            #[cfg(feature = "mcp")]
            protocols: ProtocolData::new(store),
        }
    }
}

/// Puts every key of `changes` over those of `fields`.
fn merge(fields: &mut Map<String, Value>, changes: Map<String, Value>) {
    fields.extend(changes);
}

#[cfg(test)]
mod tests {
    use graphloom_core_graph::store::{Namespace, NamespaceFilter};
    use uuid::Uuid;

    use super::testing::{Fixture, START, fixtures};
    use super::*;

    #[tokio::test]
    async fn all_records_are_in_the_reserved_namespace() {
        for Fixture { records, store, .. } in fixtures() {
            records.assistants.create_system(["g"]).await.unwrap();
            records.assistants.patch(system_assistant_id("g"), &AssistantPatch::default()).await.unwrap();
            let thread = records.threads.create(ThreadCreate::default()).await.unwrap().thread_id;
            records.runs.insert(&RunRecord::new(thread, Uuid::nil(), "g", START)).await.unwrap();
            let cron = CronCreate { schedule: "* * * * *".to_owned(), ..CronCreate::default() };
            records.crons.create(cron).await.unwrap();
            let all = store.list_namespaces(&NamespaceFilter::default()).await.unwrap();
            assert_eq!(all.len(), 6, "{all:?}");
            let reserved = Namespace::new([RESERVED]).unwrap();
            assert!(all.iter().all(|namespace| namespace.starts_with(&reserved)), "{all:?}");
        }
    }
}
