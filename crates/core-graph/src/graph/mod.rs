//! Building a graph: nodes, edges, policies, the proofs of `compile()`, and drawings.

mod blueprint;
mod builder;
mod cache;
mod compile;
mod compiled;
mod declare;
mod diagram;
mod errors;
mod inspection;
mod migration;
mod options;
mod persistence;
mod proofs;
mod remote;
mod spec;
mod subgraph;
mod upstream;

pub use builder::{Route, StateGraph};
pub use cache::Cache;
pub use compiled::Compiled;
pub use declare::{
    Description, DescriptionError, JoinDescription, NodeDescription, Registry, RetryDescription, RouteCase,
    RouteDescription, SendDescription, TimeoutDescription, When,
};
pub use diagram::{Diagram, DiagramEdge, DiagramNode, EdgeKind, Marks, NodeKind};
pub use errors::{CompileError, CompileErrors, CompileWarning};
pub use options::GraphOptions;
pub use persistence::SubgraphSpec;
pub use spec::{NodeDefaults, NodeSpec};
pub use subgraph::{ChildOutcome, FromRef};
