//! What all runs of a thread tell, §4.6 of the protocol.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::stream::{BoxStream, Stream, StreamExt};

use super::frames::EVENTS;
use super::position::Position;
use super::reader::{Reader, Source};
use super::run::events;
use super::{StreamEvent, frames};
use crate::transport::{Call, Transport};
use crate::{ClientError, ThreadId};

/// What all runs of a thread tell. It never ends by itself. The end of a run is a
/// [`Metadata`](crate::StreamData::Metadata) event with the status `run_done`.
#[must_use = "a stream does nothing unless it is read"]
pub struct ThreadStream {
    thread: ThreadId,
    events: BoxStream<'static, Result<StreamEvent, ClientError>>,
}

impl ThreadStream {
    pub(crate) async fn open(
        transport: Arc<Transport>,
        thread: ThreadId,
        after: Option<&str>,
    ) -> Result<Self, ClientError> {
        // The clients of LangGraph and its server do not agree on the name of the parameter: both are sent.
        let call = Call::get(["threads", &thread.to_string(), "stream"])
            .query("stream_mode", &"run_modes")
            .query("stream_modes", &"run_modes");
        let first = after.map_or_else(|| call.clone(), |id| call.clone().after(id));
        let answer = transport.send(&first, EVENTS).await?;
        let frames = frames(&transport, answer).await?;
        let position = after.map_or_else(Position::now, Position::after);
        let reader = Reader::new(transport, Source::Thread(call), position, Some(frames));
        Ok(Self { thread, events: events(reader) })
    }

    /// The thread.
    pub fn thread_id(&self) -> ThreadId {
        self.thread
    }
}

impl Stream for ThreadStream {
    type Item = Result<StreamEvent, ClientError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.poll_next_unpin(context)
    }
}

impl fmt::Debug for ThreadStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadStream").field("thread", &self.thread).finish_non_exhaustive()
    }
}
