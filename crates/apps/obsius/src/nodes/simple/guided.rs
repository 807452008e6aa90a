//! The conversation with a small model, which calls no tools by itself.

use graphloom_agents::Transcript;
use graphloom_core_graph::NodeError;

use super::ConversationSetup;
use super::guided_tools::GuidedTools;

/// What came of it.
pub(super) async fn converse(conversation: ConversationSetup<'_>) -> Result<Transcript, NodeError> {
    let model = GuidedTools::new(conversation.setup.clone(), conversation.request(), conversation.workspace.notes());
    conversation.hold(&model).await
}
