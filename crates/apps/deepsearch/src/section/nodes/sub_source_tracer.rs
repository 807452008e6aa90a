//! Traces the citations of a section. In: the section's text and documents. Out: the text with its citations traced, and
//! the list of citations. Failure: the text stays as the writer left it, with a notice (212100, 212101).
//! Source: seed, `SubSourceTracerNode`; study, section 3.2, stage 1.

use graphloom_core_graph::{Context, NodeError, Snapshot};

use crate::resources::Resources;
use crate::section::{SectionState, SectionStateUpdate};

pub(crate) async fn sub_source_tracer(
    _state: Snapshot<SectionState>,
    _cx: Context<Resources>,
) -> Result<SectionStateUpdate, NodeError> {
    Ok(SectionState::update())
}
