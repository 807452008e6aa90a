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
];

/// The prompts of sections and of the collector.
const SECTIONS: &[(&str, &str)] = &[
    ("_data", include_str!("../prompts/_data.j2")),
    ("_plan_form", include_str!("../prompts/_plan_form.j2")),
    ("_scored", include_str!("../prompts/_scored.j2")),
    ("classify_doc_infos", include_str!("../prompts/classify_doc_infos.j2")),
    ("collector", include_str!("../prompts/collector.j2")),
    ("collector_final", include_str!("../prompts/collector_final.j2")),
    ("collector_gen_query", include_str!("../prompts/collector_gen_query.j2")),
    ("collector_supervisor", include_str!("../prompts/collector_supervisor.j2")),
    ("dep_driving_planner", include_str!("../prompts/dep_driving_planner.j2")),
    ("info_evaluator_doc", include_str!("../prompts/info_evaluator_doc.j2")),
    ("planner", include_str!("../prompts/planner.j2")),
    ("section_task", include_str!("../prompts/section_task.j2")),
    ("small/collector_gen_query", include_str!("../prompts/small/collector_gen_query.j2")),
    ("small/collector_supervisor", include_str!("../prompts/small/collector_supervisor.j2")),
    ("small/info_evaluator_doc", include_str!("../prompts/small/info_evaluator_doc.j2")),
    ("small/planner", include_str!("../prompts/small/planner.j2")),
    ("small/sub_report_paragraph", include_str!("../prompts/small/sub_report_paragraph.j2")),
    ("sub_report_markdown", include_str!("../prompts/sub_report_markdown.j2")),
    ("sub_report_summary", include_str!("../prompts/sub_report_summary.j2")),
    ("sub_section_outline", include_str!("../prompts/sub_section_outline.j2")),
];

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

/// The prompts of changes after the report.
const FEEDBACK: &[(&str, &str)] = &[
    ("feedback/expand", include_str!("../prompts/feedback/expand.j2")),
    ("feedback/shorten", include_str!("../prompts/feedback/shorten.j2")),
    ("feedback/polish", include_str!("../prompts/feedback/polish.j2")),
    ("feedback/search_task", include_str!("../prompts/feedback/search_task.j2")),
    ("feedback/assess", include_str!("../prompts/feedback/assess.j2")),
    ("feedback/compose", include_str!("../prompts/feedback/compose.j2")),
];

/// The prompts of charts.
const CHARTS: &[(&str, &str)] = &[
    ("charts/critic", include_str!("../prompts/charts/critic.j2")),
    ("charts/data", include_str!("../prompts/charts/data.j2")),
    ("charts/places", include_str!("../prompts/charts/places.j2")),
];

/// The prompts that are part of the program.
///
/// # Errors
/// A prompt that does not compile.
pub fn prompts() -> Result<Prompts, AgentError> {
    Prompts::new(&[MAIN, SECTIONS, TRACE, FEEDBACK, CHARTS].concat())
}
