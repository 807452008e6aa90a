//! How a run begins: what a client wants, and how the thread stands.

use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_core_graph::{Node, RunPolicy};
use serde_json::Value;
use uuid::Uuid;

use crate::graph::{Fields, Goto, Graph, Launch, Position, UNKNOWN_INTERRUPT, View, failure, interrupt_id};
use crate::records::RunFailure;
use crate::runs::order::{Command, Order};

/// How a run begins.
pub(super) enum Plan {
    Launch(Launch),
    /// There is nothing to do: the thread has nowhere to go on.
    Nothing,
}

/// What a run cannot begin with.
fn refused(error: &str, message: impl Into<String>) -> RunFailure {
    RunFailure { error: error.to_owned(), message: message.into() }
}

/// Adds what a command names to where it goes on: nodes, and nodes with an input of their own.
fn add(to: &mut Goto, goto: &Value) -> Result<(), RunFailure> {
    match goto {
        Value::Null => {}
        Value::String(node) => to.nodes.push(node.clone()),
        Value::Array(several) => several.iter().try_for_each(|one| add(to, one))?,
        Value::Object(send) => {
            let node = send.get("node").and_then(Value::as_str);
            let node = node.ok_or_else(|| refused("InvalidUpdateError", "a `goto` with an input has a `node`"))?;
            match send.get("input").filter(|input| !input.is_null()) {
                Some(input) => to.sends.push((node.to_owned(), input.clone())),
                None => to.nodes.push(node.to_owned()),
            }
        }
        other => return Err(refused("InvalidUpdateError", format!("`goto` names nodes, not `{other}`"))),
    }
    Ok(())
}

/// An update as fields; those that the graph has not are left out.
fn fields_of(graph: &dyn Graph, value: &Value, what: &str) -> Result<Fields, RunFailure> {
    match value {
        Value::Null => Ok(Fields::new()),
        Value::Object(fields) => {
            let (known, unknown) = graph.outline().known(fields.clone());
            if known.is_empty() && !unknown.is_empty() {
                let fields: Vec<_> = graph.outline().fields.iter().map(|field| format!("`{}`", field.name)).collect();
                return Err(refused(
                    "InvalidUpdateError",
                    format!("the {what} has none of the graph's fields: {}", fields.join(", ")),
                ));
            }
            Ok(known)
        }
        other => Err(refused("InvalidUpdateError", format!("the {what} is an object of fields, not `{other}`"))),
    }
}

/// How a run begins.
///
/// # Errors
/// An order that the thread cannot follow, in the words that the run fails with.
pub(super) async fn plan(graph: &dyn Graph, thread: &str, order: &Order) -> Result<Plan, RunFailure> {
    let at = match order.checkpoint_id {
        Some(id) => Some(position(id, thread)?),
        None => None,
    };
    if let Some(command) = &order.command {
        return commanded(graph, thread, command, at, order.strict_resume).await;
    }
    if !order.input.is_null() {
        let values = fields_of(graph, &order.input, "input")?;
        let at = match at {
            Some(at) => Some(before(graph, thread, at).await?),
            None => None,
        };
        return Ok(Plan::Launch(Launch::Input { values, at }));
    }
    if at.is_some() {
        return Ok(Plan::Launch(Launch::Continue { at }));
    }
    let view = view(graph, thread).await?;
    match view.status {
        ThreadStatus::New => Err(refused("EmptyInputError", "there is nothing to go on with: give the run an input")),
        // A question that is asked again stays open.
        ThreadStatus::Done | ThreadStatus::Waiting => Ok(Plan::Nothing),
        _ => Ok(Plan::Launch(Launch::Continue { at: None })),
    }
}

/// Where an input branches off: before an input it takes the place of that input.
async fn before(graph: &dyn Graph, thread: &str, at: Position) -> Result<Position, RunFailure> {
    if at.is_folded {
        return Ok(at);
    }
    let view = graph.view(thread, Some(at.number)).await.map_err(|error| refused("ValueError", error.to_string()))?;
    Ok(Position::of(view.checkpoint.and_then(|row| row.parent).unwrap_or_default()))
}

fn position(id: Uuid, thread: &str) -> Result<Position, RunFailure> {
    Position::read(id, thread, "")
        .ok_or_else(|| refused("ValueError", format!("checkpoint {id} is none of this thread")))
}

async fn view(graph: &dyn Graph, thread: &str) -> Result<View, RunFailure> {
    graph.view(thread, None).await.map_err(|error| failure(&error))
}

async fn commanded(
    graph: &dyn Graph,
    thread: &str,
    command: &Command,
    at: Option<Position>,
    is_strict: bool,
) -> Result<Plan, RunFailure> {
    let mut goto = Goto { update: fields_of(graph, &command.update, "update")?, ..Goto::default() };
    add(&mut goto, &command.goto)?;
    if command.resume.is_null() {
        return Ok(if goto.is_nothing() {
            Plan::Nothing
        } else if goto.nodes.is_empty() && goto.sends.is_empty() {
            Plan::Launch(Launch::Input { values: goto.update, at })
        } else {
            Plan::Launch(Launch::Goto(goto))
        });
    }
    let view = view(graph, thread).await?;
    let open: Vec<_> = view.questions.iter().map(|question| (interrupt_id(thread, &question.id), question)).collect();
    let answers: Vec<(String, Value)> = match &command.resume {
        Value::Object(given) if given.keys().any(|key| is_interrupt_id(key)) => {
            let mut answers = Vec::new();
            for (id, answer) in given {
                match open.iter().find(|(open, _)| open == id) {
                    Some((_, question)) => answers.push((question.id.clone(), answer.clone())),
                    None if is_strict || open.is_empty() => {
                        let known: Vec<_> = open.iter().map(|(id, _)| id.as_str()).collect();
                        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                        return Err(refused(
                            UNKNOWN_INTERRUPT,
                            format!("no open interrupt has the id {id}; open: {known}"),
                        ));
                    }
                    None => {}
                }
            }
            answers
        }
        answer => match open.as_slice() {
            [(_, question)] => vec![(question.id.clone(), answer.clone())],
            [] => return Err(refused(UNKNOWN_INTERRUPT, "the thread has no open interrupt to resume")),
            several => {
                let ids: Vec<_> = several.iter().map(|(id, _)| id.as_str()).collect();
                return Err(refused(
                    "RuntimeError",
                    format!("{} interrupts are open: resume by their ids, {}", ids.len(), ids.join(", ")),
                ));
            }
        },
    };
    if answers.is_empty() {
        return Ok(Plan::Nothing);
    }
    Ok(Plan::Launch(Launch::Resume { answers, beside: Some(goto).filter(|goto| !goto.is_nothing()) }))
}

fn is_interrupt_id(key: &str) -> bool {
    key.len() == 32 && key.chars().all(|c| c.is_ascii_hexdigit())
}

/// The limits of a run.
pub(super) fn policy(graph: &dyn Graph, order: &Order) -> RunPolicy {
    let nodes = |wanted: &Option<crate::runs::order::Nodes>| -> Vec<Node> {
        let outline = graph.outline();
        let known = |name: &&str| outline.nodes().any(|node| node == *name);
        wanted.iter().flat_map(|nodes| nodes.names(outline.nodes())).filter(known).map(Node::owned).collect()
    };
    let mut policy = graph
        .policy()
        .durability(order.durability.into())
        .break_before(nodes(&order.interrupt_before))
        .break_after(nodes(&order.interrupt_after));
    if let Some(limit) = order.config.recursion_limit {
        policy = if graph.outline().in_barrier { policy.max_steps(limit) } else { policy.budget(limit) };
    }
    policy
}
