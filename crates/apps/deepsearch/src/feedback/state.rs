//! The state of one change.

use graphloom_core_graph::{ChildOutcome, Log, NodeError, Shared, State, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::payload::{Action, Scope, Selection};
use crate::collector::CollectRequest;
use crate::config::Config;
use crate::evidence::{Document, EvidenceId};
use crate::names::{FINISH, USER_FEEDBACK_PROCESSOR};
use crate::state::{FinalResult, Locale, Report, RewriteRecord, SearchContext};
use crate::status::{Notice, StatusCode};

/// A change that is being worked on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pending {
    /// The change.
    pub action: Action,
    /// Where.
    pub selection: Selection,
    /// What the person wants besides.
    pub instruction: String,
    /// How far a search reaches.
    pub scope: Scope,
}

/// Where new material goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EditStrategy {
    /// The subsection of the selection is written anew.
    #[default]
    ModifyExistingSubsection,
    /// A subsection is added to the section.
    AppendNewSubsection,
}

/// What a new task needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Assessment {
    /// Documents of the section that serve it.
    pub relevant: Vec<EvidenceId>,
    /// Whether they are enough.
    pub is_sufficient: bool,
    /// What is missing.
    pub missing_aspects: Vec<String>,
    /// Where the material goes.
    pub edit_strategy: EditStrategy,
    /// The title of a new subsection.
    pub title: String,
}

/// The state of one change. The first fields are its input.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct FeedbackState {
    /// The result with the report.
    pub result: Shared<FinalResult>,
    /// The report's sections and documents.
    pub report: Option<Shared<Report>>,
    /// The question.
    pub query: String,
    /// The language.
    pub language: Locale,
    /// The configuration.
    pub config: Shared<Config>,
    /// The date that prompts state.
    pub today: String,
    /// How many changes there were.
    pub count: u32,
    /// What was changed.
    pub history: Vec<RewriteRecord>,
    /// The whole result was told to the person.
    pub snapshot_sent: bool,
    /// No more changes are taken.
    pub done: bool,
    /// The change that is worked on.
    pub pending: Option<Pending>,
    /// What a new task needs.
    pub assessment: Option<Assessment>,
    /// What the collector is asked; none when nothing has to be found.
    pub request: Option<Shared<CollectRequest>>,
    /// What it found.
    pub found: Vec<Document>,
    /// The same, summed up.
    pub collector_summary: String,
    /// What went wrong.
    #[state(append)]
    pub notices: Log<Notice>,
    /// What a user should know.
    #[state(append)]
    pub notes: Log<String>,
}

/// What a change begins with.
pub(crate) fn feedback_input(state: &SearchContext) -> FeedbackStateUpdate {
    FeedbackState::update()
        .result(state.result())
        .report(state.report.clone())
        .query(state.query.clone())
        .language(state.language)
        .config(state.config.clone())
        .today(state.request.today.clone())
        .count(state.feedback_interaction_count)
        .history(state.rewrite_history.clone())
        .snapshot_sent(state.feedback_snapshot_sent)
}

/// What a change comes to: only the text of the report is new, and the next one is listened for. A change whose graph failed
/// is one that failed (212405): it counts, and the report stays as it was.
pub(crate) fn feedback_result(outcome: ChildOutcome<FeedbackState>) -> Result<Step<SearchContext>, NodeError> {
    let state = match outcome {
        ChildOutcome::Done(state) => state,
        ChildOutcome::Failed { state, error } => {
            let notice = Notice::exception(StatusCode::FeedbackRewrite, format!("a change failed: {error}"));
            let count = state.count + 1;
            // A graph that fails before it asks would come back for ever.
            let most = state.config.user_feedback_processor_max_interactions;
            let next = if state.pending.is_none() || count >= most { FINISH } else { USER_FEEDBACK_PROCESSOR };
            let update = SearchContext::update().feedback_interaction_count(count).notices([notice]);
            return Ok(Step::goto(next).with(update.feedback_snapshot_sent(state.snapshot_sent)));
        }
        _ => return Err(NodeError::terminal("a change ended in an unknown way")),
    };
    // Warnings and failures are the notices', which the main state has itself.
    let result =
        FinalResult { warning_info: String::new(), exception_info: String::new(), ..FinalResult::clone(&state.result) };
    let update = SearchContext::update()
        .final_result(result)
        .feedback_interaction_count(state.count)
        .rewrite_history(state.history.clone())
        .feedback_snapshot_sent(state.snapshot_sent)
        .notices(state.notices.iter().cloned().collect::<Vec<_>>())
        .notes(state.notes.iter().cloned().collect::<Vec<_>>());
    Ok(Step::goto(if state.done { FINISH } else { USER_FEEDBACK_PROCESSOR }).with(update))
}
