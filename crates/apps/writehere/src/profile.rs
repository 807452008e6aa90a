//! Profiles: how reports and stories are planned and written, as data.

use std::collections::BTreeMap;

use graphloom_agents::{AgentError, Profile, Prompts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::TaskType;
use crate::context::ContextRules;
use crate::plan::PlanRules;

/// A profile of this application.
pub type WriteProfile = Profile<Settings>;

/// The settings of a profile beyond its agents.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// What the root task says about its length when the user sets none.
    pub root_length: String,
    /// When a task is carried out without further planning, by type.
    pub atom: BTreeMap<TaskType, AtomRules>,
    /// How the results of inner tasks become one, by type.
    pub aggregate: BTreeMap<TaskType, Aggregate>,
    /// What plans must keep to.
    pub plan: PlanRules,
    /// How much a task sees.
    pub context: ContextRules,
    /// How the lengths of texts are kept.
    pub length: LengthRules,
    /// How searching goes.
    pub search: SearchRules,
    /// How models that answer inside a grammar are led.
    pub small: SmallRules,
}

/// When a task of a type is carried out without further planning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct AtomRules {
    /// Always.
    pub all_atom: bool,
    /// The goal is updated with earlier results, although it is always carried out as it is.
    pub update_goal: bool,
    /// The goal is updated only when the task depends on others.
    pub only_on_depend: bool,
    /// The deeper layer of the outer plan is the plan; without one the task is carried out as it is. No model is asked.
    pub use_candidate_plan: bool,
    /// At this layer and deeper it is carried out without asking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force_atom_layer: Option<usize>,
    /// The judgement also updates the goal when the task depends on others.
    pub update_diff: bool,
}

/// How results become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Aggregate {
    /// One after the other, each under its goal.
    #[default]
    Concatenate,
    /// By the agent for `final_aggregate`.
    Model,
    /// What was written inside the task.
    Article,
}

/// How the lengths of texts are kept, where a length was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct LengthRules {
    /// Whether a write task is told what it has of the words that are left, and is asked once for a shorter text where it wrote
    /// far more; else prompts state the planned length and every text is taken as it is, as in the original.
    pub keep: bool,
    /// A text is asked for once more when it has more words than its share by this many percent.
    pub over_percent: u32,
}

impl Default for LengthRules {
    fn default() -> Self {
        Self { keep: true, over_percent: 50 }
    }
}

/// How a search task goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct SearchRules {
    /// The most rounds of queries.
    pub max_turns: usize,
    /// The most queries of a round.
    pub queries_per_turn: usize,
    /// The most results of a round that are read.
    pub results_per_turn: usize,
    /// Whether a model merges what was found; else results stand as they are.
    pub merge: bool,
    /// Whether the goal is looked up once when the whole is written without a plan.
    pub unplanned: bool,
}

impl Default for SearchRules {
    fn default() -> Self {
        Self { max_turns: 4, queries_per_turn: 4, results_per_turn: 8, merge: true, unplanned: false }
    }
}

/// How models that answer inside a grammar are led.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct SmallRules {
    /// At this layer and deeper tasks are carried out without planning.
    pub force_atom_layer: usize,
    /// Write tasks of at most this many words are carried out without planning.
    pub atomic_words: u32,
    /// About how many words each part of a plan shall have.
    pub words_per_part: u32,
    /// The most sentences that are offered for one paragraph.
    pub sentences_per_paragraph: usize,
    /// The most tokens of a free paragraph.
    pub paragraph_tokens: u32,
}

impl Default for SmallRules {
    fn default() -> Self {
        Self {
            force_atom_layer: 1,
            atomic_words: 120,
            words_per_part: 120,
            sentences_per_paragraph: 4,
            paragraph_tokens: 160,
        }
    }
}

impl Settings {
    /// The atom rules for a type; plain judgement when the profile names none.
    pub fn atom(&self, task_type: TaskType) -> AtomRules {
        self.atom.get(&task_type).cloned().unwrap_or_default()
    }

    /// How results of a type become one.
    pub fn aggregate(&self, task_type: TaskType) -> Aggregate {
        let usual = if task_type == TaskType::Write { Aggregate::Article } else { Aggregate::Concatenate };
        self.aggregate.get(&task_type).copied().unwrap_or(usual)
    }
}

