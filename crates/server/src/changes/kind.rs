//! The kinds of records, and where the store has them.

use graphloom_core_graph::store::Namespace;

use crate::records::RESERVED;

/// What changes are told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Assistants,
    Crons,
    Runs,
    /// What clients and nodes keep beyond threads.
    Store,
    Threads,
}

impl Kind {
    pub(crate) const ALL: [Self; 5] = [Self::Assistants, Self::Crons, Self::Runs, Self::Store, Self::Threads];

    /// The word on the wire.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Assistants => "assistants",
            Self::Crons => "crons",
            Self::Runs => "runs",
            Self::Store => "store",
            Self::Threads => "threads",
        }
    }

    /// The kind of a word.
    pub(crate) fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// The kind of what is in a namespace; none of what is in no list, such as event logs.
    pub(super) fn of(namespace: &Namespace) -> Option<Self> {
        match namespace.segments() {
            [first, kind, ..] if first == RESERVED => Self::read(kind).filter(|kind| *kind != Self::Store),
            [first] if first == RESERVED => None,
            _ => Some(Self::Store),
        }
    }
}
