//! A stream of one run.

use std::collections::VecDeque;
use std::sync::Arc;

use futures::Stream;
use futures::stream::unfold;
use serde_json::json;
use uuid::Uuid;

use super::projection::{Projection, StreamFrame, StreamOptions};
use super::steps::Steps;
use super::{CancelOnDrop, FrameId};
use crate::host::Host;
use crate::http::Frame;
use crate::log::{RunTail, TailError, ThreadLog};
use crate::runs::RunManager;

/// Where a stream begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    /// After a frame.
    Frame(FrameId),
    /// With what is told from now on; of a run that has ended only its end.
    Now,
}

/// The frames of one run, up to its end.
pub(crate) struct RunStream {
    manager: RunManager,
    thread: Uuid,
    steps: Steps,
    tail: RunTail,
    projection: Projection,
    ready: VecDeque<StreamFrame>,
    /// The newest entry of the log when the stream began, where it began with what follows.
    began: Option<u64>,
    has_ended: bool,
    on_drop: Option<CancelOnDrop>,
}

impl RunStream {
    /// Reads a run that told its first entry after entry `before` of its thread's log.
    pub(crate) fn new(
        host: &Host,
        log: &Arc<ThreadLog>,
        run: Uuid,
        before: u64,
        options: StreamOptions,
        since: Since,
    ) -> Self {
        let (after, began) = match since {
            Since::Frame(frame) => (frame, None),
            Since::Now => (FrameId::after_entry(log.last()), Some(log.last())),
        };
        Self {
            manager: host.manager.clone(),
            thread: log.thread(),
            steps: Steps::new(host, log.thread()),
            tail: RunTail::new(log, run, before),
            projection: Projection::new(log.thread(), run, options, after),
            ready: VecDeque::new(),
            began,
            has_ended: false,
            on_drop: None,
        }
    }

    /// Cancels the run when the stream is dropped before the run has ended.
    pub(crate) fn or_cancel(mut self, cancel: Option<CancelOnDrop>) -> Self {
        self.on_drop = cancel;
        self
    }

    /// The next frame; none after the end of the run, or when its log has ended.
    ///
    /// # Errors
    /// As [`RunTail::next`].
    pub(super) async fn next(&mut self) -> Result<Option<StreamFrame>, TailError> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Ok(Some(frame));
            }
            if self.has_ended {
                return Ok(None);
            }
            let Some(entry) = self.tail.next().await? else { return Ok(None) };
            self.steps.teach(&mut self.projection, &entry).await;
            let is_end = matches!(entry.event, crate::log::LogEvent::RunEnded { .. });
            if is_end {
                self.has_ended = true;
                self.manager.recorded(self.thread, entry.run).await;
                if let Some(cancel) = &mut self.on_drop {
                    cancel.disarm();
                }
                if self.began.is_some_and(|began| entry.seq <= began) {
                    self.projection.show_all();
                    self.ready.extend(self.projection.take(&entry).pop());
                    continue;
                }
            }
            self.ready.extend(self.projection.take(&entry));
        }
    }

    /// The frames as bytes. Entries that are no longer kept, or cannot be read, end them with an `error`.
    pub(crate) fn frames(self) -> impl Stream<Item = Frame> + Send + 'static {
        unfold(Some(self), |stream| async move {
            let mut stream = stream?;
            match stream.next().await {
                Ok(Some(frame)) => Some((frame.encoded(), Some(stream))),
                Ok(None) => None,
                Err(error) => Some((unreadable(&error), None)),
            }
        })
    }
}

/// The frame of a log that cannot be read on. It has no id: whoever asks again begins after the last frame that came whole.
pub(super) fn unreadable(error: &TailError) -> Frame {
    tracing::warn!(%error, "a stream ends early");
    let kind = if matches!(error, TailError::Gone { .. }) { "EventsGone" } else { "StoreError" };
    Frame::encoded("error", &json!({"error": kind, "message": error.to_string()}).to_string(), None)
}
