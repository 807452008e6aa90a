//! What a run tells.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::stream::{BoxStream, Stream, StreamExt};

use super::frames::EVENTS;
use super::position::Position;
use super::reader::{Reader, Source};
use super::{RunPlace, StreamEvent, frames};
use crate::transport::{Call, Transport};
use crate::{ClientError, NewRun, RunId, ThreadId};

/// Asks for everything that a run told, §4.5 of the protocol.
const BEGINNING: &str = "-1";

/// What a run tells, in order, without a gap and without a repeat, over as many connections as it takes. The last event is
/// [`Error`](crate::StreamData::Error) or [`End`](crate::StreamData::End), or the stream is broken and ends with an error.
/// Dropping it closes the connection; the run goes on unless it was started with
/// [`DisconnectMode::Cancel`](crate::DisconnectMode).
#[must_use = "a stream does nothing unless it is read"]
pub struct RunStream {
    place: Option<RunPlace>,
    events: BoxStream<'static, Result<StreamEvent, ClientError>>,
}

impl RunStream {
    pub(crate) async fn start(
        transport: Arc<Transport>,
        thread: Option<ThreadId>,
        mut new: NewRun,
    ) -> Result<Self, ClientError> {
        new.stream_resumable.get_or_insert(true);
        let path = match thread {
            Some(thread) => vec!["threads".to_owned(), thread.to_string(), "runs".to_owned(), "stream".to_owned()],
            None => vec!["runs".to_owned(), "stream".to_owned()],
        };
        let answer = transport.send(&Call::post(path).json(&new), EVENTS).await?;
        let place = RunPlace::named(&transport, &answer)?;
        let frames = frames(&transport, answer).await?;
        Ok(Self::of(Reader::new(transport, Source::Run(place), Position::after(BEGINNING), Some(frames))))
    }

    pub(crate) async fn join(
        transport: Arc<Transport>,
        place: RunPlace,
        after: Option<&str>,
    ) -> Result<Self, ClientError> {
        let after = after.unwrap_or(BEGINNING);
        let answer = transport.send(&place.stream().after(after), EVENTS).await?;
        let (position, frames) = (Position::after(after), frames(&transport, answer).await?);
        Ok(Self::of(Reader::new(transport, Source::Run(Some(place)), position, Some(frames))))
    }

    fn of(reader: Reader) -> Self {
        Self { place: reader.place(), events: events(reader) }
    }

    /// The thread of the run, where the server names it and it is no temporary one.
    pub fn thread_id(&self) -> Option<ThreadId> {
        self.place?.thread
    }

    /// The run. A server that does not name it when the stream begins tells it with the first event.
    pub fn run_id(&self) -> Option<RunId> {
        self.place.map(|place| place.run)
    }
}

/// The events of a reader.
pub(super) fn events(reader: Reader) -> BoxStream<'static, Result<StreamEvent, ClientError>> {
    futures::stream::unfold(reader, |mut reader| async move { reader.next().await.map(|event| (event, reader)) })
        .boxed()
}

impl Stream for RunStream {
    type Item = Result<StreamEvent, ClientError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.poll_next_unpin(context)
    }
}

impl fmt::Debug for RunStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunStream").field("place", &self.place).finish_non_exhaustive()
    }
}
