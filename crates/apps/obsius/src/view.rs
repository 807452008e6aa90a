//! What prompts see of a state.

use serde_json::{Value, json};

use crate::assess::Language;
use crate::state::{Finding, WorkflowState};

/// How many found notes a prompt lists.
const FOUND: usize = 30;
/// How many others it names by their paths.
const NAMED: usize = 300;
/// How many entries of the working memory a prompt shows.
const REMEMBERED: usize = 12;

/// What is known not to hold yet.
pub(crate) fn unmet(state: &WorkflowState) -> Vec<Finding> {
    state.objectives.evidence.iter().filter(|finding| !finding.holds).cloned().collect()
}

/// The vault, the date, and what was said before.
pub(crate) fn vault_args(state: &WorkflowState) -> Value {
    json!({
        "earlier": earlier_text(state),
        "vault": { "name": state.vault_context.vault_name, "notes": state.vault_context.notes },
        "today": state.session.today,
    })
}

/// The requests of the session before this one, with what came of them.
pub(crate) fn earlier_text(state: &WorkflowState) -> String {
    let earlier = state.session.earlier.iter();
    let lines: Vec<String> =
        earlier.map(|past| format!("Request: {}\nAnswer: {}", past.request, past.answer)).collect();
    lines.join("\n\n")
}

/// What was found, remembered and refused.
pub(crate) fn progress_args(state: &WorkflowState) -> Value {
    let found: Vec<Value> = state
        .findings
        .notes
        .iter()
        .take(FOUND)
        .map(|found| json!({ "path": found.path, "title": found.title, "snippet": found.snippet }))
        .collect();
    let rest = state.findings.notes.iter().skip(FOUND).map(|found| found.path.as_str());
    let others: Vec<&str> = rest.take(NAMED).collect();
    let near: Vec<&str> = state.findings.near.iter().map(|found| found.path.as_str()).collect();
    json!({
        "found": found,
        "others": others.join("\n"),
        "unlisted": state.findings.notes.len().saturating_sub(FOUND + NAMED),
        "capped": state.findings.is_capped(),
        "nothing_about": state.findings.nothing_about,
        "near": near.join("\n"),
        "memory": memory_text(state),
        "feedback": state.review.feedback,
    })
}

/// The most important of the working memory, in its order.
pub(crate) fn memory_text(state: &WorkflowState) -> String {
    let entries = state.working_memory.recall(REMEMBERED, |_| true);
    let lines: Vec<String> = entries.iter().map(|entry| format!("[{}] {}", entry.kind, entry.content)).collect();
    lines.join("\n")
}

/// The language of a request as a prompt names it.
pub(crate) fn language_name(state: &WorkflowState) -> &'static str {
    match state.assessment.as_ref().map(|assessment| assessment.language) {
        Some(Language::Japanese) => "Japanese",
        _ => "the language of the request",
    }
}
