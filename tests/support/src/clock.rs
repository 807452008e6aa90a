//! A clock that stands until a test moves it, for what works with processes and sockets.
//!
//! A clock of tokio that is only paused jumps to the next moment that anything waits for whenever every task is idle. Tasks
//! that wait for a process or a socket are idle, too, so that every limit of time would be over at once. tokio does not let
//! the clock jump while a thread of the runtime blocks: here one blocks for as long as the clock is to stand.

use std::future::Future;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use tokio::task::JoinHandle;

/// The clock of a runtime with one thread. It stands until it is moved; once this is dropped, it jumps as a paused clock does.
#[derive(Debug)]
pub struct StandingClock {
    blocked: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Default for StandingClock {
    fn default() -> Self {
        Self::new()
    }
}

impl StandingClock {
    /// Stops the clock of this runtime.
    ///
    /// # Panics
    /// Outside a runtime with one thread, and where the clock is paused already.
    pub fn new() -> Self {
        tokio::time::pause();
        Self { blocked: Some(block()) }
    }

    /// Moves the clock: whoever waits for a moment up to then is woken.
    pub async fn advance(&self, time: Duration) {
        // tokio wakes at whole milliseconds since the start of the runtime, at the one after the moment that is waited for.
        tokio::time::advance(time + Duration::from_millis(1)).await;
    }

    /// Does some work with a clock that jumps to the next moment that anything waits for whenever every task is idle.
    pub async fn jumps<T>(&mut self, work: impl Future<Output = T>) -> T {
        if let Some((sender, blocked)) = self.blocked.take() {
            drop(sender);
            blocked.await.expect("a thread ends");
        }
        let output = work.await;
        self.blocked = Some(block());
        output
    }
}

/// Keeps a thread of the runtime blocked until the sender is dropped.
fn block() -> (Sender<()>, JoinHandle<()>) {
    let (sender, receiver) = channel::<()>();
    let blocked = tokio::task::spawn_blocking(move || {
        // The end of the sender is an error.
        receiver.recv().unwrap_or_default();
    });
    (sender, blocked)
}
