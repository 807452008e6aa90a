//! What a reader of events wants.

use crate::request::request;

request! {
    /// Which events of a thread are wanted: those of these channels. They are `values`, `updates`, `messages`, `tools`,
    /// `lifecycle`, `input`, `checkpoints`, `tasks`, `custom`, `custom:NAME`; servers of graphloom have `trace` as well.
    Subscription(channels: Channels) {
        /// Those of these namespaces, each a list of `node` or `node:task`; of all unless set.
        namespaces: Vec<Vec<String>>,
        /// Those of so many levels below; 0 is the namespace itself.
        depth: u64,
        /// Those after this place. Without one, all that the server still has come first.
        since: u64,
    }
}

/// Channels by name.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(transparent)]
pub struct Channels(pub Vec<String>);

impl<const N: usize> From<[&str; N]> for Channels {
    fn from(names: [&str; N]) -> Self {
        Self(names.map(str::to_owned).to_vec())
    }
}

impl From<Vec<String>> for Channels {
    fn from(names: Vec<String>) -> Self {
        Self(names)
    }
}
