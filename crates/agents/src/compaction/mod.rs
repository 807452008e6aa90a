//! Keeping a conversation within its model's window: old messages give way to a summary.
//!
//! - [`compact`] looks at a conversation, and where it fills more of the window than it may, has the model summarise its oldest
//!   messages. A call of a tool and its results are summarised together or not at all, and the newest messages stay as they are.
//! - A [`Compaction`] is what came of it, as a value for a graph's state: a conversation that goes on after a kill is not
//!   summarised again.
//! - [`react`](crate::react) does the same with its state, in a node of its own.

mod groups;
mod options;
mod outline;
mod summary;

use std::fmt;

use graphloom_llm::{ChatModel, Message, Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use groups::{Group, due, groups_of, tokens};
pub use options::CompactionOptions;
pub(crate) use summary::{earlier, summarise};

use crate::converse::{Durable, rough_tokens};
use crate::{AgentError, Prompts};

/// A summary that stands in the place of old messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Compaction {
    /// How many groups of messages it stands for, from the oldest: a message, or a call of tools with its results.
    pub groups: u32,
    /// How many messages these are.
    pub messages: u32,
    /// Tokens of the conversation before, about.
    pub before: u64,
    /// Tokens of the conversation after, about.
    pub after: u64,
    /// The summary.
    pub text: String,
    /// Whether the summary was put together without the model: of a model that is too small to write, or gave none.
    #[serde(default)]
    pub outlined: bool,
    /// Tokens that the summary took.
    #[schemars(with = "serde_json::Value")]
    pub usage: Usage,
}

/// The line that tells of it.
impl fmt::Display for Compaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { messages, before, after, .. } = self;
        let how = if self.outlined { "outlined" } else { "summarised" };
        write!(
            f,
            "the conversation had about {before} tokens; its first {messages} messages were {how}, which leaves {after}"
        )
    }
}

/// A conversation that was compacted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Compacted {
    /// The messages, with the summary in the place of those that it stands for.
    pub messages: Vec<Message>,
    /// What was done.
    pub compaction: Compaction,
}

/// Compacts a conversation where it fills more of the window than [`CompactionOptions::share`]; `None` where it does not, or
/// has nothing old. Instructions at its beginning stay. A summary of before is summarised with the rest.
///
/// Each call of the model is a step of `durable`.
///
/// # Errors
/// [`AgentError::Summary`] when the model fails, errors of the templates, and those of `durable`.
pub async fn compact<D: Durable>(
    model: &dyn ChatModel,
    prompts: &Prompts,
    messages: &[Message],
    options: &CompactionOptions,
    durable: &D,
) -> Result<Option<Compacted>, D::Error> {
    let groups = groups_of(messages);
    let before = groups.iter().map(tokens).sum();
    let Some(count) = due(&groups, before, 0, model, options) else { return Ok(None) };
    let old: Vec<&Group> = groups.iter().filter(|group| !group.pinned).take(count).collect();
    let summary = summarise(model, prompts, None, &old, options, durable).await?;
    let message = earlier(prompts, &summary.text, summary.messages).map_err(|error| durable.error(error))?;
    let mut left = Vec::new();
    let mut skipped = 0;
    for group in groups {
        if group.pinned || skipped == count {
            left.extend(group.messages);
            continue;
        }
        skipped += 1;
        if skipped == count {
            left.extend(message.iter().cloned());
        }
    }
    let after = left.iter().map(rough_tokens).sum();
    let groups = u32::try_from(count).unwrap_or(u32::MAX);
    Ok(Some(Compacted { messages: left, compaction: summary.into_compaction(groups, before, after) }))
}

/// An error of the model while it summarised.
pub(crate) fn failed(source: graphloom_llm::ModelError) -> AgentError {
    AgentError::Summary { source: Box::new(source) }
}

#[cfg(test)]
pub(crate) mod tests {
    use graphloom_llm::{Capabilities, StructuredSupport};

    pub(crate) fn capabilities(context: u32) -> Capabilities {
        Capabilities {
            structured: StructuredSupport::Prompted,
            tools: true,
            images: false,
            documents: false,
            sampling: true,
            context: Some(context),
            local: true,
        }
    }
}
