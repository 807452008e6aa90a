//! The threads of a graph for a program that has their runs asked for by other means than the protocols, as by an engine.
//!
//! 1. A thread that is named for the first time is made.
//! 2. A run has an id of its caller's, and is accepted once: whoever asks for it again gets the end of the same run, also in another
//!    process that shares the stores.
//! 3. The run waits for those of other clients on the same thread, as theirs wait for it.

use std::fmt;
use std::sync::Arc;

use graphloom_core_graph::Question;
use graphloom_core_graph::checkpoint::ThreadStatus;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::graph::{Graph, View, thread_id};
use crate::host::{Host, RunOptions};
use crate::refusal::Refusal;
use crate::running::Running;
use crate::runs::{Cancel, Ending, LiveRun, Order, interrupts};

/// The threads of a graph of a running server, see [`Running::threads`].
#[derive(Clone)]
pub struct GraphThreads {
    host: Host,
    graph: Arc<dyn Graph>,
}

/// What a run begins with.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RunBeginning {
    /// An input: fields of the state, folded as reducers say.
    Input(Map<String, Value>),
    /// Answers to open questions, by key or id.
    Answers(Map<String, Value>),
    /// Nothing: it goes on where one stopped.
    Continue,
}

/// How a thread stands.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServedThread {
    /// What the thread is doing.
    pub status: ThreadStatus,
    /// More about that, such as the error of a run that failed.
    pub detail: String,
    /// The fields of the state, those that nobody has written left out.
    pub values: Map<String, Value>,
    /// Open questions, with the ids by which clients of the server know them.
    pub questions: Vec<Question>,
    /// The nodes that are next.
    pub next: Vec<String>,
}

/// Why a run of a thread has no end to tell.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ThreadError {
    /// What is asked for does not fit the graph or how the thread stands: it will not later.
    #[error("{0}")]
    Refused(String),
    /// The stores or other runs are in the way, or this server stops: another time or another process may do better.
    #[error("{0}")]
    Later(String),
}

impl Running {
    /// The threads of a graph; none where no graph of this name is served.
    pub fn threads(&self, graph: &str) -> Option<GraphThreads> {
        let host = self.host().clone();
        let graph = Arc::clone(host.manager.graph(graph)?);
        Some(GraphThreads { host, graph })
    }
}

impl GraphThreads {
    /// Runs a thread to the end of the run, and says how it stands. Thread and run have the ids of their names: the names themselves,
    /// where these are UUIDs, else ids that are always the same for the graph and the name. The graph's resources are made of the
    /// `context`, where each run has its own.
    ///
    /// # Errors
    /// [`ThreadError`]; a run that fails is no error.
    pub async fn run(
        &self,
        thread: &str,
        run: &str,
        beginning: RunBeginning,
        context: Map<String, Value>,
    ) -> Result<ServedThread, ThreadError> {
        let (id, run) = (self.id_of(thread), self.id_of(run));
        let live = match self.accepted(id, run).await? {
            Accepted::Live(live) => live,
            Accepted::Ended => return self.shown(id).await,
            Accepted::Not => match self.submit(id, run, beginning, context).await {
                Ok(live) => live,
                // Another process took it up at the same time.
                Err(Refusal::Conflict(detail)) => match self.accepted(id, run).await? {
                    Accepted::Live(live) => live,
                    Accepted::Ended => return self.shown(id).await,
                    Accepted::Not => return Err(ThreadError::Refused(detail)),
                },
                Err(refusal) => return Err(refusal.into()),
            },
        };
        let ending = live.ended().await.ok_or_else(|| ThreadError::Later("the server stops".to_owned()))?;
        let mut shown = self.shown(id).await?;
        if let Some(failure) = &ending.failure {
            (shown.status, shown.detail) = (ThreadStatus::Failed, failure.message.clone());
        }
        Ok(shown)
    }

    /// How a thread stands, whoever runs it.
    ///
    /// # Errors
    /// [`ThreadError`].
    pub async fn state(&self, thread: &str) -> Result<ServedThread, ThreadError> {
        self.shown(self.id_of(thread)).await
    }

