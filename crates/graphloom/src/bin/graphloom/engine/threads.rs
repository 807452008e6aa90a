//! Threads of a server as objects of the engine: whoever asks the engine for a run gets its end, whichever server drives it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::BoxFuture;
use graphloom_restate::{Drive, DriveError, Invocation, RunEnd, RunRequest, ThreadQuestion};
use graphloom_server::{GraphThreads, RunBeginning, ServedThread, ThreadError};

/// The threads of one graph. A run of an invocation has the invocation's id at the server, so that it is accepted once.
pub(crate) struct ObjectThreads {
    threads: GraphThreads,
    /// The invocations under way, by the names of their threads.
    under_way: Arc<Mutex<BTreeMap<String, String>>>,
}

impl ObjectThreads {
    pub(crate) fn new(threads: GraphThreads) -> Self {
        Self { threads, under_way: Arc::default() }
    }

    fn invocations(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, String>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn drive(&self, thread: &str, invocation: Invocation, request: RunRequest) -> Result<RunEnd, DriveError> {
        let RunRequest { input, answers, context, .. } = request;
        let beginning = match (input, answers) {
            (Some(_), Some(_)) => {
                let reason = "a run begins with an input or with answers, not with both";
                return Err(DriveError::Refused(reason.to_owned()));
            }
            (Some(input), None) => RunBeginning::Input(input),
            (None, Some(answers)) => RunBeginning::Answers(answers),
            (None, None) => RunBeginning::Continue,
        };
        self.invocations().insert(thread.to_owned(), invocation.id.clone());
        let ended = self.threads.run(thread, &invocation.id, beginning, context).await;
        self.invocations().remove(thread);
        Ok(told(ended.map_err(refused)?))
    }
}

impl Drive for ObjectThreads {
    /// The id of the invocation tells whether a run was taken up already.
    fn mark<'d>(&'d self, _: &'d str) -> BoxFuture<'d, Result<u64, DriveError>> {
        Box::pin(async { Ok(0) })
    }

    fn run<'d>(
        &'d self,
        thread: &'d str,
        invocation: Invocation,
        request: RunRequest,
    ) -> BoxFuture<'d, Result<RunEnd, DriveError>> {
        Box::pin(self.drive(thread, invocation, request))
    }

    fn state<'d>(&'d self, thread: &'d str) -> BoxFuture<'d, Result<RunEnd, DriveError>> {
        Box::pin(async move { Ok(told(self.threads.state(thread).await.map_err(refused)?)) })
    }

    fn cancel(&self, thread: &str) {
        let Some(invocation) = self.invocations().get(thread).cloned() else { return };
        let (threads, thread) = (self.threads.clone(), thread.to_owned());
        tokio::spawn(async move {
            if let Err(error) = threads.cancel(&thread, &invocation).await {
                tracing::warn!(%error, thread, "a run that was cancelled at the engine goes on");
            }
        });
    }

    /// The server itself stops its runs.
    fn shut_down(&self) {}
}

fn told(thread: ServedThread) -> RunEnd {
    let mut end = RunEnd::new(thread.status, thread.values.into());
    (end.detail, end.next) = (thread.detail, thread.next);
    end.questions = thread.questions.into_iter().map(ThreadQuestion::from).collect();
    end
}

fn refused(error: ThreadError) -> DriveError {
    match error {
        ThreadError::Refused(reason) => DriveError::Refused(reason),
        other => DriveError::Later(other.to_string()),
    }
}
