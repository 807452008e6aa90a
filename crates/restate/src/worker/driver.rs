//! What is said to the process that drives a run.

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use tokio::time::{Instant, sleep, timeout};

use super::Worker;
use super::execution::Ended;
use super::unreachable::REACH;
use crate::engine::causes;
use crate::wire::{Answer, Frames, Message, PATH, Summons};

/// The first wait before the process is asked again, and the longest.
const PAUSE: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(1);

/// Why a process is not asked that another task could not reach.
const JUST_TRIED: &str = "another task could not reach it a moment ago";

/// The process that drives the run of a task.
pub(super) struct Driver {
    worker: Arc<Worker>,
    /// Where it listens.
    callback: String,
    key: String,
}

/// Why a process does not answer.
#[derive(Debug)]
pub(super) enum Lost {
    /// It does not wait for the task any more, or could not be reached for so long that nobody does.
    Over,
    /// It does not take what was said, and will not.
    Refused(String),
    /// It cannot be reached.
    Silent(String),
}

/// Answers of the process, as they come.
pub(super) struct AnswerStream {
    response: reqwest::Response,
    frames: Frames,
}

impl From<Lost> for Ended {
    fn from(lost: Lost) -> Self {
        match lost {
            Lost::Over => Self::Over,
            Lost::Refused(reason) => Self::Elsewhere(reason),
            Lost::Silent(reason) => {
                Self::Elsewhere(format!("the process that drives the run cannot be reached: {reason}"))
            }
        }
    }
}

impl Driver {
    pub(super) fn new(worker: &Arc<Worker>, summons: &Summons) -> Self {
        Self { worker: Arc::clone(worker), callback: summons.callback.clone(), key: summons.key.clone() }
    }

    /// Whether the process may be asked for a task.
    ///
    /// # Errors
    /// It could not be reached a moment ago, or another task finds out whether it can be now.
    pub(super) fn may_be_asked(&self) -> Result<(), Lost> {
        self.worker.unreachable.since(&self.callback).map_or(Ok(()), |since| Err(self.lost_since(since, JUST_TRIED)))
    }

    /// Asks for the task, once: the engine brings it again, and a place is not kept for a process that may be gone.
    pub(super) async fn begin(&self) -> Result<AnswerStream, Lost> {
        let bytes = Message::Begin.to_bytes().map_err(|error| Lost::Refused(error.to_string()))?;
        if let Some(since) = self.worker.unreachable.asked(&self.callback) {
            return Err(self.lost_since(since, JUST_TRIED));
        }
        let began = Instant::now();
        let said =
            timeout(REACH, self.ask(bytes)).await.unwrap_or_else(|_| Err(Lost::Silent("it says nothing".into())));
        match said {
            Err(Lost::Silent(reason)) => {
                let since = self.worker.unreachable.lost(&self.callback, began);
                Err(self.lost_since(since, &reason))
            }
            said => {
                self.worker.unreachable.reached(&self.callback);
                said
            }
        }
    }

    /// What it means that the process could not be reached since then: nobody waits for tasks of one that was silent for too long,
    /// or who does asks the engine anew.
    fn lost_since(&self, since: Instant, reason: &str) -> Lost {
        if since.elapsed() < self.worker.silence { Lost::Silent(reason.to_owned()) } else { Lost::Over }
    }

    /// Says something, again and again until it is answered or the process was silent for too long.
    pub(super) async fn say(&self, message: &Message) -> Result<AnswerStream, Lost> {
        let bytes = message.to_bytes().map_err(|error| Lost::Refused(error.to_string()))?;
        let (began, mut pause) = (Instant::now(), PAUSE);
        loop {
            match self.ask(bytes.clone()).await {
                Err(Lost::Silent(_)) if began.elapsed() < self.worker.silence => {}
                Err(Lost::Silent(reason)) => {
                    self.worker.unreachable.lost(&self.callback, began);
                    return Err(Lost::Silent(reason));
                }
                said => return said,
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST);
        }
    }

    /// Says something that may be lost.
    pub(super) async fn mention(&self, message: &Message) -> Result<(), Lost> {
        let bytes = message.to_bytes().map_err(|error| Lost::Refused(error.to_string()))?;
        self.ask(bytes).await?.next().await.map(drop).map_err(Lost::Silent)
    }

    async fn ask(&self, bytes: Vec<u8>) -> Result<AnswerStream, Lost> {
        let request = self.worker.client.post(format!("{}{PATH}", self.callback)).bearer_auth(&self.key).body(bytes);
        let response = request.send().await.map_err(|error| Lost::Silent(causes(&error)))?;
        match response.status() {
            StatusCode::OK => Ok(AnswerStream { response, frames: Frames::default() }),
            StatusCode::GONE => Err(Lost::Over),
            status => {
                let said = response.text().await.unwrap_or_default();
                Err(Lost::Refused(format!("the process that drives the run refused a message: {status}: {said}")))
            }
        }
    }
}

impl AnswerStream {
    /// The next answer; none where there are no more.
    pub(super) async fn next(&mut self) -> Result<Option<Answer>, String> {
        loop {
            if let Some(answer) = self.frames.next().map_err(|error| error.to_string())? {
                return Ok(Some(answer));
            }
            match self.response.chunk().await.map_err(|error| causes(&error))? {
                Some(piece) => self.frames.push(&piece),
                None => return self.frames.end().map(|()| None).map_err(|error| error.to_string()),
            }
        }
    }
}
