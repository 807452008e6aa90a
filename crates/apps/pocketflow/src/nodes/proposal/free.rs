//! A proposal in the model's own words.

use graphloom_core_graph::{Context, NodeError};
use serde_json::json;

use super::Written;
use crate::actions::WriteProposal;
use crate::resources::Resources;
use crate::session::{Session, numbered};

/// What the model writes in one call.
pub(super) async fn write(
    cx: &Context<Resources>,
    session: &Session,
    parameters: &WriteProposal,
) -> Result<Written, NodeError> {
    let args = json!({
        "topic": session.topic.as_deref().unwrap_or_default(),
        "gap": session.artifacts.gap.as_ref().map(|gap| &gap.value),
        "findings": numbered(session),
        "feedback": parameters.feedback,
        "unexplained": parameters.unexplained,
    });
    cx.resources().ask(cx, "proposal", "proposal", &args).await
}
