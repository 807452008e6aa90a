//! What a task sees when it is planned or executed: pure functions from the tree to prompt arguments.

mod args;
mod article;
mod dependencies;
mod share;
mod views;

pub use args::{PromptArgs, prompt_args};
pub use article::{Piece, article_of, article_text, article_window};
pub use dependencies::{Dependencies, outer_dependencies, same_graph_dependencies};
pub use share::{Share, share_of};
pub use views::{full_plan, plan_within, target_write_tasks, writing_outline};

use graphloom_state_machine::NodeKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::task::{Node, Tree};

/// How much a task sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ContextRules {
    /// The most words of the text so far that are shown whole; of a longer one, the end and the goals of the rest.
    pub article_words: usize,
    /// The most words of a result of a direct dependency; those at distance d get a d-th part.
    pub result_words: usize,
    /// How far the dependencies of outer tasks are followed.
    pub outer_distance: usize,
    /// The most tasks of the plan that are shown; of a larger one, those on the way to the task and their neighbours.
    pub plan_tasks: usize,
    /// Whether a writer sees the parts that have not been started, so as to leave their content to them.
    pub offer_global_writing_plan: bool,
}

impl Default for ContextRules {
    fn default() -> Self {
        Self {
            article_words: 3000,
            result_words: 1500,
            outer_distance: 3,
            plan_tasks: 60,
            offer_global_writing_plan: true,
        }
    }
}

/// The node from whose place in the tree a task's context is taken: the plan node for the execute child of an atomic task,
/// else the node itself.
pub fn context_node<'t>(tree: &'t Tree, key: &NodeKey) -> Option<&'t Node> {
    let node = tree.node(key)?;
    if node.is_atomic_execution() { tree.node(&node.outer()?) } else { Some(node) }
}
