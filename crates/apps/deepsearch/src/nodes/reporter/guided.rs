//! Abstract and conclusion of a fixed form, for a small model, which is not asked.

use super::ReportFrame;
use crate::ask::TakenText;
use crate::report::{fixed_abstract, fixed_conclusion};
use crate::state::{SearchContext, SubReport};

/// What stands around the sections; there are no transitions.
pub(super) fn frame(state: &SearchContext, sections: &[SubReport]) -> ReportFrame {
    ReportFrame {
        transitions: vec![String::new(); sections.len()],
        notes: Vec::new(),
        summary: Ok(TakenText::whole(fixed_abstract(state.language, sections))),
        conclusion: Ok(TakenText::whole(fixed_conclusion(state.language, &state.query, sections))),
    }
}
