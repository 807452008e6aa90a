//! Runs.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::stream::{RunPlace, RunStream};
use crate::transport::{Answer, Call, Transport, content_type, described};
use crate::{CancelAction, ClientError, Interrupt, NewRun, Run, RunId, RunSearch, ThreadId};

/// The runs of a server. Where the thread may be none, the run gets one of its own, which is deleted at its end.
///
/// # Errors
/// All calls fail as [`ClientError`] says; what is not there is 404, a busy thread 409. A run that failed is
/// [`ClientError::RunFailed`] for whoever waits for it.
#[derive(Clone, Debug)]
pub struct Runs {
    transport: Arc<Transport>,
}

/// What a run that was waited for left.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunResult {
    /// The state. The LangGraph server leaves it out when it is [joined](Runs::join) at a question.
    pub values: Value,
    /// The open questions, if it waits for answers.
    pub interrupts: Vec<Interrupt>,
}

impl RunResult {
    /// The state as a type.
    ///
    /// # Errors
    /// A state that does not fit.
    pub fn values_as<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        T::deserialize(&self.values)
    }

    fn read(mut values: Value) -> Result<Self, ClientError> {
        let Value::Object(fields) = &mut values else { return Ok(Self { values, interrupts: Vec::new() }) };
        if let Some(error) = fields.get("__error__") {
            return Err(failed(error));
        }
        let interrupts =
            fields.shift_remove("__interrupt__").map(|told| Self::interrupts_of(&told)).unwrap_or_default();
        Ok(Self { values, interrupts })
    }

    /// The questions under `__interrupt__`. One that cannot be read is one nevertheless.
    pub(crate) fn interrupts_of(told: &Value) -> Vec<Interrupt> {
        let one = |told: &Value| {
            Interrupt::deserialize(told).unwrap_or_else(|_| Interrupt { value: told.clone(), ..Interrupt::default() })
        };
        told.as_array().map_or_else(|| vec![one(told)], |told| told.iter().map(one).collect())
    }
}

/// The error of a run, `{"error", "message"}`.
pub(crate) fn failed(error: &Value) -> ClientError {
    let text = |field: &str| error.get(field).and_then(Value::as_str).map(str::to_owned);
    ClientError::RunFailed {
        kind: text("error").unwrap_or_else(|| "Error".to_owned()),
        message: text("message").unwrap_or_else(|| error.to_string()),
    }
}

#[expect(clippy::missing_errors_doc, reason = "the type says it for all of its calls")]
impl Runs {
    pub(crate) fn new(transport: Arc<Transport>) -> Self {
        Self { transport }
    }

    /// Starts a run and does not wait for it.
    pub async fn create(&self, thread: impl Into<Option<ThreadId>>, new: NewRun) -> Result<Run, ClientError> {
        self.transport.json(&Call::post(path(thread.into(), &[])).json(&new)).await
    }

    /// Starts several runs that have no thread.
    pub async fn batch(&self, new: &[NewRun]) -> Result<Vec<Run>, ClientError> {
        self.transport.json(&Call::post(["runs", "batch"]).json(&new)).await
    }

    /// Starts a run and waits for what it leaves. When the connection breaks meanwhile, the run is [joined](Self::join).
    pub async fn wait(&self, thread: impl Into<Option<ThreadId>>, new: NewRun) -> Result<RunResult, ClientError> {
        let call = Call::post(path(thread.into(), &["wait"])).json(&new).long();
        let answer = self.transport.send(&call, "application/json").await?;
        let place = RunPlace::named(&self.transport, &answer)?;
        match (self.result(answer).await, place) {
            (Err(ClientError::Broken { reason, .. }), Some(place)) => {
                tracing::debug!(run = %place.run, reason, "the run is joined, because the connection broke off");
                self.join_at(place).await
            }
            (result, _) => result,
        }
    }

    /// Starts a run and reads what it tells. The stream goes on when the connection breaks.
    pub async fn stream(&self, thread: impl Into<Option<ThreadId>>, new: NewRun) -> Result<RunStream, ClientError> {
        RunStream::start(Arc::clone(&self.transport), thread.into(), new).await
    }

