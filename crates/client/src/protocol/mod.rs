//! The event streaming protocol, §5: commands to a thread, and its events by channel, with replay.

mod event;
mod stream;
mod subscription;
mod thread;

pub use event::ProtocolEvent;
pub use stream::EventStream;
pub use subscription::{Channels, Subscription};
pub use thread::{Response, RunStart, ThreadEvents};
