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
//! | by which way it goes, and when it is acknowledged | [`commit_log`] |
//! | which commits share a transaction, and how long one waits for others | [`group_commit`] |
//! | what waits for the end of the run | [`exit_buffer`] |
//! | the events of a commit, and their places in the journal | [`events`] |
//! | a slow subscriber holds its run up, or loses the oldest events | [`subscriber`] |
//! | a namespace is read back | [`load`] |

pub(crate) mod commit_log;
pub(crate) mod compact_step;
pub(crate) mod events;
mod exit_buffer;
mod group_commit;
pub(crate) mod load;
pub(crate) mod step_commit;
pub(crate) mod subscriber;

pub use subscriber::Lag;

pub(crate) use commit_log::CommitLog;
pub(crate) use load::{load_frontier, restore};
pub(crate) use step_commit::Then;
pub(crate) use subscriber::Queue;
