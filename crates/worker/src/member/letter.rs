//! What one process says to another about a task.

use graphloom_checkpoint_encrypted::MessageKeys;
use graphloom_core_graph::remote::{ErrorRow, Execution};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use serde_json::Value;

/// What a letter is to the keys.
const LETTER: &str = "letter";

/// Why a letter cannot be written or read.
type Unreadable = Box<dyn std::error::Error + Send + Sync>;

/// A letter: what is said about a task, and by whom.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Letter {
    pub(crate) task: String,
    /// The member that wrote it.
    pub(crate) from: String,
    pub(crate) message: Message,
}

/// What is said.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Message {
    /// To the host: the task was taken once more, so that it is begun anew for this take.
    Retaken { take: i64 },
    /// To the worker: the task as it was begun for a take.
    Begun { take: i64, request: ByteBuf },
    /// To the host: the result of a durable step, whose answer is awaited.
    Record { execution: Execution, key: String, value: ByteBuf, question: u64 },
    /// To the worker: the answer, the error where it was refused.
    Recorded { question: u64, refused: Option<ErrorRow> },
    /// To the host: a custom event.
    Event { execution: Execution, name: String, payload: Value },
    /// To the host: the node gives a sign of life.
    Alive { execution: Execution },
    /// To the host: what came of the task.
    Ended { reply: ByteBuf },
    /// To the worker: the run is asked to stop.
    Stopping,
    /// To the worker: the task is not awaited any more.
    Over,
}

impl Letter {
    /// The letter as it goes to its recipient.
    pub(super) fn to_bytes(&self, keys: &MessageKeys, recipient: &str) -> Result<Vec<u8>, Unreadable> {
        Ok(keys.encrypt(LETTER, recipient, rmp_serde::to_vec_named(self)?)?)
    }

    pub(super) fn from_bytes(keys: &MessageKeys, recipient: &str, bytes: Vec<u8>) -> Result<Self, Unreadable> {
        Ok(rmp_serde::from_slice(&keys.decrypt(LETTER, recipient, bytes)?)?)
    }
}
