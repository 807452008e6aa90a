//! The files of a run: `report.md`, `tree.json`, `tree.mmd`, `run.json`.

use std::collections::BTreeMap;
use std::path::Path;

use graphloom_cli::{Failure, ModelSet, frame, runs as stored};
use graphloom_core_graph::{Event, ThreadState};
use graphloom_llm::Usage;
use graphloom_writehere::{Answered, Finished, Shortage, Writing};
use serde_json::{Value, json};

/// What `run.json` says. `measured` holds what differs from run to run; all else is the same for the same answers.
pub(crate) fn record(
    events: &[Event],
    id: &str,
    state: &ThreadState<Writing>,
    finished: &Finished,
    made: &ModelSet,
    short: &[Shortage],
) -> Result<Value, Failure> {
    let writing = &state.state;
    let mut made_by = BTreeMap::<&str, Answered>::new();
    for call in &writing.calls {
        made_by.entry(&call.exchange.model).or_default().add(call.exchange.calls(), call.exchange.usage());
    }
    // Turns that wait for a larger budget have called as well, and paid.
    for (model, answered) in short.iter().flat_map(|short| &short.answered) {
        made_by.entry(model).or_default().add(answered.calls, answered.usage);
    }
    let models: BTreeMap<&str, u64> = made_by.iter().map(|(model, made)| (*model, made.calls)).collect();
    let calls: u64 = models.values().sum();
    let usage = made_by.values().fold(Usage::default(), |mut sum, made| {
        sum += made.usage;
        sum
    });
    // A run that stopped early has no node that notes what its text lacks.
    let own = if writing.finished.is_none() { finished.notes(&writing.request) } else { Vec::new() };
    let notes: Vec<&String> = writing.notes.iter().chain(&own).collect();
    Ok(json!({
        "status": finished.status,
        "explanation": finished.explanation,
        "words": finished.words,
        "words_asked": writing.request.words,
        "request": writing.request,
        "tasks": writing.tree.len(),
        "steps": state.checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.step),
        "calls": calls,
        "calls_by_model": models,
        "tokens": usage,
        "references": finished.references,
        "citation_events": finished.events,
        "notes": notes,
        "model_notes": made.notes.all(),
        "measured": {
            "thread": id,
            "seconds": stored::seconds(events),
            "spent": writing.spent.or_later(made.ledger.spent()),
            "events": stored::problem_events(events),
        },
    }))
}

/// Writes the files.
pub(crate) fn write(out: &Path, writing: &Writing, finished: &Finished, record: &Value) -> Result<(), Failure> {
    let text = finished.text.trim();
    let pretty = |value: &Value| serde_json::to_string_pretty(value).map(|text| text + "\n");
    let files = [
        ("report.md", format!("{text}\n")),
        ("tree.json", pretty(&writing.tree.to_json())?),
        ("tree.mmd", writing.tree.to_mermaid()),
        ("run.json", pretty(record)?),
    ];
    Ok(frame::write(out, files)?)
}
