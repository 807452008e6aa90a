//! Reads a stream over as many connections as it takes.
//!
//! - A connection that breaks off, or brings nothing for too long, is followed by another that goes on where it broke.
//! - One that ends properly without a last event is asked about: a run that is over may have told more in between, so the
//!   rest is read before the end is told; one that is not over goes on as after a break.
//! - Connections that bring no new event are bounded in number. One that stood for a while counts as a success, since a
//!   run may be silent for long behind a proxy that is not.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use tokio::time::Instant;

use super::frames::EVENTS;
use super::position::{Admission, Overlap, Position};
use super::{Frame, FrameError, Frames, RunPlace, StreamData, StreamEvent, frames};
use crate::transport::{Call, Transport, asked_pause, pause};
use crate::{ClientError, Run, RunEnd, RunStatus};

/// What is read.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// A run, and where it is, once that is known.
    Run(Option<RunPlace>),
    /// A thread, by the call that streams it.
    Thread(Call),
}

/// Reads a stream over as many connections as it takes.
pub(super) struct Reader {
    transport: Arc<Transport>,
    source: Source,
    position: Position,
    frames: Option<Frames>,
    opened: Instant,
    /// What the open connection repeats.
    overlap: Option<Overlap>,
    /// An event without an id cannot be placed on a connection that was taken up.
    numbered: bool,
    failures: u32,
    reason: String,
    /// How the run stands that is over, while the rest of what it told is read.
    ended: Option<RunStatus>,
    is_done: bool,
}

impl Reader {
    /// A reader whose first connection is open already, or is opened when it is read.
    pub(super) fn new(transport: Arc<Transport>, source: Source, position: Position, frames: Option<Frames>) -> Self {
        Self {
            transport,
            source,
            position,
            frames,
            opened: Instant::now(),
            overlap: None,
            numbered: false,
            failures: 0,
            reason: String::new(),
            ended: None,
            is_done: false,
        }
    }

    pub(super) fn place(&self) -> Option<RunPlace> {
        match &self.source {
            Source::Run(place) => *place,
            Source::Thread(_) => None,
        }
    }

    /// The next event, and none after the last one and after an error.
    pub(super) async fn next(&mut self) -> Option<Result<StreamEvent, ClientError>> {
        if self.is_done {
            return None;
        }
        let event = self.next_event().await;
        self.is_done = match &event {
            Ok(event) => event.is_last() && matches!(self.source, Source::Run(_)),
            Err(_) => true,
        };
        Some(event)
    }

    async fn next_event(&mut self) -> Result<StreamEvent, ClientError> {
        loop {
            let Some(frames) = &mut self.frames else {
                self.reopen().await?;
                continue;
            };
            match frames.next().await {
                Some(Ok(frame)) => {
                    if let Some(event) = self.admit(frame)? {
                        return Ok(event);
                    }
                }
                Some(Err(FrameError::Broken(reason))) => self.broke_off(reason),
                Some(Err(FrameError::Malformed(reason))) => return Err(self.malformed(reason)),
                None => {
                    self.frames = None;
                    if let Some(end) = self.at_proper_end().await? {
                        return Ok(end);
                    }
                }
            }
        }
    }

    /// Takes a frame up as an event, unless it was told before.
    fn admit(&mut self, frame: Frame) -> Result<Option<StreamEvent>, ClientError> {
        if let Some(overlap) = &mut self.overlap {
            match overlap.admit(frame.id.as_deref()) {
                Admission::New => self.overlap = None,
                Admission::Repeat => return Ok(None),
                Admission::Gap => {
                    let (id, found) = (overlap.id().to_owned(), frame.id.unwrap_or_default());
                    return Err(ClientError::Gap { id, found });
                }
            }
        }
        let is_numbered = frame.id.is_some();
        self.position.note(frame.id.as_deref());
        let event = StreamEvent::read(frame).map_err(|error| self.malformed(format!("data of an event: {error}")))?;
        if self.numbered && !is_numbered && !event.is_last() {
            // The server does not know how to go on: it gives what there is from now on.
            return Err(ClientError::NotResumable { reason: self.reason.clone() });
        }
        self.numbered = false;
        self.failures = 0;
        if let (Source::Run(place @ None), StreamData::Metadata(metadata)) = (&mut self.source, &event.data) {
            *place = Some(RunPlace { thread: None, run: metadata.run_id });
        }
        Ok(Some(event))
    }

