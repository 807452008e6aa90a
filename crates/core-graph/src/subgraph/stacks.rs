//! Deeply nested subgraphs run on several stacks.
//!
//! A subgraph is polled inside of the task that calls it, which takes some tens of kilobytes of the stack for each level in a
//! debug build. After every few levels the next one runs as a task of the runtime, whose poll begins on a stack of its own:
//! however deep subgraphs nest, no stack holds more than these levels.

use std::future::Future;
use std::panic::resume_unwind;
use std::pin::Pin;
use std::task::{Context as PollContext, Poll, ready};

use tokio::task::JoinHandle;
use tracing::Instrument;

/// So many levels share a stack.
const LEVELS: usize = 8;

/// Whether the subgraph that a task calls begins on a stack of its own; `call` is the id of the task.
pub(crate) fn is_boundary(call: &str) -> bool {
    call.matches('/').count() % LEVELS == LEVELS - 1
}

/// A future that runs as a task of the runtime, for who polls it. The task is stopped when this is dropped.
#[derive(Debug)]
pub(crate) struct OwnStack<T>(JoinHandle<T>);

impl<T: Send + 'static> OwnStack<T> {
    pub(crate) fn spawn(future: impl Future<Output = T> + Send + 'static) -> Self {
        Self(tokio::spawn(future.in_current_span()))
    }
}

impl<T> Future for OwnStack<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut PollContext<'_>) -> Poll<T> {
        match ready!(Pin::new(&mut self.0).poll(context)) {
            Ok(ended) => Poll::Ready(ended),
            Err(error) => match error.try_into_panic() {
                Ok(payload) => resume_unwind(payload),
                // The runtime shuts down, and polls nothing any more.
                Err(_) => Poll::Pending,
            },
        }
    }
}

impl<T> Drop for OwnStack<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_eighth_level_begins_a_stack() {
        let call = |level: usize| vec!["n:1.0"; level].join("/");
        let begins: Vec<_> = (1..30).filter(|level| is_boundary(&call(*level))).collect();
        assert_eq!(begins, [8, 16, 24]);
        assert!(!is_boundary(""));
    }
}
