//! `graphloom serve`: graphs behind one server.

mod args;
mod by_engine;
mod claim;
mod queue;
mod stores;
mod welcome;

use futures::future::BoxFuture;
use graphloom_cli::{ExitStatus, Failure, Session};
use graphloom_server::{Server, StartError, WebhookTargets};
use serde_json::json;
use tokio::sync::watch;

pub(crate) use args::ServeArgs;
use stores::ServerStores;
pub(crate) use stores::cluster;
use welcome::Welcome;

use crate::graphs;

pub(crate) async fn run(args: ServeArgs, session: &Session) -> Result<ExitStatus, Failure> {
    let progress = &session.progress;
    let security = args.security()?;
    let graphs = args.graphs.filled(session)?;
    // A server that is asked for what its store cannot do says so before it opens anything.
    let queue = if args.workers { Some(session.postgres_address("--workers")?) } else { None };
    let engine = args.engine.engine(session)?;
    if args.allow_private_webhooks {
        progress.warn("webhooks go to any host: whoever may start a run can have this machine call what it can reach");
    }
    let mut server = Server::new();
    if args.allow_private_webhooks {
        server = server.webhooks(WebhookTargets::Any);
    }
    let (mut server, ServerStores { memory, place, claim }) =
        ServerStores::open(server, args.in_memory, session).await?;
    server = graphs::add_to(server, &graphs, &memory, session).await?;
    if let Some(address) = queue {
        server = args.queue.queue(server, &address, session.message_keys()?).await?;
    }
    if let Some(engine) = &engine {
        server = engine.executes(server).await?;
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
    let names = server.names().map(str::to_owned).collect::<Vec<_>>();
    let mut signals = session.interrupt.subscribe();
    let with_keys = !security.keys.is_empty();
    let running = server.start(security).await.map_err(|error| match error {
        StartError::Security(error) => Failure::usage(error.to_string()),
        other => other.into(),
    })?;
    let (stop, mut stopped) = watch::channel(());
    let mut by_engine: BoxFuture<'static, Result<(), Failure>> = match engine {
        Some(engine) => engine.serve(&running, &names, async move { drop(stopped.changed().await) }),
        None => Box::pin(async move {
            drop(stopped.changed().await);
            Ok(())
        }),
    };
    let welcome = Welcome {
        address: running.address(),
        graphs: names,
        place,
        with_keys,
        with_studio: !args.no_studio,
        with_workers: args.workers,
        engine: args.engine.address().map(str::to_owned),
    };
    progress.note(welcome.to_string());
    progress.event(&welcome.event());
    tokio::select! {
        _ = signals.signal() => {}
        // The engine refuses this server.
        ended = &mut by_engine => {
            running.stop().await;
            drop(claim);
            return ended.map(|()| ExitStatus::Done);
        }
    }
    progress.note("stopping: what is under way ends or is saved; once more stops at once");
    stop.send_replace(());
    let cut = tokio::select! {
        (cut, ended) = async { tokio::join!(running.stop(), by_engine) } => {
            ended?;
            cut
        }
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