    /// The runs of a thread, newest first.
    pub async fn list(&self, thread: ThreadId, search: RunSearch) -> Result<Vec<Run>, ClientError> {
        let mut call = Call::get(path(Some(thread), &[]));
        if let Some(Value::String(status)) = search.status.and_then(|status| serde_json::to_value(status).ok()) {
            call = call.query("status", &status);
        }
        if let Some(limit) = search.limit {
            call = call.query("limit", &limit);
        }
        if let Some(offset) = search.offset {
            call = call.query("offset", &offset);
        }
        self.transport.json(&call).await
    }

    /// A run.
    pub async fn get(&self, thread: ThreadId, run: RunId) -> Result<Run, ClientError> {
        self.transport.json(&Call::get(path(Some(thread), &[&run.to_string()]))).await
    }

    /// Deletes a run that is over.
    pub async fn delete(&self, thread: ThreadId, run: RunId) -> Result<(), ClientError> {
        self.transport.done(&Call::delete(path(Some(thread), &[&run.to_string()]))).await
    }

    /// Waits for what a run leaves, also one that is over.
    pub async fn join(&self, thread: impl Into<Option<ThreadId>>, run: RunId) -> Result<RunResult, ClientError> {
        self.join_at(RunPlace { thread: thread.into(), run }).await
    }

    /// Reads what a run tells, from its first event on, or from the one after `after`. The LangGraph server has what was
    /// told only of runs that were started as `stream_resumable`.
    pub async fn join_stream(
        &self,
        thread: impl Into<Option<ThreadId>>,
        run: RunId,
        after: Option<&str>,
    ) -> Result<RunStream, ClientError> {
        let place = RunPlace { thread: thread.into(), run };
        RunStream::join(Arc::clone(&self.transport), place, after).await
    }

    /// Cancels a run, and waits for its end when `wait`. One that is over is 404.
    pub async fn cancel(
        &self,
        thread: ThreadId,
        run: RunId,
        action: CancelAction,
        wait: bool,
    ) -> Result<(), ClientError> {
        let call = Call::post(path(Some(thread), &[&run.to_string(), "cancel"]));
        let call = call.query("wait", &u8::from(wait)).query("action", &action.as_str());
        self.transport.done(&if wait { call.long() } else { call }).await
    }

    /// Cancels several runs of a thread.
    pub async fn cancel_many(&self, thread: ThreadId, runs: &[RunId], action: CancelAction) -> Result<(), ClientError> {
        let call = Call::post(["runs", "cancel"]).query("action", &action.as_str());
        self.transport.done(&call.json(&json!({"thread_id": thread, "run_ids": runs}))).await
    }

    async fn join_at(&self, place: RunPlace) -> Result<RunResult, ClientError> {
        RunResult::read(self.transport.json(&Call::get(place.path(&["join"])).long()).await?)
    }

    async fn result(&self, answer: Answer) -> Result<RunResult, ClientError> {
        let Answer { response, call } = answer;
        let headers = response.headers().clone();
        let broken = |reason| ClientError::Broken { call: call.clone(), host: self.transport.host(), reason };
        let bytes = self.transport.body(&call, response, true).await?.map_err(broken)?;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            // The signs of life came, and the result did not.
            return Err(broken("the answer ended before the result".to_owned()));
        }
        if content_type(&headers).starts_with("text/html") {
            return Err(self.transport.unexpected(&call, "the JSON of the protocol", described(&bytes, &headers)));
        }
        RunResult::read(self.transport.read(&call, &bytes, &headers)?)
    }
}

/// The path of runs: of a thread, or of none.
fn path(thread: Option<ThreadId>, rest: &[&str]) -> Vec<String> {
    let mut path: Vec<_> = thread.map(|thread| vec!["threads".to_owned(), thread.to_string()]).unwrap_or_default();
    path.push("runs".to_owned());
    path.extend(rest.iter().map(ToString::to_string));
    path
}
