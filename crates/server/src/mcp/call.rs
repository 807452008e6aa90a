//! A call is a run on a thread of its own, followed to its end.
//!
//! The thread stays: a run that waits for an answer is gone on with there, by this client or another, now or after the
//! server was started anew.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{CallToolResponse, CreateTaskResult, InputResponses, JsonObject};
use rmcp::service::RequestContext;
use serde_json::Value;
use uuid::Uuid;

use crate::graph::{Fields, Graph};
use crate::host::{Host, RunOptions};
use crate::log::RunTail;
use crate::mcp::answer::Answer;
use crate::mcp::ask::{Asked, Replies, replies};
use crate::mcp::cancelling::Cancelling;
use crate::mcp::outcome;
use crate::mcp::progress::Progress;
use crate::mcp::seal::{Seal, Waiting};
use crate::mcp::tasks;
use crate::mcp::thread::{self, Closed};
use crate::records::Assistant;
use crate::refusal::Refusal;
use crate::runs::{Cancel, Ending, LiveRun, Order, Submitted};

/// A call that takes longer becomes a task, where the client has tasks.
const TASK_AFTER: Duration = Duration::from_secs(2);

/// A call of an assistant's tool, on its thread.
pub(super) struct Call<'c> {
    pub(super) host: &'c Host,
    pub(super) seal: &'c Seal,
    pub(super) assistant: Assistant,
    pub(super) graph: Arc<dyn Graph>,
    pub(super) thread: Uuid,
    pub(super) context: &'c RequestContext<RoleServer>,
    pub(super) cancelling: &'c Cancelling,
}

/// A run that is followed.
struct Followed {
    live: Arc<LiveRun>,
    /// What it tells; none for a run that another request began.
    tail: Option<RunTail>,
}

/// What came first.
enum First {
    /// The run ended; none where the server stops, and the next one goes on with it.
    Ended(Option<Arc<Ending>>),
    Cancelled,
    Long,
}

/// Goes on with answers to questions, by their ids.
///
/// # Errors
/// [`Refusal::NotFound`] for a thread that is gone; [`Refusal::Unavailable`] when as many runs are executed as the server
/// allows; as [`Host::submit`].
pub(super) async fn resume(
    host: &Host,
    thread: Uuid,
    assistant: &Assistant,
    answers: Fields,
) -> Result<Submitted, Refusal> {
    if thread::closed(&thread::get(host, thread).await?).is_some() {
        thread::close(host, thread, None).await?;
    }
    let order = Order::resume(Value::Object(answers));
    submit(host, thread, assistant, order).await
}

async fn submit(host: &Host, thread: Uuid, assistant: &Assistant, order: Order) -> Result<Submitted, Refusal> {
    host.submit(Some(thread), assistant, order, RunOptions::default()).await
}

impl Followed {
    fn begun(submitted: Submitted) -> Self {
        let Submitted { live, log, before, .. } = submitted;
        let tail = Some(RunTail::new(&log, live.run, before));
        Self { live, tail }
    }
}

