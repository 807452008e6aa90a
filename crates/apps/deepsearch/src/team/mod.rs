//! The editor teams: what works on the sections of an outline.
//!
//! The main graph runs a team as one node. It gives it a [`TeamState`] with the outline, the request and the
//! configuration; the team gives back the sections' reports and plans, and what went wrong.

mod state;

pub use state::{SectionResult, TeamState, TeamStateUpdate};
