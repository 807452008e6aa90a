//! What a collector is asked to find, and within which limits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{Config, SearchMethod};
use crate::state::StepNote;
use crate::state::{Locale, Step};
use crate::stream::Place;

/// What a collector is asked to find.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct CollectRequest {
    /// The step: its title and description are the question.
    pub step: Step,
    /// The section that the step is for; empty outside of sections.
    pub section_id: String,
    /// Its title.
    pub section_title: String,
    /// The number of the plan in the section.
    pub plan_idx: String,
    /// The question of the whole report.
    pub query: String,
    /// The language of the report.
    pub language: Locale,
    /// What the steps found that this one builds on.
    pub background: Vec<StepNote>,
    /// The date that prompts state, empty for none.
    pub today: String,
    /// The limits.
    pub limits: CollectLimits,
}

/// The limits of a collector, under the names of the configuration without their beginnings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct CollectLimits {
    /// Queries that it begins with, and the most of a later round.
    pub initial_search_query_count: u32,
    /// Rounds of retrieval.
    pub max_research_loops: u32,
    /// Turns for one query, from which [`tool_steps`](Self::tool_steps) follows.
    pub max_react_recursion_limit: u32,
    /// Tries of queries, supervisor and summary.
    pub max_retry_num: u32,
    /// Where is searched.
    pub search_method: SearchMethod,
    /// Documents of one search of the web.
    pub max_web_search_results: u32,
    /// Documents of one search of local documents.
    pub max_local_search_results: u32,
}

impl Default for CollectLimits {
    fn default() -> Self {
        Self::from(&Config::default())
    }
}

impl From<&Config> for CollectLimits {
    fn from(config: &Config) -> Self {
        Self {
            initial_search_query_count: config.info_collector_initial_search_query_count,
            max_research_loops: config.info_collector_max_research_loops,
            max_react_recursion_limit: config.info_collector_max_react_recursion_limit,
            max_retry_num: config.info_collector_max_retry_num,
            search_method: config.info_collector_search_method,
            max_web_search_results: config.web_search_engine_config.max_web_search_results,
            max_local_search_results: config.local_search_engine_config.max_local_search_results,
        }
    }
}

impl CollectLimits {
    /// How often a model may call tools for one query in one round: the recursion limit without its two fixed turns,
    /// shared by the rounds, without the last answer; at least one.
    pub fn tool_steps(&self) -> u32 {
        (self.max_react_recursion_limit.saturating_sub(2) / self.max_research_loops.max(1)).saturating_sub(1).max(1)
    }

    /// Queries of one round.
    pub(super) fn queries(&self) -> usize {
        self.initial_search_query_count.max(1) as usize
    }
}

impl CollectRequest {
    /// A request for a step, with the limits of a configuration.
    pub fn new(step: Step, config: &Config) -> Self {
        Self { step, limits: CollectLimits::from(config), ..Self::default() }
    }

    /// Where the messages of the collector stand.
    pub(super) fn place(&self) -> Place {
        Place::section(&self.section_id).plan(&self.plan_idx).step(&self.step.id)
    }

    /// The step as a question: its title and what is to be found.
    pub(super) fn question(&self) -> String {
        let Step { title, description, .. } = &self.step;
        if description.is_empty() || description == title { title.clone() } else { format!("{title}. {description}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_steps_follow_from_the_limits() {
        for (turns, loops, steps) in [(8, 2, 2), (8, 1, 5), (3, 2, 1), (0, 0, 1), (20, 3, 5)] {
            let limits = CollectLimits {
                max_react_recursion_limit: turns,
                max_research_loops: loops,
                ..CollectLimits::default()
            };
            assert_eq!(limits.tool_steps(), steps, "{turns} turns, {loops} rounds");
        }
    }
}
