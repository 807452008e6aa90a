//! A thread whose runs the program of the server begins itself, to show them while they go on.
//!
//! 1. A run that the program begins is one of the run manager: it has a record, it is in the log, and clients cancel it as any
//!    other ([`Running::begin`]).
//! 2. The program follows every run of the thread, also those that clients begin: an answer to a question is one
//!    ([`ProgramThread::next`]).
//! 3. Checkpoints are in the program's store. Records and log are the server's.

use std::fmt;
use std::sync::Arc;

use graphloom_core_graph::checkpoint::Checkpointer;
use graphloom_core_graph::{Run, RunPolicy, State, Threads};
use serde_json::Map;
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::builder::Server;
use crate::graph::{Named, Program, ProgramRun, ThreadName};
use crate::host::RunOptions;
use crate::records::{IfExists, Multitask, ThreadCreate, ThreadRecord};
use crate::refusal::Refusal;
use crate::running::Running;
use crate::runs::Order;
use crate::start_error::StartError;

/// A thread whose runs the program of a server begins itself. See [`Server::program_thread`].
pub struct ProgramThread<S> {
    graph: String,
    program: Arc<Program<S>>,
    runs: mpsc::UnboundedReceiver<ProgramRun<S>>,
}

impl<S: State> ProgramThread<S> {
    /// The id by which clients know the thread: a UUID that is always the same for its name.
    pub fn id(&self) -> Uuid {
        self.program.thread().id
    }

    /// The next run of the thread, whoever begins it: the program with [`Running::begin`], or a client. None when the server
    /// has stopped.
    pub async fn next(&mut self) -> Option<ProgramRun<S>> {
        self.runs.recv().await
    }
}

impl<S> fmt::Debug for ProgramThread<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgramThread").field("graph", &self.graph).finish_non_exhaustive()
    }
}

impl Server {
    /// Serves one thread of a graph under a name, for a program that begins runs of it and wants them shown while they go on.
    /// Clients see them, cancel them and answer their questions; other threads of the graph are refused. Runs that clients
    /// begin have this policy. Checkpoints of the server are in the store of these threads.
    ///
    /// ```
    /// # use graphloom_core_graph::checkpoint::MemoryCheckpointer;
    /// # use graphloom_core_graph::{Node, NodeError, Outcome, RunPolicy, START, Snapshot, State, StateGraph};
    /// # use graphloom_server::Server;
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(State, Clone, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
    /// # struct Count {
    /// #     count: u32,
    /// # }
    /// # const COUNT: Node = Node::named("count");
    /// # async fn count(state: Snapshot<Count>) -> Result<CountUpdate, NodeError> {
    /// #     Ok(Count::update().count(state.count + 1))
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut graph = StateGraph::<Count>::new("count");
    /// # graph.add_node(COUNT, count);
    /// # graph.add_edge(START, COUNT);
    /// let threads = graph.compile()?.with_context(()).with_checkpointer(MemoryCheckpointer::new());
    /// let (server, mut thread) = Server::new().program_thread("count", &threads, "monday", RunPolicy::default());
    /// let address: std::net::SocketAddr = "127.0.0.1:0".parse()?;
    /// let running = server.start(address).await?;
    /// running.show(&thread).await?;
    /// running.begin(&thread, threads.thread("monday").run(Count::update().count(2))).await?;
    /// let mut run = thread.next().await.ok_or("the server has stopped")?;
    /// while let Some(event) = run.next().await {
    ///     println!("{event:?}");
    /// }
    /// assert!(matches!(run.ended().await?, Outcome::Done(state) if state.count == 3));
    /// running.stop().await;
    /// # Ok(())
    /// # }
    /// ```
    pub fn program_thread<S, Cx>(
        self,
        graph: &str,
        threads: &Threads<S, Cx>,
        thread: &str,
        policy: RunPolicy,
    ) -> (Self, ProgramThread<S>)
    where
        S: State,
        Cx: Send + Sync + 'static,
    {
        let thread = Arc::new(ThreadName::new(thread));
        let store = Arc::new(Named { store: Arc::clone(threads.checkpointer()), thread: Arc::clone(&thread) });
        let (program, runs) = Program::new(thread, policy);
        let program = Arc::new(program);
        let server =
            self.checkpointer(store as Arc<dyn Checkpointer>).add_program(graph, threads.clone(), Arc::clone(&program));
        (server, ProgramThread { graph: graph.to_owned(), program, runs })
    }
}

impl Running {
    /// Shows the thread of a program as it stands, before any run of it.
    ///
    /// # Errors
    /// [`StartError::Stores`].
    pub async fn show<S: State>(&self, thread: &ProgramThread<S>) -> Result<(), StartError> {
        let threads = &self.host().manager.records().threads;
        let name = thread.program.thread().name().to_owned();
        let metadata =
            Map::from_iter([("run".to_owned(), name.into()), ("graph_id".to_owned(), thread.graph.clone().into())]);
        let new = ThreadCreate {
            thread_id: Some(thread.id()),
            metadata: Some(metadata),
            if_exists: Some(IfExists::DoNothing),
            ..ThreadCreate::default()
        };
        threads.create(new).await.map_err(Refusal::from)?;
        let of_graph = |record: &mut ThreadRecord| {
            record.graph = Some(thread.graph.clone());
            Ok(())
        };
        let record = threads.update(thread.id(), of_graph).await.map_err(Refusal::from)?;
        Ok(self.host().manager.settle(record).await?)
    }

    /// Begins a run of a program's thread; [`ProgramThread::next`] is that run then. Where a client began one a moment ago,
    /// that one is next, and the program's is dropped.
    ///
    /// # Errors
    /// [`StartError::Stores`]: the run cannot be recorded.
    pub async fn begin<S: State>(&self, thread: &ProgramThread<S>, run: Run<S>) -> Result<(), StartError> {
        let id = Uuid::now_v7();
        thread.program.want(id, run);
        let begun = async {
            let assistant = self.host().assistant(&thread.graph).await?;
            let options = RunOptions { run_id: Some(id), multitask: Multitask::Reject, ..RunOptions::default() };
            self.host().submit(Some(thread.id()), &assistant, Order::default(), options).await
        };
        let begun = begun.await;
        if begun.is_err() {
            drop(thread.program.take(id));
        }
        match begun {
            Ok(_) | Err(Refusal::Conflict(_)) => Ok(()),
            Err(refusal) => Err(refusal.into()),
        }
    }
}
