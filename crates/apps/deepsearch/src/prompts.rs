//! The prompts of all nodes: files, each part of the crate adds its own.
//!
//! A prompt `NAME` may have a short form `small/NAME` for models that answer inside a grammar.

use graphloom_agents::{AgentError, Prompts};

/// The prompts of the main graph.
const MAIN: &[(&str, &str)] = &[("complaint", include_str!("../prompts/complaint.j2"))];

/// The prompts of tracing and checking.
const TRACE: &[(&str, &str)] = &[
    ("trace/recognise", include_str!("../prompts/trace/recognise.j2")),
    ("trace/match", include_str!("../prompts/trace/match.j2")),
    ("trace/verify", include_str!("../prompts/trace/verify.j2")),
    ("small/trace/verify", include_str!("../prompts/small/trace/verify.j2")),
    ("trace/correct", include_str!("../prompts/trace/correct.j2")),
    ("trace/conclusion", include_str!("../prompts/trace/conclusion.j2")),
    ("small/trace/conclusion", include_str!("../prompts/small/trace/conclusion.j2")),
    ("trace/inference", include_str!("../prompts/trace/inference.j2")),
    ("trace/supplement", include_str!("../prompts/trace/supplement.j2")),
];

/// The prompts that are part of the program.
///
/// # Errors
/// A prompt that does not compile.
pub fn prompts() -> Result<Prompts, AgentError> {
    Prompts::new(&[MAIN, TRACE].concat())
}
