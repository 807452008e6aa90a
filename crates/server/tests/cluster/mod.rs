//! Several processes that share a database are one server.
//!
//! | what | where |
//! | --- | --- |
//! | what is begun at one process is seen and changed at another | `across.rs` |
//! | a conversation in another protocol goes on at another | `protocols.rs` |
//! | processes are killed while clients work through all of them | `kills.rs` |
//! | a process stops for longer than its lease, and goes on | `zombie.rs` |

mod across;
mod kills;
mod protocols;
mod zombie;

use std::path::PathBuf;
use std::time::Duration;

use graphloom_checkpoint_postgres::{PostgresCheckpointer, PostgresOptions};
use graphloom_postgres_server::Server;
use graphloom_server::Cluster;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{BEAT, Client, ENDLESS_LEASE, EventStream, SHORT_LEASE, ServerProcess, StreamEvent};

/// A database, and processes that share it.
struct Processes {
    database: Server,
    directory: TempDir,
    all: Vec<ServerProcess>,
    lease: Duration,
}

impl Processes {
    /// Processes of which none is taken for dead.
    async fn start(count: usize) -> Self {
        Self::with_lease(count, ENDLESS_LEASE).await
    }

    /// Processes of which one may die.
    async fn mortal(count: usize) -> Self {
        Self::with_lease(count, SHORT_LEASE).await
    }

    async fn with_lease(count: usize, lease: Duration) -> Self {
        let (database, directory) = (Server::start(), tempfile::tempdir().unwrap());
        let mut processes = Self { database, directory, all: Vec::new(), lease };
        for at in 0..count {
            let process = processes.process(at).await;
            processes.all.push(process);
        }
        processes
    }

    async fn process(&self, at: usize) -> ServerProcess {
        let own: PathBuf = self.directory.path().join(at.to_string());
        std::fs::create_dir_all(&own).unwrap();
        ServerProcess::start_shared(&own, &self.database.url(), self.lease).await
    }

    /// Kills a process, as a crash does.
    fn kill(&mut self, at: usize) {
        self.all[at].kill();
    }

    /// Starts a process anew that was killed.
    async fn restart(&mut self, at: usize) {
        self.all[at] = self.process(at).await;
    }

    /// Waits until the others have found out that a process is silent, and take over what it did.
    async fn until_removed(&self, at: usize) {
        let checkpointer =
            PostgresCheckpointer::connect_with(&self.database.url(), &PostgresOptions::default()).await.unwrap();
        let (store, cluster) = (checkpointer.store(), Cluster::new().heartbeat(BEAT / 10, self.lease));
        let number = Some(self.all[at].number());
        while cluster.servers(&store).await.unwrap().iter().any(|server| server.process == number) {}
    }

    fn client(&self, at: usize) -> &Client {
        &self.all[at].client
    }

    /// A client that asks all of them in turn.
    fn in_turn(&self) -> Client {
        Client::of_several(self.all.iter().map(|process| &process.client))
    }

    /// What the processes wrote to their standard error.
    fn errors(&self) -> String {
        let read = |at| std::fs::read_to_string(self.directory.path().join(format!("{at}/errors"))).unwrap_or_default();
        (0..self.all.len()).map(read).collect()
    }
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_else(|| panic!("no `{key}` in {value}")).to_owned()
}

async fn new_thread(client: &Client) -> String {
    text(&client.post("/threads", serde_json::json!({})).await.unwrap().ok(), "thread_id")
}

/// The rest of a stream.
async fn rest(stream: &mut EventStream) -> Vec<StreamEvent> {
    let mut events = Vec::new();
    while let Some(event) = stream.next().await.unwrap() {
        events.push(event);
    }
    events
}

/// The ticks that a stream shows as updates, each of which comes once and in order.
fn ticks(events: &[StreamEvent]) -> Vec<u64> {
    let updates = events.iter().filter(|event| event.name == "updates");
    updates.map(|event| event.data["tick"]["ticks"][0].as_u64().unwrap()).collect()
}
