//! Short messages between the processes that share a store.

use futures::stream::BoxStream;

/// What a process hears.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Signal {
    /// A message, which this or another process published.
    Heard {
        /// What it is about.
        topic: String,
        /// What it says.
        payload: String,
    },
    /// Messages may have been lost, and from now on they are heard again: what a process learns from them it must look up.
    Missed,
}

/// Short messages to all processes that share a [`Store`](super::Store), so that one need not ask the store again and again
/// for what another one put there. Messages may be lost: they say where to look, and what they speak of is in the store.
pub trait Signals: Send + Sync + 'static {
    /// Sends a message soon, and returns at once. A newer message of a topic may take the place of an older one that was not
    /// sent yet. Topic and payload together are shorter than 4000 bytes, and the topic has no line feed.
    fn publish(&self, topic: &str, payload: &str);

    /// What is heard from now on, of all topics. [`Signal::Missed`] is first: what happened before is looked up.
    fn subscribe(&self) -> BoxStream<'static, Signal>;
}
