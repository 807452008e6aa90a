//! What a client wants of a new run.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::super::stream::{Modes, RunEndFrame, StreamOptions};
use crate::graph::Fields;
use crate::host::{Host, RunOptions};
use crate::http::{Problem, uuid_of};
use crate::records::{Assistant, Completion, Multitask};
use crate::runs::{Command, Config, Durable, Nodes, Order, left_out};

/// The body of every call that makes a run. Fields that are not known are ignored.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(crate) struct RunBody {
    /// The id of an assistant, or the name of a graph.
    pub(crate) assistant_id: String,
    /// An object of fields; nothing goes on where the thread stopped.
    #[serde(default)]
    input: Value,
    /// Answers to what the thread asked, an update, and where to go on.
    #[serde(default)]
    command: Option<Command>,
    #[serde(default)]
    config: Option<Config>,
    /// What the graph's resources are made of. Not beside `config.configurable`.
    #[serde(default)]
    context: Option<Fields>,
    #[serde(default)]
    metadata: Option<Fields>,
    /// The checkpoint from which the run branches off.
    #[serde(default)]
    checkpoint: Option<CheckpointBody>,
    /// Its id alone.
    #[serde(default)]
    checkpoint_id: Option<String>,
    /// The nodes before which the run stops: names, or `"*"` for all.
    #[serde(default)]
    interrupt_before: Option<Nodes>,
    /// The nodes after which the run stops: names, or `"*"` for all.
    #[serde(default)]
    interrupt_after: Option<Nodes>,
    /// What the run's stream tells: one mode or several; `values` unless set.
    #[serde(default)]
    stream_mode: Option<Modes>,
    /// Whether the stream tells what happens in subgraphs.
    #[serde(default)]
    stream_subgraphs: Option<bool>,
    /// Every stream can be taken up again, whatever is said here.
    #[serde(default)]
    stream_resumable: Option<bool>,
    #[serde(default)]
    feedback_keys: Option<Vec<String>>,
    /// Where the end of the run is posted to.
    #[serde(default)]
    webhook: Option<String>,
    /// What the run does when the thread is busy; `enqueue` unless set.
    #[serde(default)]
    multitask_strategy: Option<Multitask>,
    /// Whether a thread that is not there is made; `reject` unless set.
    #[serde(default)]
    if_not_exists: Option<IfNotExists>,
    /// What happens to the run when the client goes away; `continue` unless set.
    #[serde(default)]
    on_disconnect: Option<OnDisconnect>,
    /// What happens to the thread of a run that was given none; `delete` unless set.
    #[serde(default)]
    on_completion: Option<Completion>,
    /// Seconds before the run begins.
    #[serde(default)]
    after_seconds: Option<f64>,
    /// When commits are durable; `async` unless set.
    #[serde(default)]
    durability: Option<Durable>,
    /// The older form of `durability`: `false` is `exit`.
    #[serde(default)]
    checkpoint_during: Option<bool>,
    /// Whether an answer to a question that is not open is refused; `true` unless set. With `false` it is left out while others are
    /// open.
    #[serde(default)]
    strict_resume: Option<bool>,
}

/// A checkpoint in the form of the wire.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
struct CheckpointBody {
    #[serde(default)]
    checkpoint_id: Option<String>,
    /// The checkpoints of the graphs around a subgraph, by namespace; `""` is the root's.
    #[serde(default)]
    checkpoint_map: Option<Map<String, Value>>,
    #[serde(flatten)]
    _rest: Map<String, Value>,
}

impl CheckpointBody {
    /// The id of the checkpoint of the root graph.
    fn of_root(&self) -> Option<&str> {
        let root = self.checkpoint_map.as_ref().and_then(|map| map.get("")?.as_str());
        root.or(self.checkpoint_id.as_deref())
    }
}

/// Takes out of what is configurable the checkpoint that older clients name there.
fn named_in(configurable: &mut Fields) -> CheckpointBody {
    let mut named = CheckpointBody::default();
    if let Some(Value::String(id)) = configurable.remove("checkpoint_id") {
        named.checkpoint_id = Some(id);
    }
    if let Some(Value::Object(map)) = configurable.remove("checkpoint_map") {
        named.checkpoint_map = Some(map);
    }
    configurable.remove("checkpoint_ns");
    named
}

/// What happens when a thread is not there.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum IfNotExists {
    Create,
    Reject,
}

/// What happens to a run when its client goes away.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum OnDisconnect {
    Cancel,
    Continue,
}

/// A run that can be submitted.
pub(crate) struct ParsedRun {
    pub(crate) assistant: Assistant,
    pub(crate) order: Order,
    pub(crate) options: RunOptions,
    pub(crate) creates_thread: bool,
    /// What is left out of the input, in words.
    pub(crate) warning: Option<String>,
}

