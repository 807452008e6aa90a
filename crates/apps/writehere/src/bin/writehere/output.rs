//! The files of a run: `report.md`, `tree.json`, `tree.mmd`, `run.json`.

use std::collections::BTreeMap;
use std::path::Path;

use graphloom_cli::{CliError, Failure, ModelSet, private};
use graphloom_core_graph::{Event, EventKind, Thread, ThreadState};
use graphloom_llm::Usage;
use graphloom_writehere::{Answered, Finished, Resources, Shortage, Writing};
use serde_json::{Value, json};

/// Makes the directory, so that a run does not begin whose results cannot be written.
pub(crate) fn prepare(out: &Path) -> Result<(), Failure> {
    private::create_dir(out).map_err(CliError::io("make the directory", out))?;
    Ok(())
}

/// All stored events of a run.
pub(crate) async fn journal(thread: &Thread<Writing, Resources>) -> Result<Vec<Event>, Failure> {
    let mut events: Vec<Event> = Vec::new();
    loop {
        let after = events.last().and_then(|event| event.seq).unwrap_or_default();
        let page = thread.journal(after, 1024).await?;
        if page.is_empty() {
            return Ok(events);
        }
        events.extend(page);
    }
}

/// What `run.json` says. `measured` holds what differs from run to run; all else is the same for the same answers.
pub(crate) async fn record(
    thread: &Thread<Writing, Resources>,
    state: &ThreadState<Writing>,
    finished: &Finished,
    made: &ModelSet,
    short: &[Shortage],
) -> Result<Value, Failure> {
    let writing = &state.state;
    let events = journal(thread).await?;
    let matter: Vec<&Event> = events
        .iter()
        .filter(|event| {
            matches!(event.kind, EventKind::TaskRetry { .. } | EventKind::TaskFailed { .. } | EventKind::Warning { .. })
        })
        .collect();
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
    let span = events.first().zip(events.last()).map_or(0, |(first, last)| last.time.saturating_sub(first.time));
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
            "thread": thread.id(),
            "seconds": span as f64 / 1000.0,
            "spent": writing.spent.or_later(made.ledger.spent()),
            "events": matter,
        },
    }))
}

/// Writes the files.
pub(crate) fn write(out: &Path, writing: &Writing, finished: &Finished, record: &Value) -> Result<(), Failure> {
    prepare(out)?;
    let text = finished.text.trim();
    let pretty = |value: &Value| serde_json::to_string_pretty(value).map(|text| text + "\n");
    for (name, content) in [
        ("report.md", format!("{text}\n")),
        ("tree.json", pretty(&writing.tree.to_json())?),
        ("tree.mmd", writing.tree.to_mermaid()),
        ("run.json", pretty(record)?),
    ] {
        let path = out.join(name);
        // Written beside and renamed, so that no half file is left by a full disk or a kill.
        let part = out.join(format!(".{name}.part"));
        let written = private::write(&part, content).and_then(|()| std::fs::rename(&part, &path));
        written.map_err(CliError::io("write", &path))?;
    }
    Ok(())
}
