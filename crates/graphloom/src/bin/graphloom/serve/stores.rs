//! Where a server keeps threads, runs and memories.

use std::sync::Arc;
use std::time::Duration;

use graphloom_cli::{Failure, Lease, Session};
use graphloom_core_graph::store::{MemoryStore, Store};
use graphloom_server::{Cluster, Server};

use super::claim::Claim;

/// How long a server over a shared database may be silent before others take its runs over.
const LEASE: Lease = Lease { every: Duration::from_secs(1), expiry: Duration::from_secs(5) };

/// How servers over a shared database are one.
pub(crate) fn cluster() -> Cluster {
    Cluster::new().heartbeat(LEASE.every, LEASE.expiry)
}

/// Where a server keeps everything.
pub(super) struct ServerStores {
    /// The long-term store.
    pub(super) memory: Arc<dyn Store>,
    /// Where it is, for people.
    pub(super) place: String,
    /// Kept until the end: another server would take up the same runs. Those of a database see each other.
    pub(super) claim: Option<Claim>,
}

impl ServerStores {
    /// Opens the stores of a server.
    ///
    /// # Errors
    /// The stores'; another server that has them.
    pub(super) async fn open(server: Server, in_memory: bool, session: &Session) -> Result<(Server, Self), Failure> {
        if in_memory {
            let memory: Arc<dyn Store> = Arc::new(MemoryStore::new());
            let place = "memory, until the server ends".to_owned();
            return Ok((server.store(Arc::clone(&memory)), Self { memory, place, claim: None }));
        }
        let is_shared = session.store_kind().is_shared();
        let claim = if is_shared { None } else { Some(Claim::of(&session.dirs()?)?) };
        let store = session.shared_store(LEASE).await?;
        let mut server = server.checkpointer(store.checkpointer()).store(store.memory());
        if let Some(signals) = store.signals() {
            server = server.cluster(cluster().signals(signals));
        }
        Ok((server, Self { memory: store.memory(), place: store.place().to_owned(), claim }))
    }
}
