//! The nodes of the main graphs, one file each, for graphs of one's own over a [`SearchContext`].

mod editor_team;
mod end;
mod entry;
mod failed_after_report;
mod feedback_handler;
mod generate_questions;
mod outline;
mod outline_interaction;
mod payload;
mod reporter;
mod source_tracer;
mod source_tracer_infer;
mod start;
mod vlm_chart_generator;

pub(crate) use editor_team::{team_input, team_result};
pub use end::end;
pub use entry::entry;
pub(crate) use failed_after_report::continue_after_failure;
pub use feedback_handler::feedback_handler;
pub use generate_questions::generate_questions;
pub use outline::outline;
pub use outline_interaction::outline_interaction;
pub use payload::outline_words;
pub use reporter::reporter;
pub use source_tracer::source_tracer;
pub use source_tracer_infer::source_tracer_infer;
pub use start::start;
pub use vlm_chart_generator::vlm_chart_generator;

use graphloom_core_graph::Step;

use crate::names::FINISH;
use crate::state::SearchContext;
use crate::status::Notice;

/// The question of `feedback_handler`.
pub const FEEDBACK: &str = "feedback";
/// The question of `outline_interaction`.
pub const OUTLINE_FEEDBACK: &str = "outline_interaction";

/// Ends the run with a failure.
fn fail(notice: Notice) -> Step<SearchContext> {
    Step::goto(FINISH).with(SearchContext::update().notices([notice]))
}
