//! The state of a run: the request, the tree, and what was found and said on the way.

use graphloom_agents::Exchange;
use graphloom_core_graph::{Log, State, Table};
use graphloom_llm::layers::Spent;
use graphloom_retrieval::Evidence;
use graphloom_state_machine::{NodeKey, TaskAction, TreeChange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cite::{CiteEvent, Reference};
use crate::review::Review;
use crate::task::{Task, Tree};

/// The state of a run.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Writing {
    /// What was asked for.
    pub request: Request,
    /// The tasks.
    #[state(reduce_with = Tree::apply, update = TreeChange<Task>, stored = deltas)]
    pub tree: Tree,
    /// Everything that was found, by evidence id.
    #[state(merge)]
    pub evidence: Table<String, Evidence>,
    /// Every call of an agent, in commit order.
    #[state(append)]
    #[schemars(with = "Vec<Value>")]
    pub calls: Log<Call>,
    /// What a user should know, in commit order.
    #[state(append)]
    pub notes: Log<String>,
    /// What the calls have spent.
    #[state(reduce_with = Spent::keep_greater)]
    #[schemars(with = "Value")]
    pub spent: Spent,
    /// The result, when all is done that can be.
    pub finished: Option<Finished>,
}

/// What was asked for. It does not change during a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Request {
    /// What shall be written.
    pub goal: String,
    /// The kind of text.
    pub mode: Mode,
    /// The length in words.
    pub words: Option<u32>,
    /// Tasks at this layer and deeper are carried out without planning.
    pub max_depth: Option<usize>,
    /// A tree of this many nodes is not planned further.
    pub max_nodes: Option<usize>,
    /// In which order ready tasks run.
    pub schedule: Schedule,
    /// Which plans are reviewed before they are carried out.
    #[serde(skip_serializing_if = "Review::is_none")]
    pub review: Review,
    /// The date that prompts state, empty for none.
    pub today: String,
    /// The seed of samplers.
    pub seed: u64,
    /// The models, as on the command line.
    pub model: String,
    /// The searched folders, as they were given.
    pub corpus: Vec<String>,
    /// The engines that are searched, as they were named; the usual ones when none was.
    pub search: Vec<String>,
    /// Whether open full texts of works are read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub full_text: bool,
    /// The model of `--embeddings`, as on the command line; empty without one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub embeddings: String,
    /// The directory that they were given in.
    pub directory: String,
    /// Documents that could not be read, with the reason.
    pub unread: Vec<String>,
    /// Where the results are written.
    pub out: String,
}

/// The kind of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// A report that cites its sources.
    #[default]
    Report,
    /// A story.
    Story,
}

/// In which order ready tasks run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// All at once; texts stay in order because each depends on the one before.
    #[default]
    Concurrent,
    /// One action a step, the shallowest first, as the original does.
    Sequential,
}

/// The result of a run: the text, its sources, and what became of the tasks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Finished {
    /// `done`, `partial`, `failed` or `stuck`. A run that wrote no word is `failed`, however it ended.
    pub status: String,
    /// Why it is not done, empty when it is.
    pub explanation: String,
    /// The text with numbered citations and its list of references.
    pub text: String,
    /// Words of the text without the citations and the references.
    pub words: usize,
    /// The sources in the order of their numbers.
    pub references: Vec<Reference>,
    /// Changes that were made to citations.
    pub events: Vec<CiteEvent>,
}

/// A call of an agent, and for what it was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The task.
    pub node: NodeKey,
    /// The action.
    pub action: TaskAction,
    /// What was sent and came back.
    pub exchange: Exchange,
}
