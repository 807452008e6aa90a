//! Looking at conversations.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use graphloom_cli::runs::{self as stored, RunPath, RunReport};
use graphloom_cli::{ExitStatus, Failure, GraphFormat, Session, time_text};
use graphloom_core_graph::checkpoint::HistoryFilter;
use graphloom_core_graph::diagram::Marks;
use graphloom_pocketflow::session as sessions;
use serde_json::{Value, json};

use crate::open::{no_checkpoint, open_existing};

pub(crate) fn print_result(session: &Session, text: &str, value: &Value) -> Result<ExitStatus, Failure> {
    session.progress.result(ExitStatus::Done, text, value)?;
    Ok(ExitStatus::Done)
}

/// Shows a session.
pub(crate) async fn inspect(session: &Session, id: &str) -> Result<ExitStatus, Failure> {
    let conversations = open_existing(session, id).await?;
    let conversation = conversations.session(id).await?;
    let store = &conversations.threads().app().resources().store;
    let quarantined = sessions::quarantined(&**store, id).await?.len();
    let mut out = format!(
        "{id}: {:?}, revision {}\ntopic: {}\nwaiting for: {}\n",
        conversation.status,
        conversation.revision,
        conversation.topic.as_deref().unwrap_or("none"),
        serde_json::to_string(&conversation.waiting_for)?
    );
    if let Some(decision) = &conversation.decision {
        let _ = writeln!(out, "rule: {} ({})", decision.rule, decision.why);
        let _ = writeln!(out, "  matched against: {}", serde_json::to_string(&decision.facts)?);
        decision.evidence.iter().try_for_each(|evidence| writeln!(out, "  read by: {evidence}"))?;
        decision.missing.iter().try_for_each(|missing| writeln!(out, "  missing: {missing}"))?;
    }
    for (action, parameters) in &conversation.params {
        let _ = writeln!(out, "parameters of {action}: {parameters}");
    }
    let artifacts = serde_json::to_value(&conversation.artifacts)?;
    for (slot, artifact) in artifacts.as_object().into_iter().flatten() {
        match artifact["version"].as_u64() {
            Some(version) => {
                let by = artifact["produced_by"].as_str().unwrap_or_default();
                let _ = writeln!(out, "{slot}: version {version} by {by}");
            }
            None => {
                let _ = writeln!(out, "{slot}: none");
            }
        }
    }
    let approvals = serde_json::to_string(&conversation.approvals)?;
    let _ = writeln!(out, "approved versions: {approvals}");
    let _ = writeln!(out, "archived journeys: {}, quarantined records: {quarantined}", conversation.archive.len());
    for step in &conversation.journey {
        let action = step.action.map_or("end", |action| action.name());
        let _ = writeln!(out, "{}  {:<26} {}", time_text(step.at), step.rule, action);
        if let Some(about) = &step.about {
            let _ = writeln!(out, "    about: {about}");
        }
        step.evidence.iter().try_for_each(|evidence| writeln!(out, "    read by: {evidence}"))?;
    }
    print_result(session, &out, &json!({ "session": conversation, "quarantined": quarantined }))
}

/// Lists checkpoints.
pub(crate) async fn history(session: &Session, id: &str) -> Result<ExitStatus, Failure> {
    let thread = open_existing(session, id).await?.threads().thread(id);
    let mut rows = thread.history(&HistoryFilter::default()).await?;
    rows.reverse();
    let (mut out, mut values) = (String::new(), Vec::new());
    for row in rows {
        let state = thread.at(row.number).state().await?;
        let rule = state.state.session.decision.as_ref().map(|decision| decision.rule.clone()).unwrap_or_default();
        let next = state.next.join(", ");
        let _ = writeln!(out, "{:>4}  {}  {rule:<26} next: {next}", row.number, time_text(row.time));
        values.push(
            json!({ "checkpoint": row.number, "parent": row.parent, "time": row.time, "rule": rule, "next": next }),
        );
    }
    print_result(session, &out, &json!(values))
}

/// Shows what changed between two checkpoints.
pub(crate) async fn diff(session: &Session, id: &str, from: u64, to: u64) -> Result<ExitStatus, Failure> {
    let thread = open_existing(session, id).await?.threads().thread(id);
    let leaves = async |number: u64| -> Result<BTreeMap<String, Value>, Failure> {
        let state = thread.at(number).state().await.map_err(|error| no_checkpoint(error.into()))?;
        let mut leaves = BTreeMap::new();
        flatten("", &serde_json::to_value(&state.state.session)?, &mut leaves);
        Ok(leaves)
    };
    let (before, after) = (leaves(from).await?, leaves(to).await?);
    let mut out = String::new();
    for (path, value) in &before {
        match after.get(path) {
            Some(other) if other == value => {}
            Some(other) => writeln!(out, "~ {path}: {value} → {other}")?,
            None => writeln!(out, "- {path}: {value}")?,
        }
    }
    for (path, value) in after.iter().filter(|(path, _)| !before.contains_key(*path)) {
        writeln!(out, "+ {path}: {value}")?;
    }
    let lines: Vec<&str> = out.lines().collect();
    print_result(session, &out, &json!(lines))
}

fn flatten(path: &str, value: &Value, leaves: &mut BTreeMap<String, Value>) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            fields.iter().for_each(|(key, value)| flatten(&below(key), value, leaves));
        }
        Value::Array(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(at, value)| flatten(&below(&at.to_string()), value, leaves));
        }
        leaf => {
            leaves.insert(path.to_owned(), leaf.clone());
        }
    }
}

/// Draws the graph, with the path that a conversation took.
pub(crate) async fn graph(session: &Session, id: Option<&str>, format: GraphFormat) -> Result<ExitStatus, Failure> {
    let graph = graphloom_pocketflow::graph();
    let diagram = graph.diagram();
    let (mut marks, mut path) = (Marks::new(), None);
    if let Some(id) = id {
        open_existing(session, id).await?;
        let store = session.store().await?;
        let report = RunReport::read(&*store.checkpointer(), stored::summary(&store, id).await?).await?;
        let taken = RunPath::of(&report);
        marks = taken.marks(&report);
        path = Some(taken);
    }
    let mut drawn = match format {
        GraphFormat::Json => serde_json::to_string_pretty(&json!({ "graph": diagram.json(), "path": path }))?,
        format => format.draw_marked(diagram, &marks)?,
    };
    if let (Some(comment), Some(path)) = (format.comment(), &path) {
        let nodes: Vec<&str> = path.tasks.iter().map(|task| task.split(':').next().unwrap_or(task)).collect();
        let _ = writeln!(drawn, "{comment} path taken: {}", nodes.join(" → "));
    }
    print_result(session, &drawn, &json!({ "graph": drawn, "path": path }))
}
