//! When a step is stored, and who is sent its events.
//!
//! | durability | the commit of a run that runs alone | beside other tasks | durable steps |
//! | --- | --- | --- | --- |
//! | `Sync` | written where it is made, and waited for | shares a transaction with those that wait | the same |
//! | `Async` | put in the queue, and not waited for | the same | waited for, after all before them |
//! | `Exit` | waits in a buffer for the end of the run | the same | written at once, with all that waits |
//!
//! | rule | where |
//! | --- | --- |
//! | the commit of a step goes to the store and to the subscriber, in this order | [`step_commit`] |
//! | the first commit of a run says that it began, the last that it ended | [`lifecycle`] |
//! | by which way it goes, and when it is acknowledged | [`commit_log`] |
//! | which commits share a transaction, and how long one waits for others | [`group_commit`] |
//! | what waits for the end of the run | [`exit_buffer`] |
//! | the events of a commit, and their places in the journal | [`events`] |
//! | a slow subscriber holds its run up, or loses the oldest events | [`subscriber`] |
//! | what a run shares among its namespaces: store, journal, subscriber, limits | [`session`] |
//! | a namespace is read back | [`load`] |
//! | what was under way when a run stopped is found before anything is dispatched | [`open_calls`] |
//! | whose turn it is with a subgraph that is kept per thread, and where it stands | [`thread_scoped`] |
//! | results of durable steps are found again by task and key | [`durable_steps`] |
//! | a call goes on from a checkpoint of an earlier one, which a replay went back to | [`replays`] |
//! | the commit of a single task is written in place where it can be | [`single_commit`] |

pub(crate) mod commit_log;
pub(crate) mod durable_steps;
pub(crate) mod events;
mod exit_buffer;
mod group_commit;
mod lifecycle;
pub(crate) mod load;
pub(crate) mod open_calls;
pub(crate) mod replays;
pub(crate) mod session;
pub(crate) mod single_commit;
pub(crate) mod step_commit;
pub(crate) mod subscriber;
pub(crate) mod thread_scoped;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::checkpoint::{TaskRecord, ThreadRow};
use crate::event::EventKind;

pub use subscriber::Lag;

pub(crate) use commit_log::CommitLog;
pub(crate) use lifecycle::Then;
pub(crate) use load::restore;
pub(crate) use open_calls::open_calls;
pub(crate) use session::Session;
pub(crate) use subscriber::Queue;

/// The recorder of a namespace: takes its commits to the store and the subscriber.
pub(crate) struct Recorder {
    pub(crate) session: Arc<Session>,
    pub(crate) ns: Arc<str>,
    pub(crate) is_root: bool,
    /// For a root, the thread's row and the event that the first commit takes along.
    opening: Option<Box<(ThreadRow, EventKind)>>,
    /// Tasks that the first commit settles: a run before left them.
    pub(crate) abandoned: Vec<Arc<str>>,
    /// Attempt counters that the first commit sets back.
    forgotten: Vec<TaskRecord>,
    /// Tasks with records in the store that end with them.
    recorded: BTreeSet<Arc<str>>,
    /// Whether the commit that ends the run is written.
    ended: bool,
}

impl Recorder {
    pub(crate) fn new(session: Arc<Session>, ns: Arc<str>) -> Self {
        Self {
            is_root: ns.is_empty(),
            session,
            ns,
            opening: None,
            abandoned: Vec::new(),
            forgotten: Vec::new(),
            recorded: BTreeSet::new(),
            ended: false,
        }
    }
}
