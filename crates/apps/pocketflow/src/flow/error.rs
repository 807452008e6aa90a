//! Why a flow could not be built or run.

use graphloom_core_graph::{CompileErrors, RunError};

/// Why a flow could not be built or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FlowError {
    /// No node was named as the first.
    #[error("the flow `{flow}` has no start; name its first node with `start`")]
    NoStart {
        /// The flow.
        flow: String,
    },
    /// A node has two successors under one label.
    #[error(
        "in the flow `{flow}` the node `{node}` has two successors under `{label}`; keep one, or use another label"
    )]
    TwoSuccessors {
        /// The flow.
        flow: String,
        /// The node.
        node: String,
        /// The label.
        label: String,
    },
    /// The graph of the flow is not sound.
    #[error("the flow `{flow}` cannot be built: {source}")]
    Graph {
        /// The flow.
        flow: String,
        /// What is wrong.
        source: CompileErrors,
    },
    /// The run failed.
    #[error("the flow `{flow}` failed: {source}")]
    Run {
        /// The flow.
        flow: String,
        /// Why.
        source: RunError,
    },
    /// The run stopped before its end.
    #[error("the flow `{flow}` stopped before its end; run it on a checkpointer and go on from there")]
    Stopped {
        /// The flow.
        flow: String,
    },
}
