//! What a node returns: an update, and where to go next.

use std::fmt;

use crate::name::{Name, Node, Packet};
use crate::state::{JsonState, JsonUpdate, State};

/// The result of a node: an optional update of the state, and what it triggers.
///
/// An update alone follows the node's edges. A goto or a send *replaces* them, it never adds to them.
#[derive(Clone)]
pub struct Step<S: State> {
    pub(crate) update: Option<S::Update>,
    pub(crate) next: Next,
}

/// What a finished task triggers.
#[derive(Clone, Debug, Default)]
pub(crate) enum Next {
    /// What the graph's edges say.
    #[default]
    Edges,
    /// These nodes and sends instead. On the heap: most steps name none.
    To(Box<Chosen>),
    /// Nothing.
    End,
}

/// The nodes and sends that a node names itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chosen {
    pub(crate) goto: Vec<Name>,
    pub(crate) send: Vec<Packet>,
}

impl<S: State> Step<S> {
    /// No update; follow the edges.
    pub fn edges() -> Self {
        Self { update: None, next: Next::Edges }
    }

    /// This update; follow the edges.
    pub fn update(update: S::Update) -> Self {
        Self { update: Some(update), next: Next::Edges }
    }

    /// Go to `node`, which must be declared with [`may_goto`](crate::NodeSpec::may_goto), instead of the edges.
    pub fn goto(node: Node) -> Self {
        Self::edges().and_goto(node)
    }

    /// Send `packets` to nodes declared with [`may_send`](crate::NodeSpec::may_send), instead of the edges.
    pub fn send(packets: impl IntoIterator<Item = Packet>) -> Self {
        Self::edges().and_send(packets)
    }

    /// Trigger nothing.
    pub fn end() -> Self {
        Self { update: None, next: Next::End }
    }

    /// The same step, with this update.
    #[must_use]
    pub fn with(mut self, update: S::Update) -> Self {
        self.update = Some(update);
        self
    }

    /// The same step, going to `node` as well.
    #[must_use]
    pub fn and_goto(mut self, node: Node) -> Self {
        self.next.chosen().goto.push(node.into_name());
        self
    }

    /// The same step, sending `packets` as well.
    #[must_use]
    pub fn and_send(mut self, packets: impl IntoIterator<Item = Packet>) -> Self {
        self.next.chosen().send.extend(packets);
        self
    }
}

impl Next {
    /// What the node names; nothing yet, if it left that to the edges.
    fn chosen(&mut self) -> &mut Chosen {
        if !matches!(self, Self::To(_)) {
            *self = Self::To(Box::default());
        }
        match self {
            Self::To(chosen) => chosen,
            Self::Edges | Self::End => unreachable!("set just above"),
        }
    }
}

impl<S: State> From<()> for Step<S> {
    fn from((): ()) -> Self {
        Self::edges()
    }
}

impl<S: State> fmt::Debug for Step<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let update = self.update.as_ref().map(|update| serde_json::to_value(update).unwrap_or_default());
        f.debug_struct("Step").field("update", &update).field("next", &self.next).finish()
    }
}

impl From<JsonUpdate> for Step<JsonState> {
    fn from(update: JsonUpdate) -> Self {
        Self::update(update)
    }
}
