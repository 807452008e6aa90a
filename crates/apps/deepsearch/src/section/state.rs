//! The state of the three graphs that work on one section: the editor team's, and those of dependent reasoning and
//! writing.

use std::collections::BTreeSet;

use graphloom_core_graph::{Log, Shared, State, Table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{SectionBrief, StepNote};
use crate::evidence::Document;
use crate::state::{ChatTurn, Plan, SubReport, Unwritten};
use crate::status::Notice;

/// The state of a section (`SectionContext` of openJiuwen DeepSearch).
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SectionState {
    /// What the section is worked on with.
    pub brief: Shared<SectionBrief>,
    /// When work began, in milliseconds since 1970.
    pub started_at: u64,
    /// The conversation of the section: what is asked of it, and what its steps found.
    #[state(append)]
    pub messages: Log<ChatTurn>,
    /// The plans by their number from 1, with what their steps found.
    #[state(merge)]
    pub plans: Table<u32, Plan>,
    /// The documents that were found, by id.
    #[state(merge)]
    pub evidence: Table<String, Document>,
    /// The text, when it is written.
    pub sub_report: Option<SubReport>,
    /// Set when no model wrote the text.
    pub unwritten: Option<Unwritten>,
    /// What went wrong.
    #[state(append)]
    pub notices: Log<Notice>,
    /// What a user should know.
    #[state(append)]
    pub notes: Log<String>,
}

impl SectionState {
    /// The documents that were found, each once, in the order in which the plans' steps found them.
    pub fn documents(&self) -> Vec<Document> {
        let queries = self.plans.values().flat_map(|plan| &plan.steps).flat_map(|step| &step.retrieval_queries);
        let mut seen = BTreeSet::new();
        let ids = queries.flat_map(|query| &query.doc_infos).filter(|id| seen.insert(id.as_str()));
        ids.filter_map(|id| self.evidence.get(id.as_str())).cloned().collect()
    }

    /// What the steps of the parents and of this section's own plans found so far.
    pub fn step_notes(&self) -> Vec<StepNote> {
        let own = self.plans.values().flat_map(|plan| &plan.steps).filter_map(StepNote::of);
        self.brief.step_background.iter().cloned().chain(own).collect()
    }

    /// The plans in their order.
    pub fn plan_list(&self) -> Vec<Plan> {
        self.plans.values().cloned().collect()
    }
}
