//! What can go wrong with an agent.

use std::path::PathBuf;

use graphloom_llm::ModelError;

use crate::Exchange;

/// An error of an agent, its prompts or its profile.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// No template of this name.
    #[error("there is no template `{name}`; the templates are {known}")]
    UnknownTemplate {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A template does not compile or cannot be rendered.
    #[error("template `{name}`{line}: {message}")]
    Template {
        /// The template.
        name: String,
        /// ` line N` when known.
        line: String,
        /// What is wrong, naming the variable where one is missing.
        message: String,
    },
    /// A prompt file or directory cannot be read.
    #[error("cannot read prompts from `{}`: {source}", path.display())]
    Unreadable {
        /// The file or directory.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// A profile is not what it should be.
    #[error("profile `{profile}`: {message}")]
    Profile {
        /// The profile's name, or `?` when it could not be read that far.
        profile: String,
        /// What is wrong and where.
        message: String,
    },
    /// The model failed. The exchange holds what happened before.
    #[error("agent `{agent}`: {source}")]
    Model {
        /// The agent.
        agent: String,
        /// The model's error.
        #[source]
        source: Box<ModelError>,
        /// What was sent and came back.
        exchange: Box<Exchange>,
    },
    /// The model failed in a conversation with tools.
    #[error("turn {turn} of the conversation: {source}")]
    Conversation {
        /// Which turn, from 1.
        turn: u32,
        /// The model's error.
        #[source]
        source: Box<ModelError>,
    },
    /// The model failed while it summarised the beginning of a conversation.
    #[error("the beginning of the conversation could not be summarised: {source}")]
    Summary {
        /// The model's error.
        #[source]
        source: Box<ModelError>,
    },
    /// A tool cannot be registered or allowed.
    #[error("tool `{tool}`: {message}")]
    Tool {
        /// The tool.
        tool: String,
        /// What is wrong.
        message: String,
    },
    /// A folder of skills cannot be used.
    #[error("`{}` is no folder of skills: {message}", folder.display())]
    Skills {
        /// The folder.
        folder: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// An agent cannot be part of a team.
    #[error("agent `{agent}` of the team: {message}")]
    Team {
        /// The agent.
        agent: String,
        /// What is wrong.
        message: String,
    },
    /// An answer to a review does not fit the question.
    #[error("the verdict names {unknown}, which the review does not have; its items are {known}")]
    Verdict {
        /// The ids that are not in the review.
        unknown: String,
        /// The ids that are.
        known: String,
    },
    /// No reply could be read, after all tries.
    #[error(
        "agent `{agent}`: none of {tries} replies of `{model}` could be used, the last because: {problem}; `show` prints the replies"
    )]
    Unusable {
        /// The agent.
        agent: String,
        /// The model.
        model: String,
        /// How many replies were read.
        tries: u32,
        /// Why the last one was refused.
        problem: String,
        /// What was sent and came back.
        exchange: Box<Exchange>,
    },
}

impl AgentError {
    /// Whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Model { source, .. } | Self::Conversation { source, .. } | Self::Summary { source } => {
                source.is_retryable()
            }
            _ => false,
        }
    }

    /// What was sent and came back before the error, for the errors of a call.
    pub fn exchange(&self) -> Option<&Exchange> {
        match self {
            Self::Model { exchange, .. } | Self::Unusable { exchange, .. } => Some(exchange),
            _ => None,
        }
    }
}
