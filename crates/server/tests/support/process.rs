//! A server in a process of its own: this program of tests, started again.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use graphloom_checkpoint_postgres::{PostgresCheckpointer, PostgresOptions};
use graphloom_checkpoint_sqlite::{SqliteCheckpointer, SqliteStore};
use graphloom_server::{Cluster, Server};

use super::client::Client;
use super::graphs;

/// Tells the process that it is to serve, and where its data are.
const DIRECTORY: &str = "GRAPHLOOM_TEST_SERVER_DIRECTORY";

/// Tells the process the database that it shares with others; without it, its data are in files.
const DATABASE: &str = "GRAPHLOOM_TEST_SERVER_DATABASE";

/// Tells the process that shares a database how long another one may be silent, in milliseconds.
const LEASE: &str = "GRAPHLOOM_TEST_SERVER_LEASE";

/// How often a process that shares a database tells that it lives.
pub(crate) const BEAT: Duration = Duration::from_millis(300);

/// How long a process may be silent where one dies: what it did is taken over after that.
pub(crate) const SHORT_LEASE: Duration = Duration::from_secs(5);

/// How long a process may be silent where none dies: none is taken for dead because the machine is busy, and nothing that is
/// taken over is taken over by the end of a lease.
pub(crate) const ENDLESS_LEASE: Duration = Duration::from_secs(24 * 3600);

/// How long a thread is waited for that another process holds.
const PATIENCE: Duration = Duration::from_secs(600);

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

    fn spawn_over(directory: &Path, database: Option<(&str, Duration)>) -> Child {
        drop(std::fs::remove_file(directory.join("address")));
        let errors = std::fs::File::options().create(true).append(true).open(directory.join("errors")).unwrap();
        Command::new(std::env::current_exe().unwrap())
            .args(["support::process::serves_for_other_tests", "--exact", "--ignored", "--nocapture"])
            .env(DIRECTORY, directory)
            .envs(database.map(|(url, _)| (DATABASE, url.to_owned())))
            .envs(database.map(|(_, lease)| (LEASE, lease.as_millis().to_string())))
            .stdin(Stdio::piped())
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
    pub(crate) async fn start_shared(directory: &Path, database: &str, lease: Duration) -> Self {
        Self::started(Self::spawn_over(directory, Some((database, lease))), directory).await
    }

    async fn started(mut child: Child, directory: &Path) -> Self {
        let address = directory.join("address");
        let authority = loop {
            if let Ok(authority) = std::fs::read_to_string(&address) {
                break authority;
            }
            if let Some(status) = child.try_wait().unwrap() {
                let errors = std::fs::read_to_string(directory.join("errors")).unwrap_or_default();
                panic!("the server ended with {status}: {errors}");
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        Self { child, client: Client::new(&format!("http://{authority}")), authority }
    }

    /// Its number on this machine.
    pub(crate) fn number(&self) -> u32 {
        self.child.id()
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
        Ok(database) => {
            let lease = std::env::var(LEASE).unwrap().parse().unwrap();
            shared(server, &database, Duration::from_millis(lease)).await
        }
        Err(_) => server
            .checkpointer(Arc::new(SqliteCheckpointer::open(directory.join("threads.sqlite")).unwrap()))
            .store(Arc::new(SqliteStore::open(directory.join("memory.sqlite")).unwrap()))
            .records(Arc::new(SqliteStore::open(directory.join("records.sqlite")).unwrap())),
    };
    let running = server.start(address).await.unwrap();
    let written = directory.join("address.new");
    std::fs::write(&written, running.address().to_string()).unwrap();
    std::fs::rename(written, directory.join("address")).unwrap();
    // Whoever started it kills it, or is gone itself: then its end of the pipe is closed.
    std::thread::spawn(|| {
        drop(std::io::stdin().read_to_end(&mut Vec::new()));
        std::process::exit(0);
    });
    running.until_asked().await.unwrap();
}

/// Lets a server share a database with others.
pub(crate) async fn shared(server: Server, database: &str, lease: Duration) -> Server {
    let options = PostgresOptions::default().heartbeat(BEAT, lease).patience(PATIENCE).max_connections(8);
    let checkpointer = PostgresCheckpointer::connect_with(database, &options).await.unwrap();
    let store = Arc::new(checkpointer.store());
    let signals = Arc::new(store.signals());
    server
        .checkpointer(Arc::new(checkpointer))
        .store(store)
        .cluster(Cluster::new().signals(signals).heartbeat(BEAT, lease))
}
