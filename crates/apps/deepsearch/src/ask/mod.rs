//! How nodes ask models: a prompt by name, a typed answer or a text, tries, and durable steps underneath.
//!
//! ```
//! use graphloom_core_graph::{Context, NodeError};
//! use graphloom_deepsearch::ask::{Ask, value};
//! use graphloom_deepsearch::{Resources, Slot};
//!
//! #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
//! struct Queries {
//!     #[schemars(length(min = 1, max = 3))]
//!     queries: Vec<String>,
//! }
//!
//! async fn queries(cx: &Context<Resources>, step: &str) -> Result<Vec<String>, NodeError> {
//!     let ask = Ask::new("queries", "collector_gen_query").slot(Slot::InfoCollecting).tries(3);
//!     let args = serde_json::json!({ "step": step });
//!     let answer = value(cx, &ask, &args, |answer: Queries| {
//!         if answer.queries.is_empty() { Err("there are no queries".into()) } else { Ok(answer.queries) }
//!     });
//!     // A model that fails is no error of the node: it decides what to do without an answer.
//!     Ok(answer.await?.unwrap_or_else(|_| vec![step.to_owned()]))
//! }
//! ```
//!
//! Every reply of a model is a durable step of the task under the key of the [`Ask`], the number of the reply and a hash
//! of what was asked: after a crash it is taken from the store and not paid for again. Keys of one task differ.

mod failure;
mod text;
mod typed;

pub use failure::AskFailure;
pub use text::{TakenText, taken_text, text};
pub use typed::value;

use graphloom_agents::{DurableCalls, StepKeys, Strategy};
use graphloom_core_graph::{Context, NodeError};
use graphloom_llm::{Message, Params};
use serde::Serialize;
use serde_json::Value;

use crate::resources::{Resources, Slot};
use crate::stream::Place;

/// What is asked, of whom, how often.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Ask {
    /// The key of the durable steps, unique in the task.
    pub key: String,
    /// The prompt's name. A model that is guided gets `small/NAME`, if there is one.
    pub prompt: String,
    /// Who is asked.
    pub slot: Slot,
    /// How many replies are read before it is given up; at least one.
    pub tries: u32,
    /// Sampling temperature.
    pub temperature: Option<f32>,
    /// The most tokens of a reply of a small model. Others are not limited by us.
    pub small_tokens: u32,
    /// The tool whose call is the answer, for models that call tools; others get the schema alone.
    pub tool: Option<&'static str>,
    /// The schema of the answer, in place of its type's own, for bounds that are known at run time.
    pub schema: Option<Value>,
    /// Under which agent's name and where pieces of a text are emitted while it is made.
    pub stream: Option<(String, Place)>,
    /// Messages between the prompt's system message and its other messages, such as the conversation so far.
    pub conversation: Vec<Message>,
}

impl Ask {
    /// Asks with a prompt; three tries, slot `general`.
    pub fn new(key: impl Into<String>, prompt: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            prompt: prompt.into(),
            slot: Slot::General,
            tries: 3,
            temperature: None,
            small_tokens: 300,
            tool: None,
            schema: None,
            stream: None,
            conversation: Vec::new(),
        }
    }

    /// Who is asked.
    #[must_use]
    pub fn slot(mut self, slot: Slot) -> Self {
        self.slot = slot;
        self
    }

    /// How many replies are read.
    #[must_use]
    pub fn tries(mut self, tries: u32) -> Self {
        self.tries = tries.max(1);
        self
    }

    /// Sampling temperature.
    #[must_use]
    pub fn temperature(mut self, temperature: f32) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// The most tokens of a reply of a small model.
    #[must_use]
    pub fn small_tokens(mut self, tokens: u32) -> Self {
        self.small_tokens = tokens;
        self
    }

    /// The answer is a call of this tool, where the model calls tools.
    #[must_use]
    pub fn tool(mut self, tool: &'static str) -> Self {
        self.tool = Some(tool);
        self
    }

    /// The schema of the answer, in place of its type's own.
    #[must_use]
    pub fn schema(mut self, schema: Value) -> Self {
        self.schema = Some(schema);
        self
    }

    /// Pieces of the text are emitted while it is made: START, chunks, DONE.
    #[must_use]
    pub fn stream(mut self, agent: impl Into<String>, place: Place) -> Self {
        self.stream = Some((agent.into(), place));
        self
    }

    /// Messages before the prompt's own.
    #[must_use]
    pub fn conversation(mut self, messages: Vec<Message>) -> Self {
        self.conversation = messages;
        self
    }
}

/// The durable calls of one question: its key, the number of the reply and a hash of what was asked name a step.
fn calls(cx: &Context<Resources>, ask: &Ask) -> DurableCalls<Resources> {
    DurableCalls::new(cx).keys(StepKeys::Under(ask.key.clone())).limit(cx.resources().call_limit)
}

fn params(resources: &Resources, ask: &Ask) -> Params {
    let is_guided = resources.strategy(ask.slot) == Strategy::Guided;
    let max_tokens = is_guided.then_some(ask.small_tokens);
    Params { temperature: ask.temperature, max_tokens, ..Params::default() }
}

/// The prompt's messages, the conversation after its system messages.
fn messages(cx: &Context<Resources>, ask: &Ask, args: &impl Serialize) -> Result<Vec<Message>, NodeError> {
    let resources = cx.resources();
    let small = format!("small/{}", ask.prompt);
    let name = match resources.strategy(ask.slot) {
        Strategy::Guided if resources.prompts.version(&small).is_some() => small.as_str(),
        _ => ask.prompt.as_str(),
    };
    let mut messages = resources.prompts.render(name, args).map_err(NodeError::terminal)?.messages;
    let system = messages.iter().take_while(|message| message.role == graphloom_llm::Role::System).count();
    messages.splice(system..system, ask.conversation.iter().cloned());
    Ok(messages)
}
