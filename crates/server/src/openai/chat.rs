//! Chat completions.
//!
//! The header `X-OpenWebUI-Chat-Id` names a chat: its messages are those of a thread, of which a request adds what came after
//! the model's last turn, or answers what the graph has asked. Without it a request is a conversation of its own, with all its
//! messages.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use futures::stream;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::chat::{MESSAGES, answer};
use crate::graph::Fields;
use crate::host::{Host, RunOptions};
use crate::http::{Frame, Json, Problem, events};
use crate::messages::{MessageKind, Messages, Usage};
use crate::openai::speech::{Speech, Utterance, problem};
use crate::openai::{assistant_of, thread_of};
use crate::records::{Assistant, ThreadStatus};
use crate::runs::{Order, Submitted};

/// The fields that are read of a request. All others are left to models.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Request {
    /// A graph, or the id of an assistant.
    model: String,
    messages: Vec<Value>,
    #[serde(default)]
    stream: bool,
    #[serde(default)]
    stream_options: Option<StreamOptions>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
struct StreamOptions {
    #[serde(default)]
    include_usage: bool,
}

/// What begins the prompts with which `Open WebUI` asks for titles and tags. They are no part of a chat.
const SIDE_JOB: &str = "### Task:";

pub(super) async fn create(
    State(host): State<Host>,
    headers: HeaderMap,
    Json(request): Json<Request>,
) -> Result<Response, Problem> {
    let assistant = assistant_of(&host, &request.model).await?;
    let messages = read(&request.messages)?;
    let chat = headers.get("x-openwebui-chat-id").and_then(|id| id.to_str().ok()).filter(|id| !id.is_empty());
    let is_side_job = messages.last().is_some_and(|message| message.text().starts_with(SIDE_JOB));
    let submitted = match chat.filter(|_| !is_side_job) {
        Some(chat) => turn(&host, &assistant, thread_of(chat), &request.messages, &messages).await?,
        None => {
            let order = Order::input(Fields::from_iter([(MESSAGES.to_owned(), request.messages.into())]));
            host.submit(None, &assistant, order, RunOptions::default()).await?
        }
    };
    let head = Head {
        id: format!("chatcmpl-{}", submitted.record.run_id.simple()),
        created: submitted.record.created / 1000,
        model: request.model,
    };
    let speech = Speech::new(&host, submitted);
    if !request.stream {
        return Ok(Json(whole(&head, speech).await?).into_response());
    }
    let include_usage = request.stream_options.is_some_and(|options| options.include_usage);
    Ok(events(&host.guard, host.guard.capacity().stream()?, streamed(head, speech, include_usage)))
}

/// Reads the messages, so that what is wrong with them is told by its place.
fn read(messages: &[Value]) -> Result<Messages, Problem> {
    if messages.is_empty() {
        return Err(Problem::unprocessable("`messages` is empty; give at least one").about("messages"));
    }
    let read = messages.iter().enumerate().map(|(at, message)| {
        crate::messages::Message::try_from(message.clone()).map_err(|error| {
            let place = format!("messages[{at}]");
            Problem::unprocessable(format!("Invalid message at `{place}`: {error}")).about(place)
        })
    });
    read.collect::<Result<Vec<_>, _>>().map(Messages::from)
}

/// A turn of a chat whose thread keeps what was said before.
async fn turn(
    host: &Host,
    assistant: &Assistant,
    thread: Uuid,
    raw: &[Value],
    messages: &Messages,
) -> Result<Submitted, Problem> {
    host.ensure_thread(thread).await?;
    let record = host.manager.records().threads.get(thread).await?;
    let order = if record.status == ThreadStatus::Interrupted && !record.interrupts.is_empty() {
        Order::resume(answer(&messages.last().map(crate::messages::Message::text).unwrap_or_default()))
    } else {
        // A chat that began elsewhere is taken over whole.
        let is_known = record.graph.is_some();
        let said = messages.iter().rposition(|message| message.kind() == MessageKind::Ai).filter(|_| is_known);
        let new = raw.iter().skip(said.map_or(0, |at| at + 1)).cloned().collect::<Vec<_>>();
        Order::input(Fields::from_iter([(MESSAGES.to_owned(), new.into())]))
    };
    Ok(host.submit(Some(thread), assistant, order, RunOptions::default()).await?)
}

/// What all parts of a completion begin with.
struct Head {
    id: String,
    created: u64,
    model: String,
}

impl Head {
    fn completion(&self, message: &Value, usage: Usage) -> Value {
        json!({
            "id": self.id, "object": "chat.completion", "created": self.created, "model": self.model,
            "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": "stop"}],
            "usage": usage_of(usage),
        })
    }

    fn chunk(&self, choices: &Value) -> Value {
        json!({
            "id": self.id, "object": "chat.completion.chunk", "created": self.created, "model": self.model,
            "choices": choices,
        })
    }

    fn delta(&self, delta: &Value, finish_reason: Option<&str>) -> Frame {
        let choices = json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish_reason}]);
        frame(&self.chunk(&choices))
    }
}

fn usage_of(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens,
        "total_tokens": usage.total_tokens,
    })
}

fn frame(data: &Value) -> Frame {
    Frame::encoded("", &data.to_string(), None)
}

async fn whole(head: &Head, mut speech: Speech) -> Result<Value, Problem> {
    let (mut content, mut reasoning) = (String::new(), String::new());
    while let Some(heard) = speech.next().await {
        match heard {
            Utterance::Thought(thought) => reasoning.push_str(&thought),
            other => content.push_str(&other.text().map_err(|failure| problem(&failure))?),
        }
    }
    let message = json!({
        "role": "assistant", "content": content, "refusal": null, "reasoning_content": reasoning,
    });
    Ok(head.completion(&message, speech.usage()))
}

/// Where a stream is.
enum Part {
    Role,
    Speech,
    Usage,
    Done,
    Over,
}

fn streamed(head: Head, speech: Speech, include_usage: bool) -> impl futures::Stream<Item = Frame> + Send {
    stream::unfold((head, speech, Part::Role), move |(head, mut speech, part)| async move {
        let (frame, next) = match part {
            Part::Role => (head.delta(&json!({"role": "assistant", "content": ""}), None), Part::Speech),
            Part::Speech => match speech.next().await {
                Some(Utterance::Thought(thought)) => {
                    (head.delta(&json!({"reasoning_content": thought}), None), Part::Speech)
                }
                Some(heard) => match heard.text() {
                    Ok(text) => (head.delta(&json!({"content": text}), None), Part::Speech),
                    Err(failure) => (frame(&super::render(&problem(&failure))), Part::Done),
                },
                None => {
                    let next = if include_usage { Part::Usage } else { Part::Done };
                    (head.delta(&json!({}), Some("stop")), next)
                }
            },
            Part::Usage => {
                let mut chunk = head.chunk(&json!([]));
                chunk["usage"] = usage_of(speech.usage());
                (frame(&chunk), Part::Done)
            }
            Part::Done => (Frame::encoded("", "[DONE]", None), Part::Over),
            Part::Over => return None,
        };
        Some((frame, (head, speech, next)))
    })
}
