//! Responses: each is a run on a thread, and one that continues another is the next run of the same thread. A question is a call of
//! the function `answer`, and the output of that call answers it.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use futures::stream;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::chat::{MESSAGES, answer, last_said};
use crate::graph::Fields;
use crate::host::{Host, RunOptions};
use crate::http::{Frame, Json, Path, Problem, events};
use crate::log::Interrupt;
use crate::messages::Usage;
use crate::openai::assistant_of;
use crate::openai::speech::{Speech, Utterance};
use crate::records::{RunFailure, RunStatus};
use crate::runs::{Command, Order};

/// The fields that are read of a request. All others are left to models.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Request {
    /// A graph, or the id of an assistant.
    model: String,
    /// A text, or items: messages, and outputs of function calls.
    input: Value,
    /// What is said before the input, to the model.
    #[serde(default)]
    instructions: Option<String>,
    #[serde(default)]
    previous_response_id: Option<String>,
    #[serde(default)]
    stream: bool,
}

/// The name of the function by whose calls a graph asks.
const ANSWER: &str = "answer";

/// The id of a response: its thread and its run.
fn id_of(thread: Uuid, run: Uuid) -> String {
    format!("resp_{}{}", thread.simple(), run.simple())
}

fn ids_in(id: &str) -> Result<(Uuid, Uuid), Problem> {
    let unknown = || Problem::not_found(format!("Response with id '{id}' not found.")).about("previous_response_id");
    let hex = id.strip_prefix("resp_").filter(|hex| hex.len() == 64 && hex.is_ascii()).ok_or_else(unknown)?;
    let (thread, run) = hex.split_at(32);
    let read = |text: &str| Uuid::try_parse(text).map_err(|_| unknown());
    Ok((read(thread)?, read(run)?))
}

pub(super) async fn create(State(host): State<Host>, Json(request): Json<Request>) -> Result<Response, Problem> {
    let assistant = assistant_of(&host, &request.model).await?;
    let thread = match &request.previous_response_id {
        Some(id) => {
            let (thread, run) = ids_in(id)?;
            host.manager.records().runs.get(thread, run).await?;
            thread
        }
        None => Uuid::now_v7(),
    };
    let order = order(request.input, request.instructions)?;
    host.ensure_thread(thread).await?;
    let submitted = host.submit(Some(thread), &assistant, order, RunOptions::default()).await?;
    let shape = Shape {
        id: id_of(thread, submitted.record.run_id),
        created: submitted.record.created / 1000,
        model: request.model,
        previous: request.previous_response_id,
        message: format!("msg_{}", submitted.record.run_id.simple()),
    };
    let speech = Speech::new(&host, submitted);
    if request.stream {
        return Ok(events(&host.guard, host.guard.capacity().stream()?, streamed(shape, speech)));
    }
    let mut talk = Talk::new(shape, speech);
    while talk.step().await.is_some() {}
    Ok(Json(talk.shape.response(&talk.end)).into_response())
}

/// A response that was made before, as its thread tells it.
pub(super) async fn get(State(host): State<Host>, Path(id): Path<String>) -> Result<Json<Value>, Problem> {
    let (thread, run) = ids_in(&id)?;
    let record = host.manager.records().runs.get(thread, run).await?;
    let shape = Shape {
        id,
        created: record.created / 1000,
        model: record.graph.clone(),
        previous: None,
        message: format!("msg_{}", run.simple()),
    };
    let mut end = End { failure: record.error.clone(), is_over: record.status.is_final(), ..End::default() };
    if let (Some((_, last)), Some(graph)) = (record.checkpoints, host.manager.graph(&record.graph)) {
        let thread = thread.to_string();
        let view = graph.view(&thread, Some(last)).await.map_err(|error| Problem::unprocessable(error.to_string()))?;
        end.text = last_said(&view.values).map(|message| message.text()).unwrap_or_default();
        end.asked = crate::runs::interrupts(&thread, &view);
    }
    if record.status == RunStatus::Interrupted {
        end.failure = Some(RunFailure { error: "Cancelled".to_owned(), message: "the run was cancelled".to_owned() });
    }
    Ok(Json(shape.response(&end)))
}

