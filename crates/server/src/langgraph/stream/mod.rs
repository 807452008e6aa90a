//! Streams of runs and threads: views of the event log.
//!
//! | rule | where |
//! | --- | --- |
//! | what a client asks to be told | `mode.rs` |
//! | the id of a frame names its place in the log | `frame_id.rs` |
//! | what frames an entry of the log gives, whatever is asked for | `projection.rs` |
//! | checkpoints, tasks, messages and chains in the words of the wire | `checkpoints.rs`, `tasks.rs`, `messages.rs`, `chains.rs` |
//! | the steps of checkpoints from before a run | `steps.rs` |
//! | a stream of one run | `run_stream.rs` |
//! | a stream of a thread over its runs | `thread_stream.rs` |
//!
//! The frames of an entry are a pure function of the entries of its run up to it, so a stream that is taken up again reads the
//! run from its beginning and sends what comes after the frame that the client saw last: exactly the rest.

mod chains;
mod checkpoints;
mod frame_id;
mod messages;
mod mode;
mod projection;
mod run_stream;
mod steps;
mod tasks;
#[cfg(test)]
mod tests;
mod thread_stream;

use serde_json::{Value, json};

pub(super) use crate::cancel_on_drop::CancelOnDrop;
pub(super) use frame_id::FrameId;
pub(super) use mode::{Mode, Modes};
pub(super) use projection::{RunEndFrame, StreamOptions};
pub(super) use run_stream::{RunStream, Since};
pub(super) use thread_stream::{ThreadStream, ThreadStreamMode, options_in, options_of};

use crate::log::Interrupt;

/// A question as clients see it.
pub(super) fn interrupt(interrupt: &Interrupt) -> Value {
    let mut told = json!({"value": interrupt.value, "id": interrupt.id});
    if let Some(schema) = &interrupt.response_schema {
        told["response_schema"] = schema.clone();
    }
    told
}
