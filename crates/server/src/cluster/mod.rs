//! Several processes over one store are one server.
//!
//! Each process is a member. A thread whose runs are under way or wait is held by one member, and what changes them is asked of
//! that one. Everything here is items of the store that are compared and swapped; signals only say where to look, so that all
//! of it is correct, and slower, without them. No clock is compared with that of another machine.
//!
//! | rule | where |
//! | --- | --- |
//! | how a process shares its stores | `settings.rs` |
//! | a member tells that it lives; one that is silent for the time of a lease is removed, and finds that out | `member.rs` |
//! | who is a member, as this one sees it | `peers.rs` |
//! | a thread is held by one member; what a member held that is gone is free | `claims.rs` |
//! | one member asks another | `mailbox.rs` |
//! | what members tell each other at once | `signals.rs` |
//! | who is there, as somebody sees it who is no member | `status.rs` |

mod claims;
mod mailbox;
mod member;
mod peers;
mod settings;
mod signals;
mod status;
#[cfg(test)]
mod tests;

pub(crate) use claims::{Claim, Claimed, Holder};
pub(crate) use mailbox::{Asked, Letter};
pub(crate) use member::{Beat, Member};
pub use settings::Cluster;
pub(crate) use signals::News;
pub use status::ServerStatus;