/// What the input asks the graph to do.
fn order(input: Value, instructions: Option<String>) -> Result<Order, Problem> {
    let mut messages: Vec<Value> =
        instructions.map(|text| json!({"role": "system", "content": text})).into_iter().collect();
    let mut answers = Fields::new();
    match input {
        Value::String(text) => messages.push(json!({"role": "user", "content": text})),
        Value::Array(items) => {
            for (at, item) in items.into_iter().enumerate() {
                let refused = |what: &str| {
                    let place = format!("input[{at}]");
                    Problem::unprocessable(format!("Invalid item at `{place}`: {what}")).about(place)
                };
                match item.get("type").and_then(Value::as_str) {
                    Some("function_call_output") => {
                        let call = item.get("call_id").and_then(Value::as_str);
                        let id = call.and_then(|call| call.strip_prefix("call_"));
                        let id = id.ok_or_else(|| refused("its `call_id` is none of a question"))?;
                        let output = item.get("output").and_then(Value::as_str).map(answer);
                        answers.insert(id.to_owned(), output.ok_or_else(|| refused("it has no `output`"))?);
                    }
                    None | Some("message") => messages.push(message(&item).map_err(|what| refused(&what))?),
                    // What the model said and thought before is in the thread.
                    Some("function_call" | "reasoning") => {}
                    Some(other) => return Err(refused(&format!("items of type `{other}` are not taken"))),
                }
            }
        }
        _ => return Err(Problem::unprocessable("`input` is a text or a list of items").about("input")),
    }
    if answers.is_empty() {
        return Ok(Order::input(Fields::from_iter([(MESSAGES.to_owned(), messages.into())])));
    }
    let update = if messages.is_empty() { Value::Null } else { json!({MESSAGES: messages}) };
    let command = Command { resume: answers.into(), update, ..Command::default() };
    Ok(Order { command: Some(command), ..Order::default() })
}

/// A message item in the form that graphs take: the text of its parts.
fn message(item: &Value) -> Result<Value, String> {
    let role = item.get("role").cloned().unwrap_or_else(|| "user".into());
    let content = match item.get("content") {
        Some(Value::Array(parts)) => {
            let text = |part: &Value| part.get("text").and_then(Value::as_str).map(str::to_owned);
            parts.iter().filter_map(text).collect::<Vec<_>>().join("\n").into()
        }
        Some(text @ Value::String(_)) => text.clone(),
        _ => return Err("it has no `content`".to_owned()),
    };
    let message = json!({"role": role, "content": content});
    crate::messages::Message::try_from(message.clone()).map_err(|error| error.to_string())?;
    Ok(message)
}

/// What all forms of a response begin with.
struct Shape {
    id: String,
    created: u64,
    model: String,
    previous: Option<String>,
    /// The id of its message.
    message: String,
}

/// What a response has come to.
#[derive(Default)]
struct End {
    text: String,
    asked: Vec<Interrupt>,
    failure: Option<RunFailure>,
    usage: Usage,
    is_over: bool,
}

impl Shape {
    fn message(&self, text: &str, status: &str) -> Value {
        json!({
            "type": "message", "id": self.message, "role": "assistant", "status": status,
            "content": [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}],
        })
    }

    fn call(interrupt: &Interrupt) -> Value {
        json!({
            "type": "function_call", "id": format!("fc_{}", interrupt.id), "call_id": format!("call_{}", interrupt.id),
            "name": ANSWER, "arguments": interrupt.value.to_string(), "status": "completed",
        })
    }

    fn response(&self, end: &End) -> Value {
        let status = match (&end.failure, end.is_over) {
            (Some(_), _) => "failed",
            (None, true) => "completed",
            (None, false) => "in_progress",
        };
        let said = (!end.text.is_empty()).then(|| self.message(&end.text, "completed"));
        let output: Vec<Value> =
            if end.is_over { said.into_iter().chain(end.asked.iter().map(Self::call)).collect() } else { Vec::new() };
        let error = end.failure.as_ref().map(
            |failure| json!({"code": "server_error", "message": format!("{}: {}", failure.error, failure.message)}),
        );
        json!({
            "id": self.id, "object": "response", "created_at": self.created, "status": status, "model": self.model,
            "error": error, "incomplete_details": null, "instructions": null, "metadata": {}, "output": output,
            "parallel_tool_calls": true, "tool_choice": "auto", "tools": [], "temperature": null, "top_p": null,
            "previous_response_id": self.previous,
            "usage": end.is_over.then(|| json!({
                "input_tokens": end.usage.input_tokens, "output_tokens": end.usage.output_tokens,
                "total_tokens": end.usage.total_tokens,
                "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0},
            })),
        })
    }
}