/// The types of task that a profile's `[task_types]` gives to the words of plans; the keys are in small letters.
///
/// # Errors
/// [`AgentError::Profile`] where a type is none.
pub fn task_types(profile: &WriteProfile) -> Result<BTreeMap<String, TaskType>, AgentError> {
    let read = |(word, category): (&String, &String)| match TaskType::read(category) {
        Some(task_type) => Ok((word.trim().to_lowercase(), task_type)),
        None => {
            let known = TaskType::ALL.map(|task_type| format!("`{}`", task_type.category())).join(", ");
            let message = format!("`task_types.{word}` is `{category}`, which is no type of task; types are {known}");
            Err(AgentError::Profile { profile: profile.name.clone(), message })
        }
    };
    profile.task_types.iter().map(read).collect()
}

/// The profile for reports.
///
/// # Errors
/// None for the built-in file; the signature is that of [`Profile::parse`].
pub fn report() -> Result<WriteProfile, AgentError> {
    Profile::parse(include_str!("../profiles/report.toml"))
}

/// The profile for stories.
///
/// # Errors
/// As [`report`].
pub fn story() -> Result<WriteProfile, AgentError> {
    Profile::parse(include_str!("../profiles/story.toml"))
}

macro_rules! templates {
    ($($name:literal),+ $(,)?) => { &[$(($name, include_str!(concat!("../prompts/", $name, ".j2")))),+] };
}

/// The built-in prompt files.
pub const TEMPLATES: &[(&str, &str)] = templates![
    "_task",
    "_plan_form",
    "_length",
    "shorten",
    "report/_requirements",
    "report/atom",
    "report/atom_update",
    "report/update",
    "report/plan",
    "report/write",
    "report/reason",
    "report/search",
    "report/merge",
    "report/aggregate",
    "story/atom",
    "story/atom_update",
    "story/plan",
    "story/write",
    "story/reason",
    "story/aggregate",
    "small/plan",
    "small/queries",
    "small/reason",
    "small/cited",
    "small/paragraph",
];

/// The built-in prompts.
///
/// # Errors
/// None for the built-in files; the signature is that of [`Prompts::new`].
pub fn prompts() -> Result<Prompts, AgentError> {
    Prompts::new(TEMPLATES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_profiles_fit_the_built_in_prompts() {
        let prompts = prompts().unwrap();
        for profile in [report().unwrap(), story().unwrap()] {
            profile.check(&prompts).unwrap();
            for (action, types) in
                [("atom", &[TaskType::Write][..]), ("plan", &[TaskType::Write]), ("execute", &TaskType::ALL)]
            {
                for task_type in types {
                    profile.agent(action, task_type.word()).unwrap();
                }
            }
        }
    }

    #[test]
    fn words_for_types_are_those_of_the_profile() {
        let mut profile = report().unwrap();
        profile.task_types.insert("Paint".into(), "COMPOSITION".into());
        assert_eq!(task_types(&profile).unwrap()["paint"], TaskType::Write);
        profile.task_types.insert("dance".into(), "BALLET".into());
        let error = task_types(&profile).unwrap_err().to_string();
        assert!(error.contains("`task_types.dance` is `BALLET`") && error.contains("`COMPOSITION`"), "{error}");
    }

    #[test]
    fn reports_and_stories_differ_as_they_should() {
        let (report, story) = (report().unwrap().settings, story().unwrap().settings);
        assert_eq!(report.atom(TaskType::Write).force_atom_layer, Some(3));
        assert!(report.atom(TaskType::Think).all_atom && !report.atom(TaskType::Think).update_goal);
        assert!(report.atom(TaskType::Search).all_atom && report.atom(TaskType::Search).only_on_depend);
        assert!(story.atom(TaskType::Think).use_candidate_plan);
        assert_eq!(story.aggregate(TaskType::Think), Aggregate::Model);
        assert_eq!(report.aggregate(TaskType::Think), Aggregate::Concatenate);
        assert_eq!(report.aggregate(TaskType::Write), Aggregate::Article);
        assert!(report.context.offer_global_writing_plan && !story.context.offer_global_writing_plan);
    }
}
