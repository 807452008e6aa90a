//! What is said between processes.
//!
//! The engine brings a [`Summons`] to a worker. The worker says [`Message`]s to the process that drives the run, each with a request
//! of its own, and gets [`Answer`]s: one, none, or, for as long as it listens, several.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use graphloom_core_graph::remote::{ErrorRow, Execution};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use serde_json::Value;

/// Where messages of workers go.
pub(crate) const PATH: &str = "/graphloom/task";

/// What the answer of an invocation is to the keys.
pub(crate) const REPLY: &str = "reply";

/// What the engine brings to a worker: where a task is, not what it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Summons {
    /// Where the process that drives the run listens.
    pub(crate) callback: String,
    /// Who has it may ask for the task. Nobody can guess it.
    pub(crate) key: String,
    /// What the task is, for people who look at the engine.
    pub(crate) task: String,
}

/// What a worker says about its task.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    /// It begins the task, and listens from then on.
    Begin,
    /// It listens again, after its connection was lost.
    Listen { execution: Execution },
    /// A durable step has a result.
    Record { execution: Execution, key: String, value: ByteBuf },
    /// The node told an event.
    Event { execution: Execution, name: String, payload: Value },
    /// The node gave a sign of life.
    Alive { execution: Execution },
}

/// What the process that drives the run says to that.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Answer {
    /// The task, as it was begun for this worker.
    Begun { request: ByteBuf },
    /// The result is durable, unless it was refused.
    Recorded { refused: Option<ErrorRow> },
    /// The run is asked to stop.
    Stopping,
    /// Nobody waits for this execution any more.
    Over,
}

/// What cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unreadable {
    #[error("a message of another process cannot be read: {0}")]
    Form(#[from] rmp_serde::decode::Error),
    #[error("a message of another process ends in the middle")]
    Cut,
}

impl Message {
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, rmp_serde::encode::Error> {
        rmp_serde::to_vec_named(self)
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, Unreadable> {
        Ok(rmp_serde::from_slice(bytes)?)
    }
}

impl Answer {
    /// The answer as it is sent: its length in four bytes, and its bytes.
    pub(crate) fn framed(&self) -> Result<Bytes, rmp_serde::encode::Error> {
        let bytes = rmp_serde::to_vec_named(self)?;
        let mut frame = BytesMut::with_capacity(bytes.len() + 4);
        frame.put_u32(
            u32::try_from(bytes.len()).map_err(|_| rmp_serde::encode::Error::Syntax("it is too large".into()))?,
        );
        frame.put_slice(&bytes);
        Ok(frame.freeze())
    }
}

/// Takes answers out of bytes that come in pieces.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    held: BytesMut,
}

impl Frames {
    pub(crate) fn push(&mut self, piece: &[u8]) {
        self.held.extend_from_slice(piece);
    }

    /// The next answer, if all of it has come.
    pub(crate) fn next(&mut self) -> Result<Option<Answer>, Unreadable> {
        let Some(length) = self.held.get(..4) else { return Ok(None) };
        let length = length.iter().fold(0_usize, |length, byte| length << 8 | usize::from(*byte));
        if self.held.len() < length.saturating_add(4) {
            return Ok(None);
        }
        self.held.advance(4);
        Ok(Some(rmp_serde::from_slice(&self.held.split_to(length))?))
    }

    /// Says whether the bytes ended in the middle of an answer.
    pub(crate) fn end(&self) -> Result<(), Unreadable> {
        if self.held.is_empty() { Ok(()) } else { Err(Unreadable::Cut) }
    }
}

#[cfg(test)]
mod tests {
    use serde_bytes::ByteBuf;

    use super::{Answer, Frames};

    #[test]
    fn answers_that_come_in_any_pieces_are_read() {
        let all = [Answer::Begun { request: ByteBuf::from(vec![7; 300]) }, Answer::Stopping, Answer::Over];
        let bytes: Vec<u8> = all.iter().flat_map(|answer| answer.framed().expect("it is written")).collect();
        for size in [1, 2, 3, 5, 301, bytes.len()] {
            let (mut frames, mut read) = (Frames::default(), Vec::new());
            for piece in bytes.chunks(size) {
                frames.push(piece);
                while let Some(answer) = frames.next().expect("it is read") {
                    read.push(format!("{answer:?}"));
                }
            }
            assert_eq!(read, all.each_ref().map(|answer| format!("{answer:?}")), "pieces of {size}");
            frames.end().expect("nothing is left");
        }
    }

    #[test]
    fn what_is_no_answer_is_an_error() {
        let mut frames = Frames::default();
        frames.push(&[0, 0, 0, 1, 0xc1, 0]);
        frames.next().expect_err("it is no answer");
        frames.end().expect_err("a byte is left");
    }
}