/// A response that is being made.
struct Talk {
    shape: Shape,
    speech: Speech,
    end: End,
}

impl Talk {
    fn new(shape: Shape, speech: Speech) -> Self {
        Self { shape, speech, end: End::default() }
    }

    /// The next piece of text; none at its end. What the graph tells of its work has no place on this wire.
    async fn step(&mut self) -> Option<String> {
        while let Some(heard) = self.speech.next().await {
            match heard {
                Utterance::Text(text) => {
                    self.end.text.push_str(&text);
                    return Some(text);
                }
                Utterance::Thought(_) => {}
                Utterance::Asked(asked) => self.end.asked = asked,
                Utterance::Failed(failure) => self.end.failure = Some(failure),
            }
        }
        self.end.usage = self.speech.usage();
        self.end.is_over = true;
        None
    }
}

/// The events of a stream, numbered.
struct Numbered {
    talk: Talk,
    number: u64,
    waiting: std::collections::VecDeque<Frame>,
    has_message: bool,
}

impl Numbered {
    fn tell(&mut self, kind: &str, mut event: Value) {
        event["type"] = kind.into();
        event["sequence_number"] = self.number.into();
        self.number += 1;
        self.waiting.push_back(Frame::encoded(kind, &event.to_string(), None));
    }

    fn begin(&mut self) {
        let response = self.talk.shape.response(&self.talk.end);
        self.tell("response.created", json!({"response": response}));
        self.tell("response.in_progress", json!({"response": response}));
    }

    fn text(&mut self, delta: &str) {
        let id = self.talk.shape.message.clone();
        if !std::mem::replace(&mut self.has_message, true) {
            let mut item = self.talk.shape.message("", "in_progress");
            item["content"] = json!([]);
            self.tell("response.output_item.added", json!({"output_index": 0, "item": item}));
            let part = json!({"type": "output_text", "text": "", "annotations": [], "logprobs": []});
            self.tell(
                "response.content_part.added",
                json!({"item_id": id, "output_index": 0, "content_index": 0, "part": part}),
            );
        }
        let event = json!({"item_id": id, "output_index": 0, "content_index": 0, "delta": delta, "logprobs": []});
        self.tell("response.output_text.delta", event);
    }

    fn finish(&mut self) {
        let (id, text) = (self.talk.shape.message.clone(), self.talk.end.text.clone());
        if self.has_message {
            let place = json!({"item_id": id, "output_index": 0, "content_index": 0});
            let mut done = place.clone();
            (done["text"], done["logprobs"]) = (text.as_str().into(), json!([]));
            self.tell("response.output_text.done", done);
            let mut part = place;
            part["part"] = json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []});
            self.tell("response.content_part.done", part);
            let item = self.talk.shape.message(&text, "completed");
            self.tell("response.output_item.done", json!({"output_index": 0, "item": item}));
        }
        let asked = self.talk.end.asked.clone();
        for (at, interrupt) in asked.iter().enumerate() {
            let (at, item) = (at + usize::from(self.has_message), Shape::call(interrupt));
            self.tell("response.output_item.added", json!({"output_index": at, "item": item}));
            self.tell(
                "response.function_call_arguments.done",
                json!({"item_id": item["id"], "output_index": at, "name": ANSWER, "arguments": item["arguments"]}),
            );
            self.tell("response.output_item.done", json!({"output_index": at, "item": item}));
        }
        let kind = if self.talk.end.failure.is_some() { "response.failed" } else { "response.completed" };
        let response = self.talk.shape.response(&self.talk.end);
        self.tell(kind, json!({"response": response}));
    }
}

fn streamed(shape: Shape, speech: Speech) -> impl futures::Stream<Item = Frame> + Send {
    let talk = Talk::new(shape, speech);
    let mut numbered = Numbered { talk, number: 0, waiting: Default::default(), has_message: false };
    numbered.begin();
    stream::unfold(numbered, |mut numbered| async move {
        if numbered.waiting.is_empty() && !numbered.talk.end.is_over {
            match numbered.talk.step().await {
                Some(delta) => numbered.text(&delta),
                None => numbered.finish(),
            }
        }
        let frame = numbered.waiting.pop_front()?;
        Some((frame, numbered))
    })
}
