//! Serves the demo graphs: `cargo run -p graphloom-server --example demo [address | mcp [directory]]`.
//!
//! Without an address it is `127.0.0.1:2024`; port 0 finds a free one, and the address is printed. `mcp` serves one client of the
//! Model Context Protocol over standard input and output. Without a directory everything is kept in memory.

use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use graphloom_checkpoint_sqlite::{SqliteCheckpointer, SqliteStore};
use graphloom_server::Server;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let target = arguments.next().unwrap_or_else(|| "127.0.0.1:2024".to_owned());
    let mut server = Server::new().demo()?;
    if let Some(directory) = arguments.next().map(PathBuf::from) {
        std::fs::create_dir_all(&directory)?;
        server = server
            .checkpointer(Arc::new(SqliteCheckpointer::open(directory.join("threads.sqlite"))?))
            .store(Arc::new(SqliteStore::open(directory.join("memory.sqlite"))?))
            .records(Arc::new(SqliteStore::open(directory.join("records.sqlite"))?));
    }
    #[cfg(feature = "mcp")]
    if target == "mcp" {
        return Ok(server.serve_mcp_stdio().await?);
    }
    let address: SocketAddr = target.parse()?;
    let running = server.start(address).await?;
    #[expect(clippy::print_stdout, reason = "whoever started it reads where it listens")]
    {
        println!("{}", running.address());
    }
    running.until_asked().await?;
    Ok(())
}
