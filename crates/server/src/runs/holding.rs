//! A queue opens when this process holds its thread, and closes when the thread is given back or lost.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::cluster::{Claim, News};
use crate::runs::Inner;
use crate::runs::locked::Locked;
use crate::runs::run_queue::Stage;

impl Locked {
    /// Whether this process holds the thread.
    pub(super) fn is_open(&self) -> bool {
        self.state.stage == Stage::Open
    }

    /// Opens the queue: this process holds the thread.
    pub(super) fn open(&mut self, claim: Claim) {
        self.queue.member.get_or_init(|| claim.member);
        self.state.claim = Some(claim);
        self.state.stage = Stage::Open;
    }

    /// Closes the queue, after its thread was given back.
    pub(super) fn close(mut self, inner: &Arc<Inner>) {
        let (Some(claim), Some(member)) = (self.state.claim.take(), inner.member.clone()) else {
            return self.vanish(inner);
        };
        let inner = Arc::clone(inner);
        tokio::spawn(async move {
            let queue = Arc::clone(&self.queue);
            queue.log.settled().await;
            queue.log.follow();
            let has_left = queue.has_left.load(Ordering::Acquire);
            let given = if has_left { member.give_up(&claim).await } else { member.release(&claim).await };
            if let Err(error) = given {
                tracing::warn!(thread = %queue.thread, %error, "a thread could not be given back; it is held until it is used again");
            }
            self.vanish(&inner);
            if has_left {
                member.tell(News::Left);
            }
        });
    }

    /// Closes a queue that could not be opened: its thread is left to whoever takes it up.
    pub(super) async fn fail(mut self, inner: &Inner) {
        self.queue.log.follow();
        if let (Some(claim), Some(member)) = (self.state.claim.take(), &inner.member)
            && let Err(error) = member.give_up(&claim).await
        {
            tracing::warn!(thread = %self.queue.thread, %error, "a thread could not be given back; it is held until it is used again");
        }
        self.vanish(inner);
    }

    /// Takes the queue from the table.
    pub(super) fn vanish(mut self, inner: &Inner) {
        self.state.stage = Stage::Closed;
        inner.queues.remove_if(&self.queue.thread, |_, queue| Arc::ptr_eq(queue, &self.queue));
        inner.idle.notify_waiters();
    }

    /// Gives up the runs of a thread that another process holds now. They end here when they end there.
    pub(super) fn lose(mut self, inner: &Arc<Inner>) {
        tracing::warn!(thread = %self.queue.thread, "another process has taken a thread over");
        self.queue.is_lost.store(true, Ordering::Release);
        self.queue.log.follow();
        if let Some(current) = &self.state.current {
            // What it does from now on counts for nothing.
            current.drain();
        }
        for live in self.runs().filter(|live| live.is_live()) {
            inner.watch(self.queue.thread, live);
        }
        self.state.claim = None;
        self.vanish(inner);
    }
}
