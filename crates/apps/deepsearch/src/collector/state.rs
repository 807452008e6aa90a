//! The state of a collector.

use std::collections::BTreeSet;

use graphloom_core_graph::{Log, Shared, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CollectRequest;
use crate::evidence::{Document, EvidenceId};
use crate::state::StepNote;
use crate::state::{RetrievalQuery, Step};
use crate::status::Notice;

/// The state of a collector. Each step has one of its own.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct CollectorState {
    /// What is asked for.
    pub request: Shared<CollectRequest>,
    /// The queries of the next round.
    pub search_queries: Vec<RetrievalQuery>,
    /// The queries that were asked, with the documents that each found first.
    #[state(append)]
    pub history_queries: Log<RetrievalQuery>,
    /// The documents that were found, each id once, in the order in which they were found.
    #[state(append)]
    pub doc_infos: Log<Document>,
    /// The documents of the last round.
    pub new_doc_infos_current_loop: Vec<EvidenceId>,
    /// How many rounds there were.
    pub research_loop_count: u32,
    /// Whether nothing more has to be found.
    pub is_sufficient: bool,
    /// What is still missing.
    pub knowledge_gap: String,
    /// What was found, in a few sentences.
    pub info_summary: String,
    /// How well that answers the step.
    pub evaluation: String,
    /// Whether the model asked for a program. There is no programmer, so this changes nothing.
    pub need_programmer: bool,
    /// What the program should do.
    pub programmer_task: String,
    /// What went wrong.
    #[state(append)]
    pub notices: Log<Notice>,
    /// What a user should know.
    #[state(append)]
    pub notes: Log<String>,
}

impl CollectorState {
    /// The ids of the documents that were found.
    pub(super) fn known_ids(&self) -> BTreeSet<EvidenceId> {
        self.doc_infos.iter().map(|found| found.id.clone()).collect()
    }

    /// The documents of the last round.
    pub(super) fn new_documents(&self) -> Vec<&Document> {
        let new: BTreeSet<_> = self.new_doc_infos_current_loop.iter().collect();
        self.doc_infos.iter().filter(|found| new.contains(&found.id)).collect()
    }

    /// The step with what was found for it.
    pub fn step(&self) -> Step {
        let mut step = self.request.step.clone();
        step.retrieval_queries = self.history_queries.iter().cloned().collect();
        step.background_knowledge = self.request.background.iter().map(|note| note.id.clone()).collect();
        step.step_result = Some(self.info_summary.clone());
        step.evaluation.clone_from(&self.evaluation);
        step
    }

    /// What later steps see of it.
    pub fn note(&self) -> Option<StepNote> {
        StepNote::of(&self.step())
    }
}
