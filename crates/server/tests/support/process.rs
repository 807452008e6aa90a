//! A server in a process of its own: this program of tests, started again.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use graphloom_checkpoint_sqlite::{SqliteCheckpointer, SqliteStore};
use graphloom_server::Server;

use super::client::Client;
use super::graphs;

/// Tells the process that it is to serve, and where its data are.
const DIRECTORY: &str = "GRAPHLOOM_TEST_SERVER_DIRECTORY";

/// A server in a process of its own, with its data in SQLite files. It is killed when this is dropped.
pub(crate) struct ServerProcess {
    child: Child,
    pub(crate) client: Client,
    pub(crate) authority: String,
}

impl ServerProcess {
    /// Starts the process of a server over the data of a directory.
    pub(crate) fn spawn(directory: &Path) -> Child {
        drop(std::fs::remove_file(directory.join("address")));
        let errors = std::fs::File::options().create(true).append(true).open(directory.join("errors")).unwrap();
        Command::new(std::env::current_exe().unwrap())
            .args(["support::process::serves_for_other_tests", "--exact", "--ignored", "--nocapture"])
            .env(DIRECTORY, directory)
            .stdout(Stdio::null())
            .stderr(errors)
            .spawn()
            .unwrap()
    }

    /// Starts a server over the data of a directory, and returns when it answers.
    pub(crate) async fn start(directory: &Path) -> Self {
        let (mut child, began, address) = (Self::spawn(directory), Instant::now(), directory.join("address"));
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
    let running = Server::new()
        .demo()
        .unwrap()
        .graph("line", graphs::line().unwrap(), ())
        .graph("flood", graphs::flood().unwrap(), ())
        .checkpointer(Arc::new(SqliteCheckpointer::open(directory.join("threads.sqlite")).unwrap()))
        .store(Arc::new(SqliteStore::open(directory.join("memory.sqlite")).unwrap()))
        .records(Arc::new(SqliteStore::open(directory.join("records.sqlite")).unwrap()))
        .start(address)
        .await
        .unwrap();
    let written = directory.join("address.new");
    std::fs::write(&written, running.address().to_string()).unwrap();
    std::fs::rename(written, directory.join("address")).unwrap();
    // Whoever started it kills it; a server that nobody kills ends by itself.
    tokio::time::sleep(Duration::from_secs(300)).await;
}
