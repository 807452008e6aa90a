//! A server in a process of its own: this program of tests, started again.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use graphloom_checkpoint_postgres::{PostgresCheckpointer, PostgresOptions};
use graphloom_checkpoint_sqlite::{SqliteCheckpointer, SqliteStore};
use graphloom_server::{Cluster, Server};

use super::client::Client;
use super::graphs;

/// Tells the process that it is to serve, and where its data are.
const DIRECTORY: &str = "GRAPHLOOM_TEST_SERVER_DIRECTORY";

/// Tells the process the database that it shares with others; without it, its data are in files.
const DATABASE: &str = "GRAPHLOOM_TEST_SERVER_DATABASE";

/// How often a process that shares a database tells that it lives, and how long it may be silent.
const BEAT: Duration = Duration::from_millis(300);
pub(crate) const LEASE: Duration = Duration::from_millis(2_000);

/// A server in a process of its own, with its data in SQLite files or in a database that others share. It is killed when this is
/// dropped.
pub(crate) struct ServerProcess {
    child: Child,
    pub(crate) client: Client,
    pub(crate) authority: String,
}

impl ServerProcess {
    /// Starts the process of a server over the data of a directory.
    pub(crate) fn spawn(directory: &Path) -> Child {
        Self::spawn_over(directory, None)
    }

    fn spawn_over(directory: &Path, database: Option<&str>) -> Child {
        drop(std::fs::remove_file(directory.join("address")));
        let errors = std::fs::File::options().create(true).append(true).open(directory.join("errors")).unwrap();
        Command::new(std::env::current_exe().unwrap())
            .args(["support::process::serves_for_other_tests", "--exact", "--ignored", "--nocapture"])
            .env(DIRECTORY, directory)
            .envs(database.map(|url| (DATABASE, url)))
            .stdout(Stdio::null())
            .stderr(errors)
            .spawn()
            .unwrap()
    }

    /// Starts a server over the data of a directory, and returns when it answers.
    pub(crate) async fn start(directory: &Path) -> Self {
        Self::started(Self::spawn(directory), directory).await
    }

    /// Starts a server that shares a database, and returns when it answers. The directory is its own.
    pub(crate) async fn start_shared(directory: &Path, database: &str) -> Self {
        Self::started(Self::spawn_over(directory, Some(database)), directory).await
    }

    async fn started(mut child: Child, directory: &Path) -> Self {
        let (began, address) = (Instant::now(), directory.join("address"));
        let authority = loop {
            if let Ok(authority) = std::fs::read_to_string(&address) {
                break authority;
            }
            if let Some(status) = child.try_wait().unwrap() {
                let errors = std::fs::read_to_string(directory.join("errors")).unwrap_or_default();
                panic!("the server ended with {status}: {errors}");
            }
            assert!(began.elapsed() < Duration::from_secs(30), "the server does not start");
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        Self { child, client: Client::new(&format!("http://{authority}")), authority }
    }

    /// Ends the process as a crash does.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends the process a signal, by its name.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").arg(format!("-{name}")).arg(self.child.id().to_string()).status().unwrap();
        assert!(sent.success(), "the signal {name} cannot be sent");
    }

    /// Asks the process to stop, and waits until it has.
    pub(crate) async fn stop(mut self) {
        self.signal("TERM");
        while self.child.try_wait().unwrap().is_none() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Bytes of memory that the process has to itself or shares.
    pub(crate) fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it is the server of other tests, which start it in a process of its own"]
async fn serves_for_other_tests() {
    let Some(directory) = std::env::var_os(DIRECTORY).map(PathBuf::from) else { return };
    let address: std::net::SocketAddr = ([127, 0, 0, 1], 0).into();
    let server = Server::new().demo().unwrap().graph("line", graphs::line().unwrap(), ()).graph(
        "flood",
        graphs::flood().unwrap(),
        (),
    );
    let server = match std::env::var(DATABASE) {
        Ok(database) => shared(server, &database).await,
        Err(_) => server
            .checkpointer(Arc::new(SqliteCheckpointer::open(directory.join("threads.sqlite")).unwrap()))
            .store(Arc::new(SqliteStore::open(directory.join("memory.sqlite")).unwrap()))
            .records(Arc::new(SqliteStore::open(directory.join("records.sqlite")).unwrap())),
    };
    let running = server.start(address).await.unwrap();
    let written = directory.join("address.new");
    std::fs::write(&written, running.address().to_string()).unwrap();
    std::fs::rename(written, directory.join("address")).unwrap();
    // Whoever started it kills it; a server that nobody kills ends by itself.
    drop(tokio::time::timeout(Duration::from_secs(300), running.until_asked()).await);
}

/// Lets a server share a database with others.
pub(crate) async fn shared(server: Server, database: &str) -> Server {
    let options = PostgresOptions::default().heartbeat(BEAT, LEASE).patience(LEASE * 2).max_connections(8);
    let checkpointer = PostgresCheckpointer::connect_with(database, &options).await.unwrap();
    let store = Arc::new(checkpointer.store());
    let signals = Arc::new(store.signals());
    server
        .checkpointer(Arc::new(checkpointer))
        .store(store)
        .cluster(Cluster::new().signals(signals).heartbeat(BEAT, LEASE))
}
