//! The graphs that a server serves, and whose tasks a worker executes: the applications, and the demo graphs.
//!
//! | what | file |
//! | --- | --- |
//! | the options that name graphs, and what these work with | `args.rs` |
//! | the four applications, with the models and sources of the command line | `applications.rs` |

mod applications;
mod args;

use std::sync::Arc;

use graphloom_cli::{Failure, Session};
use graphloom_core_graph::store::Store;
use graphloom_server::Server;

pub(crate) use args::GraphArgs;

/// Adds the graphs that are named.
pub(crate) async fn add_to(
    mut server: Server,
    args: &GraphArgs,
    memory: &Arc<dyn Store>,
    session: &Session,
) -> Result<Server, Failure> {
    if args.demo {
        server = server.demo()?;
    }
    if args.has_any() {
        server = applications::add_to(server, args, memory, session).await?;
    }
    Ok(server)
}
