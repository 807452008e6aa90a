//! How a run begins: what a client wants, and how the thread stands.

use graphloom_core_graph::checkpoint::{Checkpointer, ThreadStatus};
use graphloom_core_graph::{Node, RunPolicy};
use serde_json::Value;
use uuid::Uuid;

use crate::graph::{Fields, Goto, Graph, Launch, Position, UNKNOWN_INTERRUPT, View, failure, interrupt_id};
use crate::records::RunFailure;
use crate::runs::asked::asked_at;
use crate::runs::at_checkpoint::BranchAnswers;
use crate::runs::order::{Command, Nodes, Order};

/// How a run begins.
pub(super) enum Plan {
    Launch(Launch),
    /// With a branch of an older checkpoint, whose questions are answered when it asks them.
    Answer(BranchAnswers),
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

/// An update as fields. Of an input those that the graph has not are left out, for programs of others hand on their whole state;
/// that they are is told when the run begins.
fn fields_of(graph: &dyn Graph, value: &Value, what: &str) -> Result<Fields, RunFailure> {
    match value {
        Value::Null => Ok(Fields::new()),
        Value::Object(fields) => {
            let (known, unknown) = graph.outline().known(fields.clone());
            if !unknown.is_empty() && (known.is_empty() || what != INPUT) {
                return Err(refused("InvalidUpdateError", graph.outline().strange(what, &unknown)));
            }
            Ok(known)
        }
        other => Err(refused("InvalidUpdateError", format!("the {what} is an object of fields, not `{other}`"))),
    }
}

/// What an input is called where it is told.
const INPUT: &str = "input";

/// The fields of an input that the graph does not have, in words; none where it has all.
pub(crate) fn left_out(graph: &dyn Graph, order: &Order) -> Option<String> {
    let Value::Object(input) = &order.input else { return None };
    let (_, unknown) = graph.outline().known(input.clone());
    (!unknown.is_empty()).then(|| format!("{}; it is left out", graph.outline().strange(INPUT, &unknown)))
}

/// How a run begins.
///
/// # Errors
/// An order that the thread cannot follow, in the words that the run fails with.
pub(super) async fn plan(
    graph: &dyn Graph,
    checkpoints: &dyn Checkpointer,
    thread: &str,
    order: &Order,
) -> Result<Plan, RunFailure> {
    order.check(graph.outline()).map_err(|misfit| refused("ValueError", misfit.to_string()))?;
    let at = match order.checkpoint_id {
        Some(id) => Some(position(id, thread)?),
        None => None,
    };
    if let Some(command) = &order.command {
        return commanded(graph, checkpoints, thread, command, at, order.is_strict()).await;
    }
    if !order.input.is_null() {
        let values = fields_of(graph, &order.input, INPUT)?;
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

/// The answers of an order to questions of an older checkpoint; none of any other order.
///
/// # Errors
/// As [`plan`].
pub(super) async fn branch_answers(
    graph: &dyn Graph,
    checkpoints: &dyn Checkpointer,
    thread: &str,
    order: &Order,
) -> Result<Option<BranchAnswers>, RunFailure> {
    if order.checkpoint_id.is_none() || !order.resumes() {
        return Ok(None);
    }
    Ok(match plan(graph, checkpoints, thread, order).await? {
        Plan::Answer(answers) => Some(answers),
        Plan::Launch(_) | Plan::Nothing => None,
    })
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
    checkpoints: &dyn Checkpointer,
    thread: &str,
    command: &Command,
    at: Option<Position>,
    is_strict: bool,
) -> Result<Plan, RunFailure> {
    let mut goto = Goto { update: fields_of(graph, &command.update, "update")?, ..Goto::default() };
    add(&mut goto, &command.goto)?;
    if command.resume.is_null() {
        if goto.is_nothing() {
            return Ok(Plan::Nothing);
        }
        let at = match at {
            Some(at) => Some(before(graph, thread, at).await?),
            None => None,
        };
        return Ok(Plan::Launch(if goto.nodes.is_empty() && goto.sends.is_empty() {
            Launch::Input { values: goto.update, at }
        } else {
            Launch::Goto { goto, at }
        }));
    }
    let beside = Some(goto).filter(|goto| !goto.is_nothing());
    let now = view(graph, thread).await?;
    if let Some(at) = at.filter(|at| !is_waiting_at(&now, *at)) {
        return answered_at(graph, checkpoints, thread, at, &command.resume, beside, is_strict).await;
    }
    let open: Vec<_> = now.questions.iter().map(|question| (interrupt_id(thread, &question.id), question)).collect();
    if !open.is_empty() && now.status != ThreadStatus::Waiting {
        let message =
            "the thread's run stopped beside an open interrupt: a run without an input goes on, and asks it again";
        return Err(refused("RuntimeError", message));
    }
    let given = given(&command.resume, &open, "open interrupt", is_strict)?;
    let answers: Vec<_> = given.into_iter().map(|(question, answer)| (question.id.clone(), answer)).collect();
    if answers.is_empty() {
        return Ok(Plan::Nothing);
    }
    Ok(Plan::Launch(Launch::Resume { answers, beside }))
}

/// Whether a place is the one at which the thread waits for answers.
fn is_waiting_at(view: &View, at: Position) -> bool {
    let head = view.checkpoint.as_ref().map(|row| row.number);
    at.is_folded && head == Some(at.number) && view.status == ThreadStatus::Waiting
}

/// Answers to questions of an older checkpoint.
async fn answered_at(
    graph: &dyn Graph,
    checkpoints: &dyn Checkpointer,
    thread: &str,
    at: Position,
    resume: &Value,
    beside: Option<Goto>,
    is_strict: bool,
) -> Result<Plan, RunFailure> {
    let view = match graph.view(thread, Some(at.number)).await {
        Ok(view) => view,
        Err(error) => return Err(refused("ValueError", error.to_string())),
    };
    // Before the values of an input are folded nothing has run.
    let asked = if at.is_folded { asked_at(checkpoints, thread, &view).await? } else { Vec::new() };
    let listed: Vec<_> = asked.iter().map(|asked| (interrupt_id(thread, &asked.id), asked)).collect();
    let given = given(resume, &listed, "interrupt of this checkpoint", is_strict)?;
    for (asked, answer) in &given {
        graph.check_answer(&asked.path, &asked.key, answer).map_err(|error| failure(&error))?;
    }
    if given.is_empty() {
        return Ok(Plan::Nothing);
    }
    let given = given.into_iter().map(|(asked, answer)| (asked.clone(), answer)).collect();
    Ok(Plan::Answer(BranchAnswers { at, given, beside }))
}

/// The answers of a command, each with its question among those that can be answered: by their ids, or to the only one.
fn given<'q, Q>(
    resume: &Value,
    listed: &[(String, &'q Q)],
    what: &str,
    is_strict: bool,
) -> Result<Vec<(&'q Q, Value)>, RunFailure> {
    let ids = || listed.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>().join(", ");
    match resume {
        Value::Object(given) if given.keys().any(|key| is_interrupt_id(key)) => {
            let mut answers = Vec::new();
            for (id, answer) in given {
                match listed.iter().find(|(known, _)| known == id) {
                    Some((_, question)) => answers.push((*question, answer.clone())),
                    None if is_strict || listed.is_empty() => {
                        let known = if listed.is_empty() { "none".to_owned() } else { ids() };
                        let message = format!("{id} is the id of no {what}; ids: {known}");
                        return Err(refused(UNKNOWN_INTERRUPT, message));
                    }
                    None => {}
                }
            }
            Ok(answers)
        }
        answer => match listed {
            [(_, question)] => Ok(vec![(*question, answer.clone())]),
            [] => Err(refused(UNKNOWN_INTERRUPT, format!("there is no {what} to answer"))),
            several => {
                let message = format!("{} interrupts can be answered: answer by their ids, {}", several.len(), ids());
                Err(refused("RuntimeError", message))
            }
        },
    }
}

fn is_interrupt_id(key: &str) -> bool {
    key.len() == 32 && key.chars().all(|c| c.is_ascii_hexdigit())
}

/// The limits of a run.
pub(super) fn policy(graph: &dyn Graph, order: &Order) -> RunPolicy {
    let policy = graph.policy().durability(order.durability.into());
    match order.config.recursion_limit {
        Some(limit) if graph.outline().in_barrier => policy.max_steps(limit),
        Some(limit) => policy.budget(limit),
        None => policy,
    }
}

/// The limits of a run, and the nodes at which it stops.
pub(super) fn stopping_policy(graph: &dyn Graph, order: &Order) -> RunPolicy {
    let nodes = |wanted: &Option<Nodes>| -> Vec<Node> {
        wanted.iter().flat_map(|nodes| nodes.names(graph.outline().nodes())).map(Node::owned).collect()
    };
    let policy = policy(graph, order);
    policy.break_before(nodes(&order.interrupt_before)).break_after(nodes(&order.interrupt_after))
}