impl Call<'_> {
    /// Begins with the arguments as the graph's input.
    ///
    /// # Errors
    /// As [`Host::submit`].
    pub(super) async fn run(&self, arguments: Option<JsonObject>) -> Result<CallToolResponse, Refusal> {
        let order = Order::input(arguments.unwrap_or_default());
        match submit(self.host, self.thread, &self.assistant, order).await {
            Ok(submitted) => self.follow(submitted).await,
            Err(refusal) => {
                // The thread was made for this run alone.
                self.host.manager.delete_thread(self.thread).await?;
                Err(refusal)
            }
        }
    }

    /// Goes on with answers to questions, by their ids.
    ///
    /// # Errors
    /// As [`Host::submit`].
    pub(super) async fn answer(&self, answers: Fields) -> Result<CallToolResponse, Refusal> {
        let submitted = self.resume(answers).await?;
        self.follow(submitted).await
    }

    /// Goes on with an answer that came by the tool `answer`.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] for an answer to nothing that is asked; as [`Host::submit`].
    pub(super) async fn answer_one(&self, answer: &Answer) -> Result<CallToolResponse, Refusal> {
        let record = thread::get(self.host, self.thread).await?;
        let ending = thread::ending(&record, &*self.graph).await?;
        let question = answer.question(&ending.interrupts).map_err(|bad| Refusal::Invalid(bad.to_string()))?;
        let answers = Fields::from_iter([(question.id.clone(), answer.answer.clone())]);
        self.answer(answers).await
    }

    /// Goes on with what a client carried since it was asked. Where the answers were given before, by this client or
    /// another, it is told how the thread stands now.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] for a thread that is gone; as [`Host::submit`].
    pub(super) async fn go_on(
        &self,
        waiting: &Waiting,
        responses: &InputResponses,
    ) -> Result<CallToolResponse, Refusal> {
        let record = thread::get(self.host, self.thread).await?;
        if let Some(live) = self.host.manager.current(self.thread).await? {
            return self.follow_on(Followed { live, tail: None }).await;
        }
        let mut ending = thread::ending(&record, &*self.graph).await?;
        let is_waiting = |id: &String| waiting.interrupts.contains(id);
        if !ending.interrupts.iter().any(|one| is_waiting(&one.id)) {
            return match self.settle(&ending).await? {
                Asked::Answers(answers) => self.answer(answers).await,
                Asked::Response(response) => Ok(response),
            };
        }
        ending.interrupts.retain(|one| is_waiting(&one.id));
        match replies(&ending.interrupts, responses) {
            Replies::Answers(answers) => self.answer(answers).await,
            Replies::Unanswered(did) => self.unanswered(did, &ending).await,
            Replies::None => match self.ask(&ending).await? {
                Asked::Answers(answers) => self.answer(answers).await,
                Asked::Response(response) => Ok(response),
            },
        }
    }

    /// The result where somebody would not answer.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn unanswered(&self, did: &str, ending: &Ending) -> Result<CallToolResponse, Refusal> {
        thread::close(self.host, self.thread, Some(Closed::Unanswered)).await?;
        Ok(outcome::unanswered(self.thread, did, &ending.interrupts, ending.values.as_ref()).into())
    }

    async fn resume(&self, answers: Fields) -> Result<Submitted, Refusal> {
        resume(self.host, self.thread, &self.assistant, answers).await
    }

    async fn follow(&self, submitted: Submitted) -> Result<CallToolResponse, Refusal> {
        self.follow_on(Followed::begun(submitted)).await
    }

    /// Follows a run, and those that go on after its questions, to a result.
    async fn follow_on(&self, mut followed: Followed) -> Result<CallToolResponse, Refusal> {
        let mut progress = self.context.meta.get_progress_token().map(Progress::new);
        loop {
            let run = followed.live.run;
            match self.first(followed, progress.as_mut()).await {
                First::Ended(Some(ending)) => match self.asked_or_cancelled(&ending).await? {
                    Asked::Answers(answers) => followed = Followed::begun(self.resume(answers).await?),
                    Asked::Response(response) => return Ok(response),
                },
                First::Ended(None) => {
                    let text = "The server stops. The run goes on when it is started anew.";
                    return Ok(outcome::error(self.thread, text, None).into());
                }
                First::Cancelled => {
                    match self.host.manager.cancel(self.thread, run, Cancel::Interrupt).await {
                        // It ended meanwhile.
                        Ok(_) | Err(Refusal::NotFound(_)) => {}
                        Err(refusal) => return Err(refusal),
                    }
                    return self.cancelled().await;
                }
                First::Long => {
                    let record = thread::get(self.host, self.thread).await?;
                    return Ok(CreateTaskResult::new(tasks::working(&record)).into());
                }
            }
        }
    }

    async fn first(&self, followed: Followed, progress: Option<&mut Progress>) -> First {
        let Followed { live, tail } = followed;
        let ended = async {
            if let (Some(progress), Some(tail)) = (progress, tail) {
                progress.tell(tail, &self.context.peer).await;
            }
            live.ended().await
        };
        let has_tasks = self.context.client_capabilities().is_some_and(|client| client.supports_tasks());
        tokio::select! {
            biased;
            ended = ended => First::Ended(ended),
            () = self.cancelling.asked(self.context, &self.host.guard) => First::Cancelled,
            () = tokio::time::sleep(TASK_AFTER), if has_tasks => First::Long,
        }
    }

    async fn asked_or_cancelled(&self, ending: &Ending) -> Result<Asked, Refusal> {
        tokio::select! {
            biased;
            asked = self.settle(ending) => asked,
            () = self.cancelling.asked(self.context, &self.host.guard) => Ok(Asked::Response(self.cancelled().await?)),
        }
    }

    async fn cancelled(&self) -> Result<CallToolResponse, Refusal> {
        thread::close(self.host, self.thread, Some(Closed::Cancelled)).await?;
        Ok(outcome::error(self.thread, "The call was cancelled.", None).into())
    }

    /// The result of a run that ended, or what comes of its questions.
    async fn settle(&self, ending: &Ending) -> Result<Asked, Refusal> {
        if ending.interrupts.is_empty() || ending.failure.is_some() {
            return Ok(Asked::Response(outcome::result(self.thread, ending).into()));
        }
        self.ask(ending).await
    }
}
