//! What is declared of a node, and its policies.

use std::borrow::Cow;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::name::{Name, Targets};
use crate::timeout::Timeout;
use crate::topology::Ask;
use crate::topology::Retry;

/// Policies of the nodes that state none of their own, see [`StateGraph::defaults`](crate::StateGraph::defaults).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct NodeDefaults {
    /// For nodes without [`NodeSpec::retry`].
    pub retry: Option<Retry>,
    /// For nodes without [`NodeSpec::timeout`].
    pub timeout: Option<Timeout>,
    /// For nodes without [`NodeSpec::class`].
    pub class: Option<String>,
}

/// What a node declares, and its policies. Returned by [`StateGraph::add_node`](crate::StateGraph::add_node).
#[derive(Debug, Default)]
pub struct NodeSpec {
    pub(crate) retry: Vec<Retry>,
    pub(crate) timeout: Option<Timeout>,
    pub(crate) class: Option<String>,
    pub(crate) deferred: bool,
    pub(crate) each: bool,
    pub(crate) goto: Vec<Name>,
    pub(crate) sends: Vec<Name>,
    pub(crate) asks: Vec<Ask>,
    pub(crate) writes: Option<Vec<String>>,
}

impl NodeSpec {
    /// Repeats failed attempts. A node may have several policies, for different errors: the first whose
    /// [`when`](Retry::when) accepts an error decides about it. Attempts count together, whichever policy repeated them.
    pub fn retry(&mut self, retry: Retry) -> &mut Self {
        self.retry.push(retry);
        self
    }

    /// Limits how long one attempt may take.
    pub fn timeout(&mut self, timeout: Timeout) -> &mut Self {
        self.timeout = Some(timeout);
        self
    }

    /// Puts the node into a concurrency class, see [`StateGraph::limit`](crate::StateGraph::limit).
    pub fn class(&mut self, class: impl Into<String>) -> &mut Self {
        self.class = Some(class.into());
        self
    }

    /// Runs the node only when nothing else is pending or in flight.
    pub fn deferred(&mut self) -> &mut Self {
        self.deferred = true;
        self
    }

    /// Runs the node once for each predecessor that finishes, instead of once for all that finish together.
    pub fn each(&mut self) -> &mut Self {
        self.each = true;
        self
    }

    /// Declares the nodes that [`Step::goto`](crate::Step::goto) may name; [`END`](crate::END) is declared like any other.
    pub fn may_goto(&mut self, targets: impl Targets) -> &mut Self {
        self.goto.extend(targets.names());
        self
    }

    /// Declares the task nodes that [`Step::send`](crate::Step::send) may send to.
    pub fn may_send(&mut self, targets: impl Targets) -> &mut Self {
        self.sends.extend(targets.names());
        self
    }

    /// Declares a question and the type of its answer. A key may be asked with a suffix: `"section"` declares
    /// `"section/3"` too.
    pub fn asks<A: DeserializeOwned>(&mut self, key: &'static str) -> &mut Self {
        let check = |value: &Value| {
            serde_path_to_error::deserialize::<_, A>(value)
                .map(drop)
                .map_err(|error| format!("at `{}`: {}", error.path(), error.inner()))
        };
        self.asks.push(Ask { key: Cow::Borrowed(key), check: Arc::new(check) });
        self
    }

    /// Declares all fields that the node writes, so that `compile()` can refuse two parallel writers of one field.
    pub fn writes<const N: usize>(&mut self, fields: [&str; N]) -> &mut Self {
        self.writes.get_or_insert_default().extend(fields.map(str::to_owned));
        self
    }
}

impl NodeDefaults {
    /// The same defaults with a retry policy.
    #[must_use]
    pub fn retry(mut self, retry: Retry) -> Self {
        self.retry = Some(retry);
        self
    }

    /// The same defaults with a time limit.
    #[must_use]
    pub fn timeout(mut self, timeout: Timeout) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The same defaults with a concurrency class.
    #[must_use]
    pub fn class(mut self, class: impl Into<String>) -> Self {
        self.class = Some(class.into());
        self
    }
}
