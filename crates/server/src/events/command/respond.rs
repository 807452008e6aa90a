//! `input.respond`: open questions are answered, and the run goes on.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::super::channel::is_below;
use super::super::projection::namespace_of;
use super::Success;
use super::error::{CommandError, ErrorCode};
use super::fork::{checkpoint_of, no_such_checkpoint};
use super::run_start::configure;
use super::thread::{Standing, running};
use crate::graph::{Fields, UNKNOWN_INTERRUPT};
use crate::host::{Host, RunOptions};
use crate::log::Interrupt;
use crate::refusal::Refusal;
use crate::runs::{Command, Config, Order};

/// The protocol's `InputRespondParams`: one answer, or several.
#[derive(Deserialize)]
pub(super) struct Respond {
    #[serde(default)]
    responses: Option<Vec<Response>>,
    #[serde(default)]
    namespace: Vec<String>,
    #[serde(default)]
    interrupt_id: Option<String>,
    #[serde(default)]
    response: Value,
    #[serde(default)]
    update: Value,
    #[serde(default)]
    goto: Value,
    #[serde(default)]
    config: Option<Config>,
    #[serde(default)]
    metadata: Option<Fields>,
    #[serde(default)]
    strict_resume: Option<bool>,
}

#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    namespace: Vec<String>,
    interrupt_id: String,
    response: Value,
}

pub(super) async fn respond(
    host: &Host,
    thread: Uuid,
    mut params: Respond,
    checks_namespaces: bool,
) -> Result<Success, CommandError> {
    let responses = responses(&mut params)?;
    let mut order = Order { strict_resume: params.strict_resume, ..Order::default() };
    let fork = configure(&mut order, params.config)?;
    let standing = match &fork {
        // Which questions an older checkpoint has is looked at when the run is accepted.
        Some(fork) => {
            let standing = Standing::of(host, thread).await?;
            order.checkpoint_id = Some(checkpoint_of(standing.as_ref(), fork).await?);
            standing.ok_or_else(|| no_such_checkpoint(fork))?
        }
        None => answered(host, thread, &responses, checks_namespaces).await?,
    };
    let resume: Map<String, Value> =
        responses.into_iter().map(|response| (response.interrupt_id, response.response)).collect();
    order.command = Some(Command { resume: resume.into(), update: params.update, goto: params.goto });
    let assistant = standing.assistant(host).await?;
    let options = RunOptions { metadata: params.metadata.unwrap_or_default(), ..RunOptions::default() };
    let submitted = host.submit(Some(thread), &assistant, order, options).await.map_err(|refusal| match refusal {
        Refusal::Invalid(message) if message.starts_with(UNKNOWN_INTERRUPT) => {
            CommandError::new(ErrorCode::NoSuchInterrupt, message)
        }
        other => other.into(),
    })?;
    Ok(Success::of_run(json!({}), submitted.before))
}

fn responses(params: &mut Respond) -> Result<Vec<Response>, CommandError> {
    match (params.responses.take(), params.interrupt_id.take()) {
        (Some(responses), None) if !responses.is_empty() => Ok(responses),
        (None, Some(interrupt_id)) => {
            let (namespace, response) = (std::mem::take(&mut params.namespace), params.response.take());
            Ok(vec![Response { namespace, interrupt_id, response }])
        }
        _ => Err(CommandError::new(
            ErrorCode::InvalidArgument,
            "`params` has either `interrupt_id` with `response`, or `responses`, a list of such that is not empty",
        )),
    }
}

/// The thread, if all questions that are answered are open.
async fn answered(
    host: &Host,
    thread: Uuid,
    responses: &[Response],
    checks_namespaces: bool,
) -> Result<Standing, CommandError> {
    loop {
        // A question is told while its run is still under way; it is open at the latest when the run has ended.
        let running = running(host, thread).await?;
        let Some(standing) = Standing::of(host, thread).await? else {
            return Err(no_such_interrupt(responses.first(), &[]));
        };
        let open = standing.questions().await?;
        let missing = responses.iter().find(|response| {
            let place = checks_namespaces.then_some(response.namespace.as_slice());
            !open.iter().any(|question| fits(thread, question, &response.interrupt_id, place))
        });
        match (missing, running) {
            (None, _) => return Ok(standing),
            (Some(missing), None) => return Err(no_such_interrupt(Some(missing), &open)),
            (Some(_), Some(run)) => drop(run.ended().await),
        }
    }
}

/// Whether a question has this id, and is in this namespace or below it.
fn fits(thread: Uuid, question: &Interrupt, id: &str, namespace: Option<&[String]>) -> bool {
    question.id == id && namespace.is_none_or(|prefix| is_below(&namespace_of(thread, &question.ns), prefix))
}

fn no_such_interrupt(response: Option<&Response>, open: &[Interrupt]) -> CommandError {
    let (id, namespace) = response.map_or(("", &[][..]), |response| (&*response.interrupt_id, &*response.namespace));
    let id: String = id.chars().take(64).collect();
    let open: Vec<_> = open.iter().map(|question| question.id.as_str()).collect();
    let open = if open.is_empty() { "none".to_owned() } else { open.join(", ") };
    let place = if namespace.is_empty() { String::new() } else { format!(" in the namespace {namespace:?}") };
    CommandError::new(ErrorCode::NoSuchInterrupt, format!("no question `{id}` is open{place}; open: {open}"))
}
