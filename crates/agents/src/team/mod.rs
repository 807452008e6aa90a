//! Several agents under one that leads them, as a graph.
//!
//! ```text
//! START ──► model ──► dispatch ══► agent × calls ──► dispatch ──► … ──► model ──► END
//!                              ══► tool  × calls ──►
//! ```
//!
//! - The lead is an [agent](crate::react) whose tools include the other agents, each under its own name: it says by a call who
//!   works on what, several at a time where it likes, and reads what comes back as the results of its calls.
//! - Each agent is a subgraph with its own model, tools and limits, a node of its own that can be drawn, broken into and
//!   replaced. What it asks a person is asked in the same run, and what it did is not done again after a kill.
//! - An agent can [hand on](TeamMember::hands_to) what it was given to another one, whose answer goes to the lead; three times
//!   at most.
//! - Rounds are limited for the lead and each agent by [`ConverseOptions::max_turns`](crate::ConverseOptions::max_turns), and for
//!   all together by the budget of the run.

mod graph;
mod member;
mod report;
mod roster;
mod tools;

pub use graph::NAME;
pub use member::TeamMember;
pub(crate) use member::task;
pub use roster::Team;