impl RunBody {
    /// What its stream tells.
    pub(super) fn stream_options(&self) -> StreamOptions {
        StreamOptions {
            modes: self.stream_mode.clone().unwrap_or_default(),
            subgraphs: self.stream_subgraphs.unwrap_or_default(),
            end: RunEndFrame::End,
        }
    }

    /// Whether the run ends with its client.
    pub(super) fn ends_with_client(&self) -> bool {
        self.on_disconnect == Some(OnDisconnect::Cancel)
    }

    /// The run that is asked for, on a thread or on none.
    ///
    /// # Errors
    /// 400 for what contradicts itself; 404 for an assistant that is not there; 422 for a graph that is not served, a
    /// checkpoint that is no UUID, and a webhook that is not called.
    pub(crate) async fn parse(mut self, host: &Host, thread: Option<Uuid>) -> Result<ParsedRun, Problem> {
        let configured = self.config.as_mut().map(|config| named_in(&mut config.configurable)).unwrap_or_default();
        let configurable = self.config.as_ref().map(|config| &config.configurable);
        if self.context.as_ref().is_some_and(|context| !context.is_empty())
            && configurable.is_some_and(|configurable| !configurable.is_empty())
        {
            return Err(Problem::bad_request(
                "Cannot specify both configurable and context. Prefer setting context alone.",
            ));
        }
        let resumes = self.command.as_ref().is_some_and(|command| !command.resume.is_null());
        if resumes && thread.is_none() {
            return Err(Problem::bad_request(
                "`command.resume` needs a thread: a run without one has nothing to resume",
            ));
        }
        if let Some(webhook) = &self.webhook {
            host.manager
                .webhooks()
                .check(webhook)
                .map_err(|refused| Problem::unprocessable(refused.to_string()).about("webhook"))?;
        }
        let checkpoint_id = self.checkpoint(&configured)?;
        let start_at = self.start_at()?;
        let assistant = host.assistant(&self.assistant_id).await?;
        let mut metadata = self.metadata.unwrap_or_default();
        metadata.insert("graph_id".to_owned(), json!(assistant.graph_id));
        metadata.insert("assistant_id".to_owned(), json!(assistant.assistant_id));
        let order = Order {
            input: self.input,
            command: self.command,
            config: self.config.unwrap_or_default(),
            context: self.context.map_or(Value::Null, Value::Object),
            checkpoint_id,
            interrupt_before: self.interrupt_before,
            interrupt_after: self.interrupt_after,
            durability: match (self.durability, self.checkpoint_during) {
                (Some(durability), _) => durability,
                (None, Some(false)) => Durable::Exit,
                (None, _) => Durable::default(),
            },
            strict_resume: self.strict_resume,
            rest: [
                ("stream_mode", json!(self.stream_mode.unwrap_or_default())),
                ("subgraphs", json!(self.stream_subgraphs.unwrap_or_default())),
                ("resumable", json!(self.stream_resumable.unwrap_or_default())),
                ("feedback_keys", json!(self.feedback_keys)),
                ("temporary", json!(thread.is_none())),
            ]
            .map(|(key, value)| (key.to_owned(), value))
            .into_iter()
            .collect(),
        };
        let mut warning = None;
        if let Some(graph) = host.manager.graph(&assistant.graph_id) {
            warning = left_out(&**graph, &order);
            order
                .check(graph.outline())
                .map_err(|misfit| Problem::unprocessable(misfit.to_string()).about(misfit.place()))?;
        }
        let options = RunOptions {
            metadata,
            multitask: self.multitask_strategy.unwrap_or_default(),
            start_at,
            webhook: self.webhook,
            completion: self.on_completion.unwrap_or_default(),
            run_id: None,
        };
        let creates_thread = self.if_not_exists == Some(IfNotExists::Create);
        Ok(ParsedRun { assistant, order, options, creates_thread, warning })
    }

    /// The checkpoint of the root graph from which the run branches off: the one that is named beside the input, or else in the
    /// configuration.
    fn checkpoint(&self, configured: &CheckpointBody) -> Result<Option<Uuid>, Problem> {
        let of_root = self.checkpoint.as_ref().and_then(CheckpointBody::of_root);
        let id = of_root.or(self.checkpoint_id.as_deref()).filter(|id| !id.is_empty());
        let id = id.or_else(|| configured.of_root().filter(|id| !id.is_empty()));
        id.map(|id| uuid_of("checkpoint", id)).transpose()
    }

    /// When the run begins, in milliseconds since 1970.
    fn start_at(&self) -> Result<Option<u64>, Problem> {
        let Some(seconds) = self.after_seconds else { return Ok(None) };
        let wait = Duration::try_from_secs_f64(seconds).map_err(|error| {
            Problem::unprocessable(format!("Invalid request body at `after_seconds`: {error}")).about("after_seconds")
        })?;
        let wait = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        Ok((wait > 0).then(|| crate::runs::now().saturating_add(wait)))
    }
}
