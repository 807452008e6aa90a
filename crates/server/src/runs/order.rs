//! What a client wants of a run, as it is stored with the run: a run that waits is started from this after a crash.

use graphloom_core_graph::{Durability, MOST_LEVELS, is_nested_within};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::graph::{Fields, Outline};

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
    /// Whether an answer to a question that is not open is refused; it is unless `false` is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) strict_resume: Option<bool>,
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

/// What an order names that a graph has not.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Misfit {
    #[error("`{place}` names `{name}`, which is no node of the graph `{graph}`; nodes: {nodes}")]
    Node { place: &'static str, name: String, graph: String, nodes: String },
    #[error("`{place}` is nested too deeply: at most {MOST_LEVELS} arrays and objects may be within each other")]
    Depth { place: &'static str },
}

impl Misfit {
    /// The field that names it.
    pub(crate) fn place(&self) -> &'static str {
        let (Self::Node { place, .. } | Self::Depth { place }) = self;
        place
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

    /// Whether it answers questions.
    pub(crate) fn resumes(&self) -> bool {
        self.command.as_ref().is_some_and(|command| !command.resume.is_null())
    }

    /// Whether answers to questions that are not open are refused.
    pub(crate) fn is_strict(&self) -> bool {
        self.strict_resume != Some(false)
    }

    /// Checks what can be checked whatever the thread is like.
    ///
    /// # Errors
    /// A node that the graph does not have; a value that is nested too deeply to be kept.
    pub(crate) fn check(&self, outline: &Outline) -> Result<(), Misfit> {
        let command = self.command.as_ref();
        let of_command = |value: fn(&Command) -> &Value| command.map_or(&Value::Null, value);
        let values = [
            ("input", &self.input),
            ("command.resume", of_command(|command| &command.resume)),
            ("command.update", of_command(|command| &command.update)),
            ("command.goto", of_command(|command| &command.goto)),
            ("context", &self.context),
        ];
        if let Some((place, _)) = values.into_iter().find(|(_, value)| !is_nested_within(value, MOST_LEVELS)) {
            return Err(Misfit::Depth { place });
        }
        let places = [("interrupt_before", &self.interrupt_before), ("interrupt_after", &self.interrupt_after)];
        for (place, wanted) in places {
            let named = wanted.iter().flat_map(|nodes| nodes.names(outline.nodes()));
            if let Some(name) = named.into_iter().find(|name| !outline.nodes().any(|node| node == *name)) {
                let nodes: Vec<_> = outline.nodes().map(|node| format!("`{node}`")).collect();
                let (name, graph, nodes) = (name.to_owned(), outline.name.clone(), nodes.join(", "));
                return Err(Misfit::Node { place, name, graph, nodes });
            }
        }
        Ok(())
    }

    /// What the graph's resources are made of: `context`, or else what is configurable.
    pub(crate) fn resources(&self) -> Value {
        match &self.context {
            Value::Object(context) if !context.is_empty() => self.context.clone(),
            _ => Value::Object(self.config.configurable.clone()),
        }
    }
}
