//! Threads of a graph in a store.

use futures::future::BoxFuture;
use graphloom_core_graph::checkpoint::{CheckpointError, Checkpointer, ThreadStatus};
use graphloom_core_graph::{Answers, EventKind, Outcome, Run, RunError, State, Thread, Threads};
use serde_json::Value;

use super::{Drive, DriveError, Invocation, RunEnd, RunRequest, ThreadQuestion};

/// Events read at a time.
const PAGE: usize = 256;

impl<S: State, Cx: Send + Sync + 'static> Drive for Threads<S, Cx> {
    fn mark<'d>(&'d self, thread: &'d str) -> BoxFuture<'d, Result<u64, DriveError>> {
        Box::pin(async move { Ok(self.checkpointer().last_seq(thread).await?) })
    }

    fn run<'d>(
        &'d self,
        thread: &'d str,
        invocation: Invocation,
        request: RunRequest,
    ) -> BoxFuture<'d, Result<RunEnd, DriveError>> {
        Box::pin(async move {
            let handle = self.thread(thread);
            let run = if has_begun(&**self.checkpointer(), thread, invocation.since).await? {
                match self.checkpointer().thread(thread).await?.map(|row| row.status) {
                    // The process that drove the run died, or dropped it when it was stopped.
                    Some(ThreadStatus::Running | ThreadStatus::Cancelled | ThreadStatus::Drained) => handle.continue_(),
                    _ => return self.state(thread).await,
                }
            } else {
                begin(self, &handle, request)?
            };
            match run.await {
                Ok(Outcome::Drained { .. }) => {
                    Err(DriveError::Later("the process that drives the run stops".to_owned()))
                }
                Ok(_) => self.state(thread).await,
                Err(error) => match DriveError::from(error) {
                    DriveError::Failed(message) => {
                        let stands = self.state(thread).await?;
                        Ok(RunEnd { status: ThreadStatus::Failed, detail: message, ..stands })
                    }
                    other => Err(other),
                },
            }
        })
    }

    fn state<'d>(&'d self, thread: &'d str) -> BoxFuture<'d, Result<RunEnd, DriveError>> {
        Box::pin(async move {
            let stands = self.thread(thread).state().await?;
            let state = serde_json::to_value(&*stands.state).map_err(refused)?;
            let questions = stands.questions.iter().cloned().map(ThreadQuestion::from).collect();
            Ok(RunEnd { status: stands.status, detail: stands.detail, state, questions, next: stands.next })
        })
    }

    fn cancel(&self, thread: &str) {
        self.thread(thread).cancel();
    }

    fn shut_down(&self) {
        self.shutdown();
    }
}

/// The run that is asked for.
fn begin<S, Cx>(threads: &Threads<S, Cx>, thread: &Thread<S, Cx>, request: RunRequest) -> Result<Run<S>, DriveError>
where
    S: State,
    Cx: Send + Sync + 'static,
{
    let RunRequest { input, answers, context } = request;
    if !context.is_empty() {
        return Err(DriveError::Refused("the runs of these threads have no context of their own".to_owned()));
    }
    match (input, answers) {
        (Some(_), Some(_)) => {
            Err(DriveError::Refused("a run begins with an input or with answers, not with both".to_owned()))
        }
        (Some(fields), None) => Ok(thread.run(threads.app().graph().update_of(&fields).map_err(refused)?)),
        (None, Some(answers)) => {
            let add = |all: Answers, (key, answer): (String, Value)| all.and(&key, answer);
            Ok(thread.resume(answers.into_iter().try_fold(Answers::new(), add)?))
        }
        (None, None) => Ok(thread.continue_()),
    }
}

/// Whether a run of the thread has begun after this place in its journal: then the request was taken.
async fn has_begun(store: &dyn Checkpointer, thread: &str, since: u64) -> Result<bool, CheckpointError> {
    let mut last = since;
    loop {
        let rows = store.journal(thread, last, PAGE).await?;
        let Some(newest) = rows.last() else { return Ok(false) };
        last = newest.seq;
        let begins = |event: &graphloom_core_graph::Event| {
            event.ns.is_empty() && matches!(event.kind, EventKind::RunStarted { .. })
        };
        if rows.iter().any(|row| row.event.read().is_ok_and(|event| begins(&event))) {
            return Ok(true);
        }
    }
}

fn refused(error: impl std::error::Error) -> DriveError {
    DriveError::Refused(error.to_string())
}

impl From<CheckpointError> for DriveError {
    fn from(error: CheckpointError) -> Self {
        Self::Later(error.to_string())
    }
}

impl From<RunError> for DriveError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Checkpoint(error) => error.into(),
            RunError::WrongStatus { .. }
            | RunError::BadAnswer { .. }
            | RunError::BadUpdate { .. }
            | RunError::UnknownQuestion { .. }
            | RunError::GraphMismatch { .. }
            | RunError::Migration { .. }
            | RunError::State(_) => Self::Refused(error.to_string()),
            failed => Self::Failed(failed.to_string()),
        }
    }
}
