//! `graphloom serve`: graphs behind one server.

mod applications;
mod args;
mod claim;
mod welcome;

use std::sync::Arc;
use std::time::Duration;

use graphloom_cli::{ExitStatus, Failure, Lease, Session, StoreKind};
use graphloom_core_graph::store::{MemoryStore, Store};
use graphloom_server::{Cluster, Server, StartError, WebhookTargets};
use serde_json::json;

pub(crate) use args::ServeArgs;
use claim::Claim;
use welcome::Welcome;

/// How long a server over a shared database may be silent before others take its runs over.
const LEASE: Lease = Lease { every: Duration::from_secs(1), expiry: Duration::from_secs(5) };

pub(crate) async fn run(mut args: ServeArgs, session: &Session) -> Result<ExitStatus, Failure> {
    let progress = &session.progress;
    let security = args.security()?;
    session.files.fill_models(&mut args.models);
    session.files.fill_sources(&mut args.sources);
    if !args.demo && !args.serves_any() {
        return Err(Failure::usage(
            "there is no graph to serve; `--apps` names applications, `--demo` serves the demo graphs",
        ));
    }
    if args.allow_private_webhooks {
        progress.warn("webhooks go to any host: whoever may start a run can have this machine call what it can reach");
    }
    let mut server = Server::new();
    if args.demo {
        server = server.demo()?;
    }
    if args.allow_private_webhooks {
        server = server.webhooks(WebhookTargets::Any);
    }
    // Kept until the end: another server would take up the same runs. Those of a database see each other.
    let mut claim = None;
    let (memory, place): (Arc<dyn Store>, _) = if args.in_memory {
        let memory = Arc::new(MemoryStore::new());
        server = server.store(Arc::clone(&memory) as Arc<dyn Store>);
        (memory, "memory, until the server ends".to_owned())
    } else {
        if session.store_kind() != StoreKind::Postgres {
            claim = Some(Claim::of(&session.dirs()?)?);
        }
        let store = session.shared_store(LEASE).await?;
        server = server.checkpointer(store.checkpointer()).store(store.memory());
        if let Some(signals) = store.signals() {
            server = server.cluster(Cluster::new().signals(signals).heartbeat(LEASE.every, LEASE.expiry));
        }
        (store.memory(), store.place().to_owned())
    };
    if args.serves_any() {
        server = applications::add_to(server, &args, &memory, session).await?;
    }
    if !args.no_studio {
        server = server.page(graphloom_studio::PATH, graphloom_studio::page());
    }
    if args.stdio {
        // Standard output is the protocol's: whatever is told goes elsewhere.
        server.serve_mcp_stdio().await?;
        drop(claim);
        return Ok(ExitStatus::Done);
    }
    let graphs = server.names().map(str::to_owned).collect::<Vec<_>>();
    let mut signals = session.interrupt.subscribe();
    let with_keys = !security.keys.is_empty();
    let running = server.start(security).await.map_err(|error| match error {
        StartError::Security(error) => Failure::usage(error.to_string()),
        other => other.into(),
    })?;
    let welcome = Welcome { address: running.address(), graphs, place, with_keys, with_studio: !args.no_studio };
    progress.note(welcome.to_string());
    progress.event(&welcome.event());
    signals.signal().await;
    progress.note("stopping: what is under way ends or is saved; once more stops at once");
    let cut = tokio::select! {
        cut = running.stop() => cut,
        _ = signals.signal() => {
            drop(claim);
            return Err(Failure::new(ExitStatus::Interrupted, "stopped at once by the user; runs go on at the next start"));
        }
    };
    if cut > 0 {
        progress.warn(format!("{cut} connections did not end in time and were cut"));
    }
    drop(claim);
    progress.result(ExitStatus::Done, "", &json!({ "cut": cut }))?;
    Ok(ExitStatus::Done)
}
