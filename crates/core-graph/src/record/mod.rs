//! The stored form of what changes with every commit, in the store's own terms.
//!
//! | what | form | where |
//! | --- | --- | --- |
//! | the frontier: tasks, joins, fan-outs, positions of children | an array of four or five: tasks, removed tasks, joins, fan-outs, positions | [`frontier`], [`heads`] |
//! | the updates of a field that is not replaced | an array of what its reducer folds, oldest first | [`delta`] |
//! | where a call goes on that a replay inside of a subgraph made | a record of its task | [`replay_point`] |
//! | bytes of all | MessagePack, written by hand | [`pack`] |

pub(crate) mod delta;
mod frontier;
mod heads;
mod pack;
mod replay_point;

pub(crate) use frontier::{FRONTIER, FrontierDelta, NEW_AND_PLAIN, pack_duration, pack_heads, pack_id, pack_step};
#[cfg(feature = "conformance")]
pub(crate) use frontier::{pending_frontier, recording_frontier};
pub(crate) use heads::Heads;
pub(crate) use pack::Pack;
pub(crate) use replay_point::ReplayPoint;
