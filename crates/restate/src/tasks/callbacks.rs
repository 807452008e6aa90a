//! The listener for what workers say, and whom it is about.
//!
//! Each process that drives runs has a listener of its own, apart from what the engine calls: that address may be shared by many
//! processes, and a worker has to reach the one that drives its run. Who has the key of a task may speak for it. A task that is
//! over has no key any more.

use std::convert::Infallible;
use std::future::{pending, ready};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use dashmap::DashMap;
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use http::header::AUTHORIZATION;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use uuid::Uuid;

use crate::error::EngineError;
use crate::http::{listen, serve};
use crate::options::EngineOptions;
use crate::wire::{Answer, Message, PATH};

/// Bytes of a message beside those that it carries.
const AROUND: usize = 64 << 10;

/// What a worker said, and where its answers go.
pub(super) struct Letter {
    pub(super) message: Message,
    pub(super) answers: Answers,
}

/// Where answers to a message go.
#[derive(Clone)]
pub(super) struct Answers(mpsc::UnboundedSender<Bytes>);

/// Who waits for messages, by key.
type Tasks = Arc<DashMap<String, mpsc::UnboundedSender<Letter>>>;

/// The messages about a task; none come any more when this is dropped.
pub(super) struct Mailbox {
    key: String,
    sender: mpsc::UnboundedSender<Letter>,
    letters: mpsc::UnboundedReceiver<Letter>,
    tasks: Tasks,
}

/// A listener for workers, until this is dropped.
pub(super) struct Callbacks {
    url: String,
    tasks: Tasks,
    listening: AbortHandle,
}

type AnswerBody = StreamBody<BoxStream<'static, Result<Frame<Bytes>, Infallible>>>;

impl Callbacks {
    pub(super) fn open(options: &EngineOptions) -> Result<Self, EngineError> {
        let listener = listen(options.callbacks, false)?;
        let address = listener.local_addr();
        let address = address.map_err(|source| EngineError::Listen { address: options.callbacks, source })?;
        let url = match &options.callbacks_at {
            Some(url) => url.as_str().trim_end_matches('/').to_owned(),
            None if address.ip().is_unspecified() => {
                return Err(EngineError::Setting(format!(
                    "workers cannot reach `{address}`; name with `callbacks_at` an address under which they reach this process"
                )));
            }
            None => format!("http://{address}"),
        };
        let tasks = Tasks::default();
        let (known, most) = (Arc::clone(&tasks), options.max_bytes.saturating_add(AROUND));
        let service = service_fn(move |request| {
            let tasks = Arc::clone(&known);
            async move { Ok::<_, Infallible>(answer(&tasks, most, request).await) }
        });
        let listening = tokio::spawn(serve(listener, service, pending(), Duration::ZERO)).abort_handle();
        Ok(Self { url, tasks, listening })
    }

    /// Where workers reach this process.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// The messages about a task from now on.
    pub(super) fn mailbox(&self) -> Mailbox {
        let key = Uuid::new_v4().simple().to_string();
        let (sender, letters) = mpsc::unbounded_channel();
        self.tasks.insert(key.clone(), sender.clone());
        Mailbox { key, sender, letters, tasks: Arc::clone(&self.tasks) }
    }
}

impl Drop for Callbacks {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

impl Mailbox {
    /// What a worker has to know to speak for the task.
    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// The next message.
    pub(super) async fn next(&mut self) -> Letter {
        match self.letters.recv().await {
            Some(letter) => letter,
            // It has a sender itself.
            None => pending().await,
        }
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        self.tasks.remove_if(&self.key, |_, sender| sender.same_channel(&self.sender));
    }
}

impl Answers {
    /// Answers. A worker that is gone need not know it.
    pub(super) fn say(&self, answer: &Answer) {
        match answer.framed() {
            Ok(frame) => drop(self.0.send(frame)),
            Err(error) => tracing::warn!(%error, "a worker is not told"),
        }
    }

    /// Whether the worker listens.
    pub(super) fn is_heard(&self) -> bool {
        !self.0.is_closed()
    }
}

/// The answer to a request of a worker, whose bytes come as whoever drives the task has them.
async fn answer(tasks: &Tasks, most: usize, request: Request<Incoming>) -> Response<AnswerBody> {
    let (parts, body) = request.into_parts();
    if parts.method != Method::POST || parts.uri.path() != PATH {
        return refusal(StatusCode::NOT_FOUND, "there is nothing here");
    }
    let key = parts.headers.get(AUTHORIZATION).and_then(|key| key.to_str().ok()?.strip_prefix("Bearer "));
    let task = key.and_then(|key| tasks.get(key).map(|task| task.clone()));
    let Some(task) = task else { return refusal(StatusCode::GONE, "nobody waits for this task any more") };
    let bytes = match Limited::new(body, most).collect().await {
        Ok(bytes) => bytes.to_bytes(),
        Err(error) => return refusal(StatusCode::PAYLOAD_TOO_LARGE, error.to_string()),
    };
    let message = match Message::from_bytes(&bytes) {
        Ok(message) => message,
        Err(error) => return refusal(StatusCode::BAD_REQUEST, error.to_string()),
    };
    let (sender, answers) = mpsc::unbounded_channel();
    if task.send(Letter { message, answers: Answers(sender) }).is_err() {
        return refusal(StatusCode::GONE, "nobody waits for this task any more");
    }
    let frames = stream::unfold(answers, |mut answers| async {
        answers.recv().await.map(|bytes| (Ok(Frame::data(bytes)), answers))
    });
    Response::new(StreamBody::new(frames.boxed()))
}

fn refusal(status: StatusCode, text: impl Into<String>) -> Response<AnswerBody> {
    let text = Bytes::from(text.into());
    let mut response = Response::new(StreamBody::new(stream::once(ready(Ok(Frame::data(text)))).boxed()));
    *response.status_mut() = status;
    response
}
