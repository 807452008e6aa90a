//! Building a graph: nodes, edges, policies, the proofs of `compile()`, and drawings.

mod builder;
mod cache;
mod compile;
mod compiled;
mod declarations;
mod declare;
mod diagram;
mod errors;
mod inspection;
mod latency;
mod migration;
mod options;
mod persistence;
mod proofs;
mod spec;
mod subgraph;
mod topology;
mod upstream;

pub use builder::{Route, StateGraph};
pub use cache::Cache;
pub use compiled::{App, Compiled};
pub use declare::{
    Description, DescriptionError, JoinDescription, NodeDescription, Registry, RetryDescription, RouteCase,
    RouteDescription, SendDescription, TimeoutDescription, When,
};
pub use diagram::{Diagram, DiagramEdge, DiagramNode, EdgeKind, Marks, NodeKind};
pub use errors::{CompileError, CompileErrors, CompileWarning};
pub use options::GraphOptions;
pub use persistence::{Persistence, SubgraphSpec};
pub use spec::{Mode, NodeDefaults, NodeSpec, Retry, Timeout};
pub use subgraph::{ChildOutcome, FromRef};

pub(crate) use compiled::NodeRun;
pub(crate) use declarations::Declarations;
pub(crate) use latency::{SPAWN_COST, TIME_SLICE};
pub(crate) use spec::AnswerCheck;
pub(crate) use topology::{Exits, Join, NodeInfo, Topology};
