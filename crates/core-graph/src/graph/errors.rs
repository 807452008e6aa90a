//! What `compile()` finds.

use std::fmt;

use crate::error_text::debug_is_text;
use crate::state::FieldError;

/// A mistake in a graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// A name that is empty, reserved or has reserved characters.
    #[error("the node name `{}` is not usable: {reason}", name.escape_debug())]
    BadName {
        /// The name.
        name: String,
        /// Why.
        reason: &'static str,
    },
    /// Two nodes of one name.
    #[error("two nodes are named `{name}`; rename one")]
    Duplicate {
        /// The name.
        name: String,
    },
    /// A name that no node has.
    #[error("{place} names `{name}`, which is no node; nodes: {known}")]
    UnknownNode {
        /// Where the name stands.
        place: String,
        /// The name.
        name: String,
        /// The nodes there are.
        known: String,
    },
    /// An edge into START or out of END.
    #[error("{place}: {reason}")]
    BadEdge {
        /// The edge.
        place: String,
        /// What is wrong and what to do.
        reason: String,
    },
    /// No edge leads from START.
    #[error("nothing follows START; add `add_edge(START, …)`")]
    NoStart,
    /// Nothing leads to a node.
    #[error(
        "node `{name}` is never reached; add an edge, a conditional edge, a send, a join or a declared goto to it, or remove it"
    )]
    Unreachable {
        /// The node.
        name: String,
    },
    /// A join that waits for a node that never runs.
    #[error("the join into `{target}` can never fill: `{predecessor}` {reason}")]
    JoinNeverFills {
        /// The node behind the join.
        target: String,
        /// The predecessor.
        predecessor: String,
        /// Why.
        reason: &'static str,
    },
    /// Two nodes that run together write one field without a reducer.
    #[error(
        "`{first}` and `{second}` run in the same super-step and both write `{field}`, which has no reducer; give it one, or order the nodes by an edge"
    )]
    ParallelWriters {
        /// The field.
        field: String,
        /// A writer.
        first: String,
        /// The other writer.
        second: String,
    },
    /// `writes` names no field.
    #[error("node `{node}` declares that it writes `{field}`, which is no field; fields: {known}")]
    UnknownField {
        /// The node.
        node: String,
        /// The name.
        field: String,
        /// The fields there are.
        known: String,
    },
    /// Eager mode has no super-step that an ephemeral field could live for.
    #[error(
        "field `{field}` is ephemeral, which eager mode does not have; use barrier mode, or a field without `ephemeral`"
    )]
    EphemeralInEager {
        /// The field.
        field: String,
    },
    /// Eager mode has no super-steps that a limit could be of.
    #[error(
        "the graph limits the time of its super-steps, which eager mode does not have; use barrier mode, or time limits of its nodes"
    )]
    StepTimeoutInEager,
    /// Eager mode: it is not said how often a node with several predecessors runs.
    #[error(
        "node `{node}` follows {predecessors}; in eager mode say whether it runs once for all (`add_join`) or once for each (`.each()`)"
    )]
    AmbiguousInEager {
        /// The node.
        node: String,
        /// Its predecessors.
        predecessors: String,
    },
    /// A class without a limit.
    #[error(
        "node `{node}` is of the concurrency class `{class}`, which has no limit; add `limit(\"{class}\", n)` with n of at least 1"
    )]
    UnlimitedClass {
        /// The node.
        node: String,
        /// The class.
        class: String,
    },
    /// A migration that is never used.
    #[error("the migration from state version {version} is never used: {reason}")]
    Migration {
        /// The version that it reads.
        version: u32,
        /// Why, and what to do.
        reason: String,
    },
    /// A stateless subgraph holds a node that asks.
    #[error(
        "subgraph `{node}` is stateless, but `{asking}` inside of it asks `{key}`, and an answer would find nothing to go on with; keep `{node}` per call or per thread"
    )]
    StatelessAsks {
        /// The subgraph.
        node: String,
        /// The node that asks, with those that lead to it.
        asking: String,
        /// The key of the question.
        key: String,
    },
    /// A stateless subgraph holds one that is kept per thread.
    #[error(
        "subgraph `{node}` is stateless, but `{kept}` inside of it is kept per thread, and would go on while `{node}` begins again; keep `{node}` per call or per thread, or `{kept}` per call"
    )]
    StatelessKeeps {
        /// The subgraph.
        node: String,
        /// The one inside, with the nodes that lead to it.
        kept: String,
    },
    /// An option that does not fit its node.
    #[error("the option `{option}` of node `{node}`: {reason}")]
    BadOption {
        /// The option.
        option: &'static str,
        /// The node.
        node: String,
        /// Why, and what to do.
        reason: String,
    },
    /// A field that no dynamic state can have.
    #[error(transparent)]
    BadField(FieldError),
    /// A described graph names a field that its state does not have.
    #[error("{place} names the field `{field}`, which the state does not have{suggestion}; fields: {known}")]
    UnknownPlace {
        /// Where the name stands.
        place: String,
        /// The name.
        field: String,
        /// What may be meant; empty when nothing is close.
        suggestion: String,
        /// The fields there are.
        known: String,
    },
    /// A described node names a handler that the registry does not have.
    #[error(
        "node `{node}` names the handler `{handler}`, which the registry does not have{suggestion}; handlers: {known}"
    )]
    UnknownHandler {
        /// The node.
        node: String,
        /// The name.
        handler: String,
        /// What may be meant; empty when nothing is close.
        suggestion: String,
        /// The handlers there are, of that kind.
        known: String,
    },
    /// A described node names a handler of the other kind.
    #[error(
        "node `{node}` names the handler `{handler}`, which is for {}",
        if *for_task { "task nodes; set `\"task\": true`, and send to the node" } else { "nodes that edges trigger; remove `\"task\": true`" }
    )]
    WrongHandler {
        /// The node.
        node: String,
        /// The handler.
        handler: String,
        /// Whether the handler is for task nodes.
        for_task: bool,
    },
    /// The answer to a described question has a schema that would not be checked.
    #[error("the question `{key}` of node `{node}`: {reason}")]
    BadQuestion {
        /// The node.
        node: String,
        /// The question.
        key: String,
        /// What is wrong with the schema.
        reason: String,
    },
    /// A warning that was made an error by `deny_warnings`.
    #[error("{0}")]
    Denied(CompileWarning),
}

/// Something in a graph that may be meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileWarning {
    /// A loop that no conditional edge and no declared goto leaves.
    #[error("the loop {nodes} has no declared exit: only its budget ends it")]
    EndlessLoop {
        /// The nodes of the loop.
        nodes: String,
    },
    /// A join that waits for a node that may not run.
    #[error(
        "the join into `{target}` may starve: `{predecessor}` runs only when a route chooses it; `add_join_reached` waits only for what a run reaches"
    )]
    JoinMayStarve {
        /// The node behind the join.
        target: String,
        /// The predecessor.
        predecessor: String,
    },
}

/// All mistakes of a graph.
#[derive(Clone, PartialEq, Eq)]
pub struct CompileErrors {
    /// The graph.
    pub graph: String,
    /// The mistakes, at least one.
    pub errors: Vec<CompileError>,
}

impl fmt::Display for CompileErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the graph `{}` cannot be compiled:", self.graph)?;
        self.errors.iter().try_for_each(|error| write!(f, "\n  - {error}"))
    }
}

impl std::error::Error for CompileErrors {}

debug_is_text!(CompileErrors);
