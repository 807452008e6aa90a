//! The editor teams: what works on the sections of an outline.
//!
//! The main graph runs a team as one node. It gives it a [`TeamState`] with the outline, the request and the
//! configuration; the team gives back the sections' reports and plans, and what went wrong.
//!
//! ```text
//! parallel:    begin ─► section (each, at most so many at a time) ─► merge
//! dependency:  begin ─► reason, write (each as its order allows) ─► merge
//! ```
//! A section that fails is missing from the report, with a notice; only when all are missing the team has failed (211502).
//! What a section emits carries its `section_idx`; `SECTION END` is the last of it. Results are merged in the order of
//! the outline, whatever ended first.

mod dependency;
mod nodes;
mod order;
mod parallel;
mod state;

pub use dependency::{REASON, WRITE, dependency, dependency_with};
pub(crate) use nodes::is_missing;
pub use nodes::{TEAM_BEGIN, TEAM_MERGE};
pub use order::{Job, SectionCycle, Work, layers, running};
pub use parallel::{SECTION, parallel, parallel_with};
pub use state::{Research, SectionResult, TeamState, TeamStateUpdate};
