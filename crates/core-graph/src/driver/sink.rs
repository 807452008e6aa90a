//! The bounded queue between a run and its subscriber.

use std::collections::VecDeque;
use std::future::Future;
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

    async fn send_when_there_is_room(&self, mut event: Event) {
        loop {
            let room = self.room.notified();
            tokio::pin!(room);
            room.as_mut().enable();
            match self.offer(event) {
                None => return,
                Some(back) => event = back,
            }
            room.await;
        }
    }

    /// Gives an event back for which there is no room.
    fn offer(&self, event: Event) -> Option<Event> {
        let mut inner = self.lock();
        if inner.closed {
            return None;
        }
        if inner.events.len() >= CAPACITY {
            if self.lag == Lag::Block {
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
