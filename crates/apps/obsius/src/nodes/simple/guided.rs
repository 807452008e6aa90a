//! The conversation with a small model, which calls no tools by itself.

use graphloom_agents::Transcript;
use graphloom_core_graph::NodeError;

use super::Talk;
use super::small_tools::SmallTools;

/// What came of it.
pub(super) async fn converse(talk: Talk<'_>) -> Result<Transcript, NodeError> {
    let model = SmallTools::new(talk.setup.clone(), talk.request(), talk.workspace.notes());
    talk.hold(&model).await
}
