//! What a client asks to be told.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a client asks to be told.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Mode {
    /// The state after each commit.
    Values,
    /// What each task wrote.
    Updates,
    /// What nodes tell.
    Custom,
    /// Pieces of messages, each with its metadata.
    MessagesTuple,
    /// Messages as far as they were written.
    Messages,
    /// Tasks that begin and end.
    Tasks,
    /// Commits.
    Checkpoints,
    /// Checkpoints and tasks with their steps and times.
    Debug,
    /// Graph, nodes and models that begin, tell and end, in the form of `LangChain`'s events.
    Events,
}

/// The modes of a stream: in a request one mode or a list of them; an empty list is the default, `values`.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq)]
#[schemars(with = "ModesForm")]
pub(crate) struct Modes(Vec<Mode>);

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum ModesForm {
    One(Mode),
    Several(Vec<Mode>),
}

impl Mode {
    /// The name of its events.
    pub(super) fn event(self) -> &'static str {
        match self {
            Self::Values => "values",
            Self::Updates => "updates",
            Self::Custom => "custom",
            Self::MessagesTuple => "messages",
            Self::Messages => "messages/partial",
            Self::Tasks => "tasks",
            Self::Checkpoints => "checkpoints",
            Self::Debug => "debug",
            Self::Events => "events",
        }
    }
}

impl Modes {
    /// These modes; `values` where there are none.
    pub(crate) fn of(modes: Vec<Mode>) -> Self {
        if modes.is_empty() { Self::default() } else { Self(modes) }
    }

    /// No modes: only where a run begins and how it ends.
    pub(super) fn none() -> Self {
        Self(Vec::new())
    }

    /// Whether frames tell steps, which count the checkpoints before the run.
    pub(super) fn tell_steps(&self) -> bool {
        !self.0.iter().all(|mode| matches!(mode, Mode::Values | Mode::Updates | Mode::Custom | Mode::Tasks))
    }

    pub(super) fn contains(&self, mode: Mode) -> bool {
        self.0.contains(&mode)
    }
}

impl Default for Modes {
    fn default() -> Self {
        Self(vec![Mode::Values])
    }
}

impl<'de> Deserialize<'de> for Modes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let message = "expected one of `values`, `updates`, `custom`, `messages-tuple`, `messages`, `tasks`, \
                       `checkpoints`, `debug`, `events`, or a list of them";
        match ModesForm::deserialize(deserializer) {
            Ok(ModesForm::One(mode)) => Ok(Self(vec![mode])),
            Ok(ModesForm::Several(modes)) => Ok(Self::of(modes)),
            Err(_) => Err(serde::de::Error::custom(message)),
        }
    }
}

impl Serialize for Modes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}
