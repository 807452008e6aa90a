//! The prompts of all nodes: files, each part of the crate adds its own.
//!
//! A prompt `NAME` may have a short form `small/NAME` for models that answer inside a grammar.

use graphloom_agents::{AgentError, Prompts};

/// The prompts of the main graph.
const MAIN: &[(&str, &str)] = &[("complaint", include_str!("../prompts/complaint.j2"))];

/// The prompts that are part of the program.
///
/// # Errors
/// A prompt that does not compile.
pub fn prompts() -> Result<Prompts, AgentError> {
    Prompts::new(&[MAIN].concat())
}
