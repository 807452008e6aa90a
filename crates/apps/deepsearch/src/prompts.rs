//! The prompts of all nodes: files, each part of the crate adds its own.
//!
//! A prompt `NAME` may have a short form `small/NAME` for models that answer inside a grammar.

use graphloom_agents::{AgentError, Prompts};

/// The prompts of the main graph.
const MAIN: &[(&str, &str)] = &[
    ("_language", include_str!("../prompts/_language.j2")),
    ("_outline_form", include_str!("../prompts/_outline_form.j2")),
    ("_outline_request", include_str!("../prompts/_outline_request.j2")),
    ("complaint", include_str!("../prompts/complaint.j2")),
    ("entry", include_str!("../prompts/entry.j2")),
    ("generate_questions", include_str!("../prompts/generate_questions.j2")),
    ("generate_transition_sentence", include_str!("../prompts/generate_transition_sentence.j2")),
    ("outliner", include_str!("../prompts/outliner.j2")),
    ("outliner_interaction", include_str!("../prompts/outliner_interaction.j2")),
    ("outliner_template", include_str!("../prompts/outliner_template.j2")),
    ("outliner_user_revised", include_str!("../prompts/outliner_user_revised.j2")),
    ("report_abstract", include_str!("../prompts/report_abstract.j2")),
    ("report_conclusion", include_str!("../prompts/report_conclusion.j2")),
    ("small/entry", include_str!("../prompts/small/entry.j2")),
    ("small/generate_questions", include_str!("../prompts/small/generate_questions.j2")),
    ("small/outliner", include_str!("../prompts/small/outliner.j2")),
    ("small/outliner_interaction", include_str!("../prompts/small/outliner_interaction.j2")),
    ("small/outliner_template", include_str!("../prompts/small/outliner_template.j2")),
    ("small/outliner_user_revised", include_str!("../prompts/small/outliner_user_revised.j2")),
    ("small/report_abstract", include_str!("../prompts/small/report_abstract.j2")),
    ("small/report_conclusion", include_str!("../prompts/small/report_conclusion.j2")),
];

/// The prompts that are part of the program.
///
/// # Errors
/// A prompt that does not compile.
pub fn prompts() -> Result<Prompts, AgentError> {
    Prompts::new(&[MAIN].concat())
}