    /// Cancels a run of a thread, and returns when it has ended; what it committed stays. One that is not under way is left as it is.
    ///
    /// # Errors
    /// [`ThreadError`].
    pub async fn cancel(&self, thread: &str, run: &str) -> Result<(), ThreadError> {
        match self.host.manager.cancel(self.id_of(thread), self.id_of(run), Cancel::Interrupt).await {
            Ok(live) => {
                let _: Option<Arc<Ending>> = live.ended().await;
                Ok(())
            }
            Err(Refusal::NotFound(_)) => Ok(()),
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// The id by which the server knows what is called so: threads of two graphs may have one name.
    fn id_of(&self, name: &str) -> Uuid {
        Uuid::parse_str(name).unwrap_or_else(|_| thread_id(&format!("{}/{name}", self.graph.outline().name)))
    }

    /// What became of the run's earlier acceptance.
    async fn accepted(&self, thread: Uuid, run: Uuid) -> Result<Accepted, Refusal> {
        let manager = &self.host.manager;
        if let Some(live) = manager.live(thread, run).await? {
            return Ok(Accepted::Live(live));
        }
        let record = manager.records().runs.find_of_thread(thread, run).await?;
        match record {
            None => Ok(Accepted::Not),
            Some(record) if record.status.is_final() => Ok(Accepted::Ended),
            Some(_) => Err(Refusal::Unavailable("the run is about to be taken up".to_owned())),
        }
    }

    async fn submit(
        &self,
        thread: Uuid,
        run: Uuid,
        beginning: RunBeginning,
        context: Map<String, Value>,
    ) -> Result<Arc<LiveRun>, Refusal> {
        let mut order = match beginning {
            RunBeginning::Input(fields) => {
                self.graph.check(&fields).map_err(|bad| Refusal::Invalid(bad.to_string()))?;
                Order::input(fields)
            }
            RunBeginning::Answers(answers) => {
                let by_id = self.by_id(thread, answers).await?;
                Order::resume(Value::Object(by_id))
            }
            RunBeginning::Continue => Order::default(),
        };
        order.context = Value::Object(context);
        self.host.ensure_thread(thread).await?;
        let assistant = self.host.assistant(&self.graph.outline().name).await?;
        let options = RunOptions { run_id: Some(run), ..RunOptions::default() };
        Ok(self.host.submit(Some(thread), &assistant, order, options).await?.live)
    }

    /// Answers by the ids of questions, where they were by their keys.
    async fn by_id(&self, thread: Uuid, answers: Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
        let questions = self.view(thread).await?.1;
        let mut by_id = Map::new();
        for (key, answer) in answers {
            let mut of_key = questions.iter().filter(|question| question.id == key || question.key == key);
            match (of_key.next(), of_key.next()) {
                (Some(one), None) => by_id.insert(one.id.clone(), answer),
                (Some(_), Some(_)) => {
                    return Err(Refusal::Invalid(format!(
                        "several questions are asked as `{key}`: answer them by their ids"
                    )));
                }
                (None, _) => return Err(Refusal::Invalid(format!("no question is open as `{key}`"))),
            };
        }
        Ok(by_id)
    }

    async fn shown(&self, thread: Uuid) -> Result<ServedThread, ThreadError> {
        let (View { values, status, detail, tasks, .. }, questions) = self.view(thread).await?;
        let mut next: Vec<String> = tasks.into_iter().filter(|task| !task.finished).map(|task| task.node).collect();
        next.dedup();
        Ok(ServedThread { status, detail, values, questions, next })
    }

    /// The thread, and its questions as clients know them.
    async fn view(&self, thread: Uuid) -> Result<(View, Vec<Question>), Refusal> {
        let thread = thread.to_string();
        let mut view = self.graph.view(&thread, None).await?;
        let ids = interrupts(&thread, &view).into_iter().map(|interrupt| interrupt.id);
        let questions = std::mem::take(&mut view.questions);
        let with_id = |(mut question, id): (Question, String)| {
            question.id = id;
            question
        };
        let questions = questions.into_iter().zip(ids.collect::<Vec<_>>()).map(with_id).collect();
        Ok((view, questions))
    }
}

/// Whether a run was accepted before.
enum Accepted {
    Not,
    Live(Arc<LiveRun>),
    Ended,
}

impl From<Refusal> for ThreadError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::TooMany(_) | Refusal::Unavailable(_) | Refusal::Failed(_) => Self::Later(refusal.to_string()),
            Refusal::NotFound(_) | Refusal::Conflict(_) | Refusal::BadRequest(_) | Refusal::Invalid(_) => {
                Self::Refused(refusal.to_string())
            }
        }
    }
}

impl fmt::Debug for GraphThreads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GraphThreads").field("graph", &self.graph.outline().name).finish_non_exhaustive()
    }
}