    fn broke_off(&mut self, reason: String) {
        self.frames = None;
        self.reason = reason;
        if self.opened.elapsed() >= self.transport.options.standing {
            self.failures = 0;
        }
    }

    /// What a connection stands for that ended without a last event: the end of the run, or nothing.
    async fn at_proper_end(&mut self) -> Result<Option<StreamEvent>, ClientError> {
        let Source::Run(place) = &self.source else {
            self.broke_off("the server closed it".to_owned());
            return Ok(None);
        };
        if self.ended.is_some() {
            return Ok(Some(end(self.ended)));
        }
        let Some(place) = place else { return Ok(Some(end(None))) };
        let status = self.transport.json::<Run>(&Call::get(place.path(&[]))).await.map(|run| run.status);
        match status {
            Ok(status) if status.is_over() => {
                if self.position.resume().is_none() {
                    return Ok(Some(end(Some(status))));
                }
                self.ended = Some(status);
                self.reason = "the server closed it".to_owned();
                // No failure, and no pause: this is how it is on servers that tell no end.
                match self.connect().await {
                    Ok(()) => Ok(None),
                    // What is deleted by now has told all.
                    Err(ClientError::Refused { status: 400..500, .. }) => Ok(Some(end(self.ended))),
                    Err(error) if error.is_temporary() => Ok(None),
                    Err(error) => Err(error),
                }
            }
            Ok(_) => {
                self.broke_off("the server closed it before the run was over".to_owned());
                Ok(None)
            }
            // A run that left nothing, such as one without a thread, or on a server that does not know the call.
            Err(ClientError::Refused { status: 400..500, .. }) => Ok(Some(end(None))),
            Err(error) => {
                self.broke_off(error.to_string());
                Ok(None)
            }
        }
    }

    /// Opens another connection, after a pause.
    async fn reopen(&mut self) -> Result<(), ClientError> {
        let mut asked = None;
        loop {
            self.failures += 1;
            let most = self.transport.options.reconnects;
            if self.failures > most {
                let last = self.position.last().map(str::to_owned);
                return Err(ClientError::StreamBroken { reconnects: most, reason: self.reason.clone(), last });
            }
            let own = || pause(self.transport.options.first_pause, self.failures);
            let pause = asked.map_or_else(own, |asked: Duration| asked.min(self.transport.options.patience));
            tracing::debug!(reason = self.reason, failures = self.failures, ?pause, "a stream is opened again");
            tokio::time::sleep(pause).await;
            match self.connect().await {
                Ok(()) => return Ok(()),
                Err(error) if error.is_temporary() => {
                    asked = asked_pause(&error);
                    self.reason = error.to_string();
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn connect(&mut self) -> Result<(), ClientError> {
        let not_resumable = || ClientError::NotResumable { reason: self.reason.clone() };
        let (after, overlap) = self.position.resume().ok_or_else(not_resumable)?;
        let call = match &self.source {
            Source::Run(Some(place)) => place.stream(),
            Source::Run(None) => return Err(not_resumable()),
            Source::Thread(call) => call.clone(),
        };
        let call = after.map_or_else(|| call.clone(), |id| call.clone().after(id));
        let answer = self.transport.send_single(&call, EVENTS).await?;
        self.frames = Some(frames(&self.transport, answer).await?);
        (self.overlap, self.numbered, self.opened) = (overlap, after.is_some(), Instant::now());
        Ok(())
    }

    fn malformed(&self, found: String) -> ClientError {
        let call = match &self.source {
            Source::Run(Some(place)) => place.stream().label(),
            Source::Run(None) => "the stream of a run".to_owned(),
            Source::Thread(call) => call.label(),
        };
        self.transport.unexpected(&call, "a stream of events", found)
    }
}

fn end(status: Option<RunStatus>) -> StreamEvent {
    StreamEvent { id: None, namespace: Vec::new(), data: StreamData::End(RunEnd { status }) }
}
