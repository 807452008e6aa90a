//! The bounded queue between a run and its subscriber.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::event::{Event, EventKind, EventMode};

/// What happens when a subscriber is slower than its run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lag {
    /// The run waits.
    #[default]
    Block,
    /// The oldest events are lost, and [`EventKind::Lagged`] tells how many.
    DropOldest,
}

/// Events that a subscriber has not read.
#[derive(Debug)]
pub(crate) struct Queue {
    inner: Mutex<Inner>,
    lag: Lag,
    /// What the subscriber wants to be told.
    modes: Vec<EventMode>,
    room: Notify,
    news: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    events: VecDeque<Event>,
    lost: u64,
    /// The run has ended.
    finished: bool,
    /// The subscriber has gone.
    closed: bool,
}

/// Unread events kept at most.
const CAPACITY: usize = 1024;

impl Queue {
    pub(crate) fn new(lag: Lag, modes: Vec<EventMode>) -> Self {
        Self { inner: Mutex::default(), lag, modes, room: Notify::new(), news: Notify::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) async fn send(&self, event: Event) {
        if !self.modes.iter().any(|mode| event.kind.is_in(*mode)) {
            return;
        }
        loop {
            let room = self.room.notified();
            tokio::pin!(room);
            room.as_mut().enable();
            {
                let mut inner = self.lock();
                if inner.closed {
                    return;
                }
                if inner.events.len() >= CAPACITY && self.lag == Lag::DropOldest {
                    inner.events.pop_front();
                    inner.lost += 1;
                }
                if inner.events.len() < CAPACITY {
                    inner.events.push_back(event);
                    self.news.notify_one();
                    return;
                }
            }
            room.await;
        }
    }

    pub(crate) async fn next(&self) -> Option<Event> {
        loop {
            {
                let mut inner = self.lock();
                let lost = std::mem::take(&mut inner.lost);
                if lost > 0
                    && let Some(first) = inner.events.front()
                {
                    let lagged =
                        Event { seq: None, task: None, attempt: 0, kind: EventKind::Lagged { lost }, ..first.clone() };
                    return Some(lagged);
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
