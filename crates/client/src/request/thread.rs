//! Requests about threads.

use serde::Serialize;
use serde_json::Value;

use super::{Nodes, request};
use crate::{Checkpoint, ThreadId, ThreadStatus};

/// What becomes of a request to make what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IfExists {
    /// It is an error, 409.
    Raise,
    /// The answer is what is there.
    DoNothing,
}

/// In which order a list is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SortOrder {
    /// The least first.
    Asc,
    /// The greatest first.
    Desc,
}

/// How long a thread lives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ttl {
    /// For so many minutes after its last change.
    pub ttl: f64,
    /// What happens then.
    pub strategy: TtlStrategy,
}

/// What happens to a thread whose time is over, or that is pruned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TtlStrategy {
    /// It is deleted.
    Delete,
    /// Its last checkpoint alone is kept.
    KeepLatest,
}

request! {
    /// A thread to be made.
    NewThread() {
        /// The id that it gets.
        thread_id: ThreadId,
        /// What is noted about it.
        metadata: Value,
        /// What becomes of the request when there is one of this id.
        if_exists: IfExists,
        /// How long it lives.
        ttl: Ttl,
        /// Updates that it begins with: `[{"updates": [{"values", "command", "as_node"}]}]`.
        supersteps: Value,
    }
}

request! {
    /// What becomes different in a thread.
    ThreadChange() {
        /// More metadata.
        metadata: Value,
        /// How long it lives.
        ttl: Ttl,
    }
}

request! {
    /// Which threads are searched for.
    ThreadSearch() {
        /// Those of these ids.
        ids: Vec<ThreadId>,
        /// Those whose metadata contain this.
        metadata: Value,
        /// Those whose state contains this.
        values: Value,
        /// Those of this status.
        status: ThreadStatus,
        /// At most so many.
        limit: u64,
        /// After so many.
        offset: u64,
        /// By this field.
        sort_by: String,
        /// In this order.
        sort_order: SortOrder,
    }
}

request! {
    /// An update of a thread's state, as if a node had written it.
    StateUpdate(values: Value) {
        /// The node.
        as_node: Nodes,
        /// The checkpoint that it follows; the newest unless set.
        checkpoint: Checkpoint,
    }
}

request! {
    /// Which part of a thread's history is wanted, newest first.
    HistorySearch() {
        /// At most so many.
        limit: u64,
        /// What came before this checkpoint.
        before: Checkpoint,
        /// Those whose metadata contain this.
        metadata: Value,
        /// The history of this namespace.
        checkpoint: Checkpoint,
    }
}
