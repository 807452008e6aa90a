//! The demo graphs on the store that is named: `served ADDRESS memory | normal DIRECTORY | full DIRECTORY | postgres URL | shared URL`.
//! A shared database has one server of any number of processes.

use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use graphloom_checkpoint_postgres::{PostgresCheckpointer, PostgresOptions};
use graphloom_checkpoint_sqlite::{SqliteCheckpointer, SqliteOptions, SqliteStore, Synchronous};
use graphloom_server::{Cluster, Server};

/// What the command `graphloom` is served with, too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, store, rest @ ..] = arguments.as_slice() else { return Err("an address and a store".into()) };
    let address: SocketAddr = address.parse()?;
    let mut server = Server::new().demo()?;
    let synchronous = match store.as_str() {
        "memory" => None,
        "normal" => Some(Synchronous::Normal),
        "full" => Some(Synchronous::Full),
        "postgres" | "shared" => {
            let (every, expiry) = (Duration::from_secs(1), Duration::from_secs(5));
            let options = PostgresOptions::default().heartbeat(every, expiry).patience(expiry * 2);
            let url = rest.first().ok_or("the address of the database")?;
            let checkpointer = PostgresCheckpointer::connect_with(url, &options).await?;
            let database = checkpointer.store();
            if store == "shared" {
                let signals = Arc::new(database.signals());
                server = server.cluster(Cluster::new().signals(signals).heartbeat(every, expiry));
            }
            server = server.checkpointer(Arc::new(checkpointer)).store(Arc::new(database));
            None
        }
        other => return Err(format!("`{other}` is no store: memory, normal, full, postgres, shared").into()),
    };
    if let Some(synchronous) = synchronous {
        let directory = PathBuf::from(rest.first().ok_or("a directory for the files")?);
        std::fs::create_dir_all(&directory)?;
        let options = || SqliteOptions::synchronous(synchronous);
        server = server
            .checkpointer(Arc::new(SqliteCheckpointer::open_with(directory.join("threads.sqlite"), options())?))
            .store(Arc::new(SqliteStore::open_with(directory.join("records.sqlite"), options())?));
    }
    server.serve(address).await?;
    Ok(())
}
