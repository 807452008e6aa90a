//! What is asked of the process that holds a thread.
//!
//! The id of a run is chosen by who asks for it, before it is asked for. So whoever asks again after the holder died finds whether
//! the run was accepted, and it is accepted once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::cluster::{Asked, Holder, Letter, Member};
use crate::records::RunRecord;
use crate::refusal::Refusal;
use crate::runs::live::{Cancel, LiveRun};
use crate::runs::place::{Opening, Place};
use crate::runs::{Inner, NewRun, Submitted};

/// How long it is tried to find who holds a thread, and to be answered: longer than it takes to take over from one that died.
const PATIENCE: Duration = Duration::from_secs(30);

/// Before it is asked again who holds a thread.
const PAUSE: Duration = Duration::from_millis(10);

/// What one process asks another.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Request {
    Submit { thread: Uuid, new: Box<NewRun> },
    Cancel { thread: Uuid, run: Uuid, cancel: Cancel },
}

/// What the other one answers.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Submitted(Box<RunRecord>),
    /// Whether the run was under way or waited.
    Cancelled(bool),
    Refused(Refusal),
    /// It does not hold the thread.
    NotHeld,
}

fn late() -> Refusal {
    Refusal::Unavailable("the process that has the thread does not answer; try again later".to_owned())
}

fn unreadable(error: &serde_json::Error) -> Refusal {
    Refusal::Failed(format!("a message between processes cannot be read: {error}"))
}

impl Inner {
    /// Accepts a run, here or in the process that holds its thread.
    pub(super) async fn submit(self: Arc<Self>, thread: Uuid, mut new: NewRun) -> Result<Submitted, Refusal> {
        let (opening, began) = (Opening::of(&new), Instant::now());
        let mut is_asked = false;
        loop {
            if let Some(run) = new.run_id.filter(|_| is_asked)
                && let Some(record) = self.records.runs.find_of_thread(thread, run).await?
            {
                return self.submitted(record).await;
            }
            let other = match self.place(thread, opening).await? {
                Place::Here(locked) => return locked.accept(&self, new).await,
                Place::There(other) => other,
            };
            new.run_id.get_or_insert_with(Uuid::now_v7);
            let request = Request::Submit { thread, new: Box::new(new.clone()) };
            match self.ask(other, &request, began).await? {
                Some(Answer::Submitted(record)) => return self.submitted(*record).await,
                Some(Answer::Refused(refusal)) => {
                    // One that was asked before may have accepted it since it was looked for.
                    let run = new.run_id.filter(|_| is_asked);
                    let Some(run) = run else { return Err(refusal) };
                    let record = self.records.runs.find_of_thread(thread, run).await?;
                    return self.submitted(record.ok_or(refusal)?).await;
                }
                Some(Answer::NotHeld | Answer::Cancelled(_)) => {}
                None => is_asked = true,
            }
            self.pause(began).await?;
        }
    }

    /// A run that was accepted, here or elsewhere.
    async fn submitted(self: &Arc<Self>, record: RunRecord) -> Result<Submitted, Refusal> {
        let log = self.logs.open(record.thread_id).await?;
        let here = match self.queue_in_use(record.thread_id).await {
            Some(locked) => locked.find(record.run_id),
            None => None,
        };
        let live = here.unwrap_or_else(|| self.watched(&record));
        let before = record.before;
        Ok(Submitted { record, live, log, before })
    }

    /// Cancels a run that another process executes or holds in a queue, or that one left; none where no run is.
    pub(super) async fn cancel_elsewhere(
        self: &Arc<Self>,
        member: &Member,
        thread: Uuid,
        run: Uuid,
        cancel: Cancel,
    ) -> Result<Option<Arc<LiveRun>>, Refusal> {
        let began = Instant::now();
        loop {
            let record = self.records.runs.find_of_thread(thread, run).await?;
            let Some(record) = record.filter(|record| !record.status.is_final()) else { return Ok(None) };
            match member.holder(thread).await? {
                Holder::Nobody => return Ok(None),
                Holder::Member(other) if other != member.id() => {
                    // From before the end on, which comes at once where the run waits.
                    let live = self.watched(&record);
                    match self.ask(other, &Request::Cancel { thread, run, cancel }, began).await? {
                        Some(Answer::Cancelled(true)) => return Ok(Some(live)),
                        Some(Answer::Cancelled(false)) => return Ok(None),
                        Some(Answer::Refused(refusal)) => return Err(refusal),
                        Some(Answer::NotHeld | Answer::Submitted(_)) | None => {}
                    }
                }
                Holder::Member(_) | Holder::Left => {
                    if let Place::Here(locked) = self.place(thread, Opening::taking_up()).await? {
                        return locked.cancel(self, run, cancel).await;
                    }
                }
            }
            self.pause(began).await?;
        }
    }

    async fn pause(&self, began: Instant) -> Result<(), Refusal> {
        if began.elapsed() > PATIENCE {
            return Err(late());
        }
        tokio::time::sleep(PAUSE).await;
        Ok(())
    }

    /// Asks another member; none where it is gone.
    async fn ask(&self, other: Uuid, request: &Request, began: Instant) -> Result<Option<Answer>, Refusal> {
        let Some(member) = &self.member else { return Ok(None) };
        let request = serde_json::to_value(request).map_err(|error| unreadable(&error))?;
        let patience = PATIENCE.saturating_sub(began.elapsed());
        match member.ask(other, request, patience).await? {
            Asked::Answered(answer) => serde_json::from_value(answer).map(Some).map_err(|error| unreadable(&error)),
            Asked::Gone => Ok(None),
            Asked::Late => Err(late()),
        }
    }

    /// Does what another member asks for, and answers it.
    pub(super) async fn reply(self: Arc<Self>, member: Arc<Member>, letter: Letter) {
        let answer = match serde_json::from_value(letter.request.clone()) {
            Ok(request) => self.answer(request).await,
            Err(error) => Answer::Refused(unreadable(&error)),
        };
        let answer = serde_json::to_value(answer).unwrap_or_default();
        if let Err(error) = member.answer(&letter, answer).await {
            tracing::warn!(%error, "another process could not be answered");
        }
    }

    async fn answer(self: &Arc<Self>, request: Request) -> Answer {
        if self.is_closing() {
            return Answer::NotHeld;
        }
        let (Request::Submit { thread, .. } | Request::Cancel { thread, .. }) = &request;
        let locked = match self.place(*thread, Opening::default()).await {
            Ok(Place::Here(locked)) => locked,
            Ok(Place::There(_)) => return Answer::NotHeld,
            Err(refusal) => return Answer::Refused(refusal),
        };
        let queue = Arc::clone(&locked.queue);
        let answer = match request {
            Request::Submit { new, .. } => {
                locked.accept(self, *new).await.map(|submitted| Answer::Submitted(Box::new(submitted.record)))
            }
            Request::Cancel { run, cancel, .. } => {
                locked.cancel(self, run, cancel).await.map(|live| Answer::Cancelled(live.is_some()))
            }
        };
        match answer {
            Ok(answer) => answer,
            // It was lost before that was done: whoever asks finds who holds it now.
            Err(_) if !queue.is_held(self).await => Answer::NotHeld,
            Err(refusal) => Answer::Refused(refusal),
        }
    }
}
