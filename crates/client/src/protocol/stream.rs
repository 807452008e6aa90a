//! The events of a thread over as many connections as it takes.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::stream::{BoxStream, Stream, StreamExt};

use super::{ProtocolEvent, Subscription};
use crate::stream::{EVENTS, FrameError, Frames, frames};
use crate::transport::{Call, Transport, pause};
use crate::{ClientError, ThreadId};

/// How many ids are remembered to leave out what is told twice. A server tells again what follows a place, which is little.
const REMEMBERED: usize = 4096;

/// The events of a thread: those that the server still has, then those that come. It never ends by itself. A connection
/// that breaks is followed by another, which goes on after the last place and leaves out events of known ids.
#[must_use = "a stream does nothing unless it is read"]
pub struct EventStream {
    events: BoxStream<'static, Result<ProtocolEvent, ClientError>>,
}

struct Reader {
    transport: Arc<Transport>,
    thread: ThreadId,
    subscription: Subscription,
    frames: Option<Frames>,
    known: Known,
    failures: u32,
    reason: String,
    is_done: bool,
}

/// The ids of the last events.
#[derive(Default)]
struct Known {
    ids: HashSet<String>,
    order: VecDeque<String>,
}

impl Known {
    /// Whether an id is new.
    fn insert(&mut self, id: &str) -> bool {
        if !self.ids.insert(id.to_owned()) {
            return false;
        }
        self.order.push_back(id.to_owned());
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
        true
    }
}

fn call(thread: ThreadId, subscription: &Subscription) -> Call {
    Call::post(["threads", &thread.to_string(), "stream", "events"]).json(subscription)
}

impl EventStream {
    pub(super) async fn open(
        transport: Arc<Transport>,
        thread: ThreadId,
        subscription: Subscription,
    ) -> Result<Self, ClientError> {
        let answer = transport.send(&call(thread, &subscription), EVENTS).await?;
        let frames = Some(frames(&transport, answer).await?);
        let (known, reason) = (Known::default(), String::new());
        let reader = Reader { transport, thread, subscription, frames, known, failures: 0, reason, is_done: false };
        let events = futures::stream::unfold(reader, |mut reader| async move {
            if reader.is_done {
                return None;
            }
            let event = reader.next().await;
            reader.is_done = event.is_err();
            Some((event, reader))
        });
        Ok(Self { events: events.boxed() })
    }
}

impl Reader {
    async fn next(&mut self) -> Result<ProtocolEvent, ClientError> {
        loop {
            let Some(frames) = &mut self.frames else {
                self.reopen().await?;
                continue;
            };
            self.reason = match frames.next().await {
                Some(Ok(frame)) => {
                    let event = ProtocolEvent::read(&frame.data).map_err(|error| self.malformed(error.to_string()))?;
                    self.failures = 0;
                    if let Some(seq) = event.seq {
                        self.subscription.since = Some(self.subscription.since.map_or(seq, |since| since.max(seq)));
                    }
                    if event.event_id.as_ref().is_none_or(|id| self.known.insert(id)) {
                        return Ok(event);
                    }
                    continue;
                }
                Some(Err(FrameError::Malformed(reason))) => return Err(self.malformed(reason)),
                Some(Err(FrameError::Broken(reason))) => reason,
                None => "the server closed it".to_owned(),
            };
            self.frames = None;
        }
    }

    async fn reopen(&mut self) -> Result<(), ClientError> {
        loop {
            self.failures += 1;
            let most = self.transport.options.reconnects;
            if self.failures > most {
                let last = self.subscription.since.map(|seq| seq.to_string());
                return Err(ClientError::StreamBroken { reconnects: most, reason: self.reason.clone(), last });
            }
            tokio::time::sleep(pause(self.transport.options.first_pause, self.failures)).await;
            match self.transport.send_single(&call(self.thread, &self.subscription), EVENTS).await {
                Ok(answer) => {
                    self.frames = Some(frames(&self.transport, answer).await?);
                    return Ok(());
                }
                Err(error) if error.is_temporary() => self.reason = error.to_string(),
                Err(error) => return Err(error),
            }
        }
    }

    fn malformed(&self, found: String) -> ClientError {
        self.transport.unexpected(&call(self.thread, &self.subscription).label(), "a stream of events", found)
    }
}

impl Stream for EventStream {
    type Item = Result<ProtocolEvent, ClientError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.poll_next_unpin(context)
    }
}

impl fmt::Debug for EventStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EventStream")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_remembered_up_to_a_bound() {
        let mut known = Known::default();
        assert!(known.insert("first") && !known.insert("first"));
        for id in 0..REMEMBERED {
            assert!(known.insert(&id.to_string()));
        }
        assert!(known.insert("first"), "the oldest is forgotten");
        assert_eq!((known.ids.len(), known.order.len()), (REMEMBERED, REMEMBERED));
    }
}
