//! WriteHERE: a recursive planner that writes long reports and stories.
//!
//! - [`plan`] reads plans in both forms, repairs what is wrong with them and lists every repair; [`plan_to_graph`] turns
//!   them into nodes of a task tree.
//! - [`context`] says what a task sees of the tree: results by distance, the plan, the outline, the text so far.
//! - [`stage::act`] takes any action on any task: with a strong model by its prompts, with the small embedded one inside
//!   grammars and from quoted sentences; [`cite`] numbers the citations at the end.
//! - [`graph()`] puts them together over a [`Writing`]; [`graph_with`] takes other functions for its [`nodes`], and other limits.
//!
//! ```
//! use graphloom_state_machine::{FailurePolicy, NodeKey, TaskTree, TreeChange};
//! use graphloom_writehere::plan::{Outer, PlanRules, RepairKind, read_plan, repair_plan};
//! use graphloom_writehere::{Task, TaskType, plan_to_graph};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let root = Task::root("Report on tides", Some("900 words".into()));
//! let reply = r#"<plan>
//!   <task><id>1</id><goal>Find what moves the water</goal><task_type>search</task_type><dependency/></task>
//!   <task><id>2</id><goal>Write it down</goal><task_type>write</task_type><dependency>1, 7</dependency></task>
//! </plan>"#;
//!
//! let raw = read_plan(reply, "result")?;
//! let outer = Outer { id: "", goal: "Report on tides", task_type: TaskType::Write, length: Some("900 words") };
//! let rules = PlanRules::default();
//! let plan = repair_plan(&raw, outer, &rules);
//! assert_eq!(plan.repairs()[0].kind, RepairKind::DependencyUnknown);
//! assert_eq!(plan.tasks()[1].length.as_deref(), Some("900 words"));
//!
//! let children = plan_to_graph(&plan, &root, rules.chains);
//! let mut tree = TaskTree::new(root, FailurePolicy::Degrade);
//! tree.try_apply(TreeChange::planned(NodeKey::root(), children))?;
//! assert_eq!(tree.len(), 3);
//! # Ok(()) }
//! ```
//!
//! Comments that say *the original* mean the program of the paper on heterogeneous recursive planning,
//! <https://github.com/principia-ai/WriteHERE>.

#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub mod breakpoint;
pub mod cite;
pub mod context;
pub mod length;
pub mod nodes;
pub mod picture;
pub mod plan;
pub mod profile;
pub mod stage;

mod answers;
mod budget;
mod finish;
mod graph;
mod inner_graph;
mod resources;
mod review;
mod state;
mod task;
mod task_type;

pub use answers::answers;
pub use budget::{Answered, Shortage};
pub use graph::{
    BEGIN, EXECUTE, EXECUTE_POST_REFLECT, FINAL_AGGREGATE, FINISH, PLAN, PLANNING_POST_REFLECT, PRIOR_REFLECT, UPDATE,
    graph, graph_with, node_of, ready,
};
pub use inner_graph::plan_to_graph;
pub use resources::Resources;
pub use review::{PlanDecision, PlanReview, PlanReviewer, PlanVerdict, Review};
pub use state::{Call, Finished, Mode, Request, Schedule, Writing, WritingUpdate};
pub use task::{ActionResult, Node, Planning, Task, TaskChange, TaskInfo, Tree, WrittenLength};
pub use task_type::TaskType;
