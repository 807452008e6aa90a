//! `graphloom worker`: a process that executes tasks of runs that servers drive.

use std::sync::Arc;

use clap::Args;
use futures::future::BoxFuture;
use graphloom_checkpoint_encrypted::MessageKeys;
use graphloom_cli::{ExitStatus, Failure, JSON_VERSION, Session};
use graphloom_core_graph::remote::Performer;
use graphloom_core_graph::store::Store;
use graphloom_restate::Endpoint;
use graphloom_server::Server;
use graphloom_worker::{QueueOptions, Worker};
use serde_json::json;
use tokio::sync::watch;

use crate::engine::{EngineArgs, usage};
use crate::graphs::{self, GraphArgs};

/// Where workers of one machine listen for the engine unless told otherwise.
const PORT: u16 = 9080;

#[derive(Args, Debug)]
pub(crate) struct WorkerArgs {
    /// How many tasks are executed at a time
    #[arg(long, value_name = "TASKS", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: u16,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    graphs: GraphArgs,
}

/// Who brings tasks.
enum Source {
    /// The queue of a database at this address.
    Queue(String),
    Engine(Box<Endpoint>),
}

/// What tasks are executed with.
struct Work {
    performers: Vec<Arc<dyn Performer>>,
    memory: Arc<dyn Store>,
    concurrency: usize,
    stop: BoxFuture<'static, ()>,
}

/// Executes tasks until it is stopped.
type Working = BoxFuture<'static, Result<(), Failure>>;

pub(crate) async fn run(args: WorkerArgs, session: &Session) -> Result<ExitStatus, Failure> {
    let progress = &session.progress;
    let graphs = args.graphs.filled(session)?;
    let source = match args.engine.options(session)? {
        Some(options) => Source::Engine(Box::new(args.engine.endpoint(&options, PORT)?)),
        None => Source::Queue(session.postgres_address("graphloom worker")?),
    };
    let memory = session.store().await?.memory();
    // The same graphs with the same resources as those of a server, without what a server does with them.
    let server = graphs::add_to(Server::new(), &graphs, &memory, session).await?;
    let names: Vec<String> = server.names().map(str::to_owned).collect();
    let mut signals = session.interrupt.subscribe();
    let (stop, mut stopped) = watch::channel(());
    let work = Work {
        performers: server.performers(),
        memory,
        concurrency: usize::from(args.concurrency),
        stop: Box::pin(async move { drop(stopped.changed().await) }),
    };
    let working = match source {
        Source::Engine(endpoint) => by_engine(*endpoint, work),
        Source::Queue(address) => by_queue(&address, session.message_keys()?, work).await?,
    };
    let mut working = tokio::spawn(working);
    let place = session.store_place()?;
    let from =
        args.engine.address().map_or_else(|| format!("queued in {place}"), |engine| format!("brought by {engine}"));
    progress.note(format!(
        "executing up to {} tasks at a time, {from}\n  graphs: {}\nCtrl-C stops it",
        args.concurrency,
        names.join(", ")
    ));
    progress.event(&json!({
        "v": JSON_VERSION, "event": "working", "graphs": names, "store": place, "engine": args.engine.address(),
        "concurrency": args.concurrency,
    }));
    tokio::select! {
        // It ends by itself only where the database or the engine refuses something.
        ended = &mut working => ended??,
        _ = signals.signal() => {
            progress.note("stopping: tasks under way end, or are left to other workers; once more stops at once");
            stop.send_replace(());
            tokio::select! {
                ended = &mut working => ended??,
                _ = signals.signal() => {
                    let told = "stopped at once by the user; other workers execute what was under way";
                    return Err(Failure::new(ExitStatus::Interrupted, told));
                }
            }
        }
    }
    progress.result(ExitStatus::Done, "", &json!({}))?;
    Ok(ExitStatus::Done)
}

/// Takes tasks from the queue of a database.
async fn by_queue(address: &str, keys: MessageKeys, work: Work) -> Result<Working, Failure> {
    let worker = Worker::connect(address, &QueueOptions::default().keys(keys)).await?;
    let worker = worker.serve(work.performers).store(work.memory).concurrency(work.concurrency);
    Ok(Box::pin(async move { Ok(worker.run(work.stop).await?) }))
}

/// Takes what the engine brings.
fn by_engine(endpoint: Endpoint, work: Work) -> Working {
    let endpoint = endpoint.serve(work.performers).store(work.memory).concurrency(work.concurrency);
    Box::pin(async move { endpoint.run(work.stop).await.map_err(usage) })
}
