//! The demo graphs on the store that is named: `served ADDRESS memory | normal DIRECTORY | full DIRECTORY`.

use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use graphloom_checkpoint_sqlite::{SqliteCheckpointer, SqliteOptions, SqliteStore, Synchronous};
use graphloom_server::Server;

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
        other => return Err(format!("`{other}` is no store: memory, normal, full").into()),
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
