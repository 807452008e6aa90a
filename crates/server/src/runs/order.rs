//! What a client wants of a run, as it is stored with the run: a run that waits is started from this after a crash.

use graphloom_core_graph::Durability;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::graph::Fields;

/// What a client wants of a run. The names are those of the LangGraph wire; whatever else a client sends is kept as it came.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Order {
    /// An object of fields; `null` goes on where the thread stopped.
    pub(crate) input: Value,
    pub(crate) command: Option<Command>,
    pub(crate) config: Config,
    /// What the graph's resources are made of.
    pub(crate) context: Value,
    /// The checkpoint from which the run branches off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) checkpoint_id: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) interrupt_before: Option<Nodes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) interrupt_after: Option<Nodes>,
    pub(crate) durability: Durable,
    /// Whether an answer to a question that is not open is an error.
    pub(crate) strict_resume: bool,
    #[serde(flatten)]
    pub(crate) rest: Map<String, Value>,
}

/// What a run is to do in the place of an input.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Command {
    /// An answer to the one open question, or answers by the ids of questions.
    pub(crate) resume: Value,
    /// An update of the state.
    pub(crate) update: Value,
    /// Where to go on: a node, a node with an input, or a list of them.
    pub(crate) goto: Value,
}

/// How a run is configured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Config {
    /// The most super-steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) recursion_limit: Option<u64>,
    pub(crate) configurable: Fields,
    #[serde(flatten)]
    pub(crate) rest: Map<String, Value>,
}

/// Nodes to stop at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Nodes {
    /// `"*"` is all of them.
    One(String),
    Several(Vec<String>),
}

/// When commits are durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Durable {
    Sync,
    #[default]
    Async,
    Exit,
}

impl Nodes {
    /// The names, of those that a graph has.
    pub(crate) fn names<'a>(&'a self, all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
        match self {
            Self::One(star) if star == "*" => all.collect(),
            Self::One(one) => vec![one],
            Self::Several(several) => several.iter().map(String::as_str).collect(),
        }
    }
}

impl From<Durable> for Durability {
    fn from(durable: Durable) -> Self {
        match durable {
            // What a client was told must be there after a crash: a step is told when it is durable.
            Durable::Sync | Durable::Async => Self::Sync,
            Durable::Exit => Self::Exit,
        }
    }
}

impl Order {
    /// An order with an input.
    pub(crate) fn input(fields: Fields) -> Self {
        Self { input: Value::Object(fields), ..Self::default() }
    }

    /// An order with an answer: to the one open question, or by ids.
    pub(crate) fn resume(answer: Value) -> Self {
        Self { command: Some(Command { resume: answer, ..Command::default() }), ..Self::default() }
    }

    /// What the graph's resources are made of: `context`, or else what is configurable.
    pub(crate) fn resources(&self) -> Value {
        match &self.context {
            Value::Object(context) if !context.is_empty() => self.context.clone(),
            _ => Value::Object(self.config.configurable.clone()),
        }
    }
}
