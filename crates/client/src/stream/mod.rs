//! Streams of §4 of the protocol: frames, events of types, and how a stream goes on after its connection broke.

mod event;
mod frames;
mod place;
mod position;
mod reader;
mod run;
mod thread;

pub use event::{
    CheckpointEvent, DebugEvent, MessageChunk, RunEnd, RunError, RunMetadata, StreamData, StreamEvent, TaskEvent,
};
pub(crate) use frames::{EVENTS, Frame, FrameError, Frames, frames};
pub(crate) use place::RunPlace;
pub use run::RunStream;
pub use thread::ThreadStream;
