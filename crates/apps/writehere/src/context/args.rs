//! The arguments of prompts, under the names of the original.

use graphloom_state_machine::NodeKey;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    ContextRules, Share, article_of, article_window, context_node, outer_dependencies, plan_within,
    same_graph_dependencies, target_write_tasks, writing_outline,
};
use crate::TaskType;
use crate::task::Tree;

/// What a prompt can show about a task and its surroundings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct PromptArgs {
    /// The goal of the whole run.
    pub to_run_root_question: String,
    /// The text so far, within its budget.
    pub to_run_article: String,
    /// The plan around the task, as JSON.
    pub to_run_full_plan: String,
    /// Results that the outer tasks build on.
    pub to_run_outer_graph_dependent: String,
    /// Results of the tasks this one depends on.
    pub to_run_same_graph_dependent: String,
    /// The task, as JSON.
    pub to_run_task: String,
    /// The plan written for it earlier, as JSON; empty when there is none.
    pub to_run_candidate_plan: String,
    /// What was thought about it earlier.
    pub to_run_candidate_think: String,
    /// Results of its inner tasks, for aggregation.
    pub to_run_final_aggregate: String,
    /// The write tasks that will use what is found.
    pub to_run_target_write_tasks: Vec<String>,
    /// The outline of the writing with markers.
    pub to_run_global_writing_task: String,
    /// The date of the run, empty when it shall not matter.
    pub today_date: String,
    /// The goal of the task.
    pub goal: String,
    /// The type of the task.
    pub task_type: String,
    /// The length of the task as stated, empty when none is.
    pub length: String,
    /// What a write task has of the words of the whole, where lengths are kept.
    pub share: Option<Share>,
    /// The id of the task in its plan.
    pub id: String,
    /// How deep the task stands.
    pub layer: usize,
    /// What was shortened; not for prompts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<String>,
}

/// The arguments for a task; `None` when the tree has no such node.
pub fn prompt_args(tree: &Tree, key: &NodeKey, rules: &ContextRules, today: &str) -> Option<PromptArgs> {
    let node = context_node(tree, key)?;
    let task = &node.payload;
    let root = tree.root()?;
    let mut cuts = Vec::new();

    let (article, cut) = article_window(&article_of(tree, &root.key), rules.article_words);
    cuts.extend(cut);
    let (same_graph, notes) = same_graph_dependencies(tree, key).render(rules.result_words);
    cuts.extend(notes);
    let mut outer = Vec::new();
    for dependencies in outer_dependencies(tree, key, rules.outer_distance) {
        let (text, notes) = dependencies.render(rules.result_words);
        cuts.extend(notes);
        if !text.is_empty() {
            outer.push(text);
        }
    }
    let inner: Vec<String> = tree
        .inner(node)
        .filter(|inner| inner.payload.info.task_type != TaskType::Write)
        .filter_map(|inner| Some(format!("【{}】:\n {}", inner.payload.info.goal, inner.payload.final_text()?)))
        .collect();
    let (plan, cut) = plan_within(tree, key, rules.plan_tasks);
    cuts.extend(cut);
    let is_search = task.info.task_type == TaskType::Search;

    Some(PromptArgs {
        to_run_root_question: root.payload.info.goal.clone(),
        to_run_article: article,
        to_run_full_plan: pretty(&plan),
        to_run_outer_graph_dependent: outer.join("\n\n"),
        to_run_same_graph_dependent: same_graph,
        to_run_task: pretty(&json!(task.info)),
        to_run_candidate_plan: task.candidate_plan.as_ref().map(|plan| pretty(&json!(plan))).unwrap_or_default(),
        to_run_candidate_think: task.candidate_think.clone().unwrap_or_default(),
        to_run_final_aggregate: inner.join("\n\n"),
        to_run_target_write_tasks: if is_search { target_write_tasks(tree, key) } else { Vec::new() },
        to_run_global_writing_task: writing_outline(tree, key, rules.offer_global_writing_plan),
        today_date: today.to_string(),
        goal: task.info.goal.clone(),
        task_type: task.info.task_type.word().to_string(),
        length: task.info.length.clone().unwrap_or_default(),
        share: None,
        id: node.nid.clone(),
        layer: node.layer(),
        cuts,
    })
}

fn pretty(value: &serde_json::Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
