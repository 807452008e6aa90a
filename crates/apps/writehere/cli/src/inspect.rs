//! Looking at runs.

use std::fmt::Write as _;

use graphloom_cli::{ExitStatus, Failure, Session, time_text};
use graphloom_core_graph::checkpoint::HistoryFilter;
use graphloom_state_machine::{NodeKey, Symbol};
use graphloom_writehere::Writing;
use serde_json::json;

use crate::columns::columns;
use crate::open::runs;

/// Shows a run, or what was said about one of its tasks.
pub(crate) async fn show(session: &Session, id: &str, node: Option<&str>) -> Result<ExitStatus, Failure> {
    let (run, state) = runs(session).find(id).await?;
    let writing = &*state.state;
    let Some(node) = node else {
        let mut text = format!("{id}: {:?} {}\n{}\n", state.status, state.detail, writing.request.goal);
        let drawing = writing.tree.draw();
        text.push_str(&match columns(&std::io::stdout()) {
            Some(columns) => drawing.columns(columns).text(),
            None => drawing.text(),
        });
        for row in run.history(&HistoryFilter::default()).await?.iter().rev() {
            let _ = writeln!(
                text,
                "checkpoint {:>4}  step {:>4}  {}  {:?}",
                row.number,
                row.step,
                time_text(row.time),
                row.source
            );
        }
        for question in state.questions.iter() {
            let _ = writeln!(text, "waits at `{}`: {}", question.key, serde_json::to_string_pretty(&question.payload)?);
        }
        session.progress.result(ExitStatus::Done, &text, &json!({ "status": state.status, "state": writing }))?;
        return Ok(ExitStatus::Done);
    };
    let key = key_of(writing, node)?;
    let task = writing.tree.node(&key).map(|task| writing.tree.node_json(task)).unwrap_or_default();
    let calls: Vec<_> = writing.calls.iter().filter(|call| call.node == key).collect();
    let mut text = serde_json::to_string_pretty(&task)?;
    for call in &calls {
        let exchange = &call.exchange;
        let _ = writeln!(
            text,
            "\n\n=== {} by `{}`, template `{}` {}",
            call.action.name(),
            exchange.model,
            exchange.template,
            exchange.version
        );
        let _ = writeln!(text, "--- arguments\n{}", serde_json::to_string_pretty(&exchange.args)?);
        for message in &exchange.messages {
            let _ = writeln!(text, "--- {:?}\n{}", message.role, message.joined_text());
        }
        for (number, attempt) in exchange.attempts.iter().enumerate() {
            if !attempt.thoughts.is_empty() {
                let _ = writeln!(text, "--- thoughts {}\n{}", number + 1, attempt.thoughts);
            }
            let _ = writeln!(
                text,
                "--- reply {} ({:?}, {} tokens)\n{}",
                number + 1,
                attempt.finish,
                attempt.usage.total(),
                attempt.reply
            );
            attempt.notes.iter().try_for_each(|note| writeln!(text, "note: {note}"))?;
            attempt.problem.iter().try_for_each(|problem| writeln!(text, "refused: {problem}"))?;
        }
    }
    session.progress.result(ExitStatus::Done, &text, &json!({ "task": task, "calls": calls }))?;
    Ok(ExitStatus::Done)
}

/// Explains the status of a task.
pub(crate) async fn why(session: &Session, id: &str, node: &str) -> Result<ExitStatus, Failure> {
    let (_, state) = runs(session).find(id).await?;
    let key = key_of(&state.state, node)?;
    let explanation = state.state.tree.explain(&key)?;
    session.progress.result(ExitStatus::Done, &explanation.to_string(), &explanation)?;
    Ok(ExitStatus::Done)
}

/// Lists every change of a status.
pub(crate) async fn log(session: &Session, id: &str) -> Result<ExitStatus, Failure> {
    let (_, state) = runs(session).find(id).await?;
    let log: Vec<_> = state.state.tree.log().collect();
    let lines: Vec<String> = log.iter().map(ToString::to_string).collect();
    session.progress.result(ExitStatus::Done, &lines.join("\n"), &log)?;
    Ok(ExitStatus::Done)
}

pub(crate) fn key_of(writing: &Writing, node: &str) -> Result<NodeKey, Failure> {
    writing.tree.find(node).map(|found| found.key.clone()).ok_or_else(|| {
        let known: Vec<_> = writing.tree.nodes().take(40).map(|node| format!("`{}`", node.key)).collect();
        Failure::usage(format!("there is no task `{node}` in the run; tasks: {}", known.join(", ")))
    })
}
