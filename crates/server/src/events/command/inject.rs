//! `input.inject`: a message is put into a conversation.

use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::Success;
use super::error::{CommandError, ErrorCode};
use super::thread::{Standing, running};
use crate::graph::Fields;
use crate::host::{Host, RunOptions};
use crate::runs::Order;

/// The protocol's `InputInjectParams`.
#[derive(Deserialize)]
pub(super) struct Inject {
    #[serde(default)]
    namespace: Vec<String>,
    message: InputMessage,
}

/// The protocol's `InputMessage`.
#[derive(Deserialize)]
struct InputMessage {
    role: Role,
    content: String,
    #[serde(default)]
    name: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Role {
    User,
    System,
}

/// The field that messages are in.
const MESSAGES: &str = "messages";

/// The message is the input of a run of its own, behind those that are under way or wait.
pub(super) async fn inject(host: &Host, thread: Uuid, params: Inject) -> Result<Success, CommandError> {
    let unsupported = |message: &str| CommandError::new(ErrorCode::NotSupported, message);
    if !params.namespace.is_empty() {
        return Err(unsupported("a message is put into the conversation of the root graph: send an empty `namespace`"));
    }
    let Some(standing) = Standing::of(host, thread).await? else {
        return Err(CommandError::new(ErrorCode::NoSuchRun, "the thread had no run yet; start one with `run.start`"));
    };
    if standing.graph.outline().field(MESSAGES).is_none() {
        return Err(unsupported("the graph has no `messages`"));
    }
    if running(host, thread).await?.is_none() && !standing.questions().await?.is_empty() {
        return Err(unsupported("the thread waits for an answer: send it with `input.respond`"));
    }
    let InputMessage { role, content, name } = params.message;
    let kind = match role {
        Role::User => "human",
        Role::System => "system",
    };
    let message = json!({ "type": kind, "content": content, "name": name });
    let input = Fields::from_iter([(MESSAGES.to_owned(), Value::Array(vec![message]))]);
    let assistant = standing.assistant(host).await?;
    let submitted = host.submit(Some(thread), &assistant, Order::input(input), RunOptions::default()).await?;
    Ok(Success::of_run(json!({}), submitted.before))
}
