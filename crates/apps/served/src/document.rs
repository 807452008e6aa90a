//! What an application has made, and how it reaches clients.

use graphloom_core_graph::{Context, NodeError};
use graphloom_server::artifacts::{Artifact, keep};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) const MARKDOWN: &str = "text/markdown; charset=utf-8";
pub(crate) const HTML: &str = "text/html; charset=utf-8";
pub(crate) const JSON: &str = "application/json";

/// What an application has made and nobody was given yet. It is part of a state for one super-step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Delivery {
    /// What is said, in order.
    pub(crate) said: Vec<String>,
    /// The documents.
    pub(crate) documents: Vec<Document>,
}

/// A document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Document {
    name: String,
    media_type: String,
    content: String,
}

impl Document {
    pub(crate) fn new(name: &str, media_type: &str, content: impl Into<String>) -> Self {
        Self { name: name.to_owned(), media_type: media_type.to_owned(), content: content.into() }
    }

    pub(crate) fn json(name: &str, value: &impl Serialize) -> Result<Self, NodeError> {
        let text = serde_json::to_string_pretty(value).map_err(NodeError::terminal)?;
        Ok(Self::new(name, JSON, text + "\n"))
    }
}

/// The list of a thread with these documents in it: one of a known name takes the place of the older one.
pub(crate) async fn keep_all<Cx>(
    context: &Context<Cx>,
    known: &[Artifact],
    documents: &[Document],
) -> Result<Vec<Artifact>, NodeError> {
    let mut all = known.to_vec();
    for Document { name, media_type, content } in documents {
        let kept = keep(context, name, media_type, content).await?;
        match all.iter_mut().find(|known| known.name == kept.name) {
            Some(known) => *known = kept,
            None => all.push(kept),
        }
    }
    Ok(all)
}
