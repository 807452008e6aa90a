//! The bounded queue between a run and its subscriber.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::Arc;

use tokio::sync::Notify;

use crate::event::{Event, EventKind, EventMode};
use crate::limits::Control;
use crate::sync::{Mutex, MutexGuard, lock};

/// What happens when a subscriber is slower than its run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lag {
    /// The run waits, until it is asked to stop: from then on it goes by `DropOldest`, so that a subscriber who has
    /// stalled cannot keep it.
    #[default]
    Block,
    /// The oldest events are lost, and [`EventKind::Lagged`] tells how many.
    DropOldest,
}

/// Events that a subscriber has not read.
#[derive(Debug)]
pub(crate) struct Queue {
    inner: Mutex<Unread>,
    lag: Lag,
    /// The modes of events that the subscriber asked for.
    modes: Vec<EventMode>,
    /// Asks the run to stop, which ends every wait for room.
    control: Arc<Control>,
    room: Notify,
    news: Notify,
}

/// An event that waits for room. Its sender may be dropped before there is any: the event then counts as lost.
struct Late<'a> {
    queue: &'a Queue,
    event: Option<Event>,
}

impl Drop for Late<'_> {
    fn drop(&mut self) {
        if self.event.is_some() {
            self.queue.lock().lost += 1;
        }
    }
}

#[derive(Debug, Default)]
struct Unread {
    events: VecDeque<Event>,
    lost: u64,
    /// The run has ended.
    finished: bool,
    /// The subscriber has gone.
    closed: bool,
}

/// Unread events kept at most.
const CAPACITY: usize = if cfg!(shuttle) { 1 } else { 1024 };

impl Queue {
    pub(crate) fn new(lag: Lag, modes: Vec<EventMode>, control: Arc<Control>) -> Self {
        Self { inner: Mutex::default(), lag, modes, control, room: Notify::new(), news: Notify::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Unread> {
        lock(&self.inner)
    }

    /// Whether the subscriber asked for events of this mode.
    pub(crate) fn wants(&self, mode: EventMode) -> bool {
        self.modes.iter().any(|wanted| *wanted == mode || *wanted == EventMode::Debug)
    }

    /// Sends an event at once, if there is room for it or nobody wants it; waits for room otherwise.
    pub(crate) fn send(&self, event: Event) -> impl Future<Output = ()> + Send + '_ {
        let is_wanted = self.modes.iter().any(|mode| event.kind.is_in(*mode));
        // On the heap, as all that waits here: who sends holds room for it.
        let late = if is_wanted { self.offer(event).map(Box::new) } else { None };
        async move {
            if let Some(event) = late {
                Box::pin(self.send_when_there_is_room(*event)).await;
            }
        }
    }

    /// Waits for room, or until the run is asked to stop.
    async fn send_when_there_is_room(&self, event: Event) {
        let mut late = Late { queue: self, event: Some(event) };
        while let Some(event) = late.event.take() {
            let room = self.room.notified();
            tokio::pin!(room);
            room.as_mut().enable();
            late.event = self.offer(event);
            if late.event.is_some() {
                tokio::select! {
                    () = room => {}
                    () = self.control.stopping() => {}
                }
            }
        }
    }

    /// Gives an event back for which there is no room.
    fn offer(&self, event: Event) -> Option<Event> {
        let mut inner = self.lock();
        if inner.closed {
            return None;
        }
        if inner.events.len() >= CAPACITY {
            if self.lag == Lag::Block && self.control.reason().is_none() {
                return Some(event);
            }
            inner.events.pop_front();
            inner.lost += 1;
        }
        inner.events.push_back(event);
        self.news.notify_one();
        None
    }

    pub(crate) async fn next(&self) -> Option<Event> {
        loop {
            {
                let mut inner = self.lock();
                if inner.lost > 0
                    && let Some(first) = inner.events.front().cloned()
                {
                    let kind = EventKind::Lagged { lost: std::mem::take(&mut inner.lost) };
                    return Some(Event { seq: None, task: None, attempt: 0, kind, ..first });
                }
                if let Some(event) = inner.events.pop_front() {
                    self.room.notify_one();
                    return Some(event);
                }
                if inner.finished {
                    return None;
                }
            }
            self.news.notified().await;
        }
    }

    /// No more events will come.
    pub(crate) fn finish(&self) {
        self.lock().finished = true;
        self.news.notify_one();
    }

    /// Nobody reads any more.
    pub(crate) fn close(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        inner.events.clear();
        self.room.notify_waiters();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.lock().closed
    }
}

#[cfg(test)]
#[cfg(shuttle)]
mod races;
