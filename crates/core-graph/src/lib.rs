//! Typed, durable state graphs: nodes, edges, super-steps, checkpoints, questions, subgraphs and streams.
//!
//! - **Typed.** The state is a struct; nodes are async functions over a snapshot of it that return an update. What can
//!   be proven of a graph is proven when it is compiled.
//! - **Durable.** Every super-step is a checkpoint in a store. Kill the process anywhere; the thread goes on from its
//!   last commit, and a durable step whose result was stored is never repeated.
//! - **No surprises.** One pure step machine holds all semantics; the order of writes is fixed; a mistake is an error
//!   that names the nodes, never a silent end.
//!
//! ```
//! use graphloom_core_graph::checkpoint::MemoryCheckpointer;
//! use graphloom_core_graph::{Context, END, Log, Node, NodeError, Outcome, START, Snapshot, State, StateGraph, Step};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
//! struct Trip {
//!     city: String,
//!     #[state(append)]
//!     ideas: Log<String>,
//!     verdict: Option<Verdict>,
//! }
//!
//! #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
//! enum Verdict {
//!     Redo,
//!     Keep,
//! }
//!
//! const SUGGEST: Node = Node::named("suggest");
//! const REVIEW: Node = Node::named("review");
//!
//! async fn suggest(trip: Snapshot<Trip>) -> Result<TripUpdate, NodeError> {
//!     Ok(Trip::update().ideas([format!("Walk the hills of {}", trip.city)]))
//! }
//!
//! async fn review(trip: Snapshot<Trip>, cx: Context) -> Result<Step<Trip>, NodeError> {
//!     let verdict: Verdict = cx.ask("verdict", &trip.ideas).await?;
//!     Ok(match verdict {
//!         Verdict::Redo => Step::goto(SUGGEST),
//!         keep => Trip::update().verdict(keep).into(),
//!     })
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut graph = StateGraph::<Trip>::new("trip");
//! graph.add_node(SUGGEST, suggest);
//! graph.add_node(REVIEW, review).asks::<Verdict>("verdict").may_goto((SUGGEST, END));
//! graph.add_edge(START, SUGGEST).add_edge(SUGGEST, REVIEW);
//! let app = graph.compile()?;
//!
//! let lisbon = app.with_checkpointer(MemoryCheckpointer::new()).thread("lisbon");
//! let Outcome::Waiting(questions) = lisbon.run(Trip::update().city("Lisbon")).await? else {
//!     unreachable!("the review asks");
//! };
//! // Now, or in another process next week.
//! let outcome = lisbon.resume(questions.answer("verdict", Verdict::Keep)?).await?;
//! let Outcome::Done(trip) = outcome else { unreachable!("there is nothing left to ask") };
//! assert_eq!(trip.verdict, Some(Verdict::Keep));
//! # Ok(())
//! # }
//! ```
//!
//! # State
//!
//! A [`State`] is a struct with a reducer per field. Nodes see a [`Snapshot`], return an update, and cannot see or
//! spoil a sibling's work. [`Log`], [`Table`] and [`Shared`] make snapshots cheap however large they grow.
//!
//! # Graph
//!
//! A [`StateGraph`] is nodes, then edges: plain ones, conditional ones with declared targets, sends of typed inputs to
//! task nodes, joins, subgraphs. A node may also say itself where to go ([`Step::goto`], [`Step::send`]); that
//! replaces its edges. [`compile`](StateGraph::compile) proves what is declared and draws the graph.
//!
//! Who offers a graph to others lets them replace its nodes and set its limits: [`GraphOptions`].
//!
//! A graph may also be data: a [`Description`](description::Description) with the handlers of a [`Registry`](description::Registry), over a [`JsonState`](json::JsonState) whose fields
//! are known at run time. And it may be one function: an [`entry_point`], with tasks beside each other inside.
//!
//! # Super-steps
//!
//! In [`Mode::Barrier`] all ready tasks form a super-step and commit together; in [`Mode::Eager`] each commits as it
//! finishes and what it triggers starts at once. Guarantees are the same in both.
//!
//! # Runs and threads
//!
//! [`Threads`] are durable executions in a [`Checkpointer`](checkpoint::Checkpointer); a [`Run`] is awaited or read
//! event by event. [`Context::ask`] asks a person, [`Context::once`] makes a step durable, [`Thread::at`] travels in
//! time. The table of what each call does to a thread of each status is at [`Thread`].
//!
//! # Tests
//!
//! [`Simulator`](simulate::Simulator) runs a graph as a process that dies before or after any commit and comes back, over a store that fails
//! as [`Faults`](simulate::Faults) say, with an order of tasks drawn from a seed, and reports what ran, what was committed, and any promise
//! that was broken.
//!
//! # Extension points
//!
//! [`Checkpointer`](checkpoint::Checkpointer) and [`Store`](store::Store) for stores, [`Clock`] for time,
//! [`Executor`](remote::Executor) for processes that execute tasks of runs which this one drives,
//! [`TaskServices`](driver::TaskServices) for drivers. The feature `conformance` has what every store must do as named cases.

#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

#[cfg_attr(not(test), expect(unused_extern_crates, reason = "the derive names the crate from outside"))]
extern crate self as graphloom_core_graph;

mod bytes;
pub mod checkpoint;
mod clock;
#[cfg(feature = "conformance")]
pub mod conformance;
mod context;
mod depth;
mod error;
mod error_row;
mod error_text;
mod event;
mod executor;
mod failure;
mod functional;
mod graph;
mod handler;
mod json_value;
mod limits;
mod lock;
mod machine;
mod name;
mod nearest;
mod questions;
mod record;
mod recorder;
pub mod remote;
pub mod simulate;
mod state;
mod status;
mod step;
mod step_row;
pub mod store;
mod stored_state;
mod subgraph;
mod sync;
mod tasks;
mod thread;
mod timeout;
mod topology;

pub use clock::{Clock, SystemClock};
pub use context::{Context, DuplicateKey, TaskInfo};
pub use depth::{MOST_LEVELS, is_nested_within};
pub use error::{NodeError, RunError};
pub use error_text::error_chain;
pub use event::{EVENT_VERSION, Event, EventKind, EventMode, Payload};
pub use executor::{Outcome, Run, RunFuture, RunHandle};
pub use failure::{Failure, FailureKind};
pub use functional::{EntryBody, EntryPoint, EntryState, EntryUpdate, EntryValue, Final, TaskFuture, entry_point};
pub use graph::{
    Cache, ChildOutcome, CompileError, CompileErrors, CompileWarning, Compiled, FromRef, GraphOptions, NodeDefaults,
    NodeSpec, Route, StateGraph, SubgraphSpec,
};
pub use graphloom_core_graph_macros::State;
pub use handler::{Handler, TaskHandler};
pub use limits::{Durability, Order, RunPolicy};
pub use name::{END, Name, Node, Packet, START, Targets, Task};
pub use questions::{Answer, Answers, Questions};
pub use recorder::Lag;
pub use state::{FieldError, Log, Shared, Snapshot, State, StateError, Table};
pub use step::Step;
pub use tasks::{PendingTask, Question};
pub use thread::{App, At, AtSubgraph, Imported, Thread, ThreadState, Threads};
pub use timeout::Timeout;
pub use topology::{Mode, Persistence, Retry};

/// Drawings of a graph.
pub mod diagram {
    pub use crate::graph::{Diagram, DiagramEdge, DiagramNode, EdgeKind, Marks, NodeKind};
}

/// What a state tells of its fields: for states without the derive.
pub mod fields {
    pub use crate::state::{Field, FieldChange, FieldKind, FieldSet, JsonForm, Op, Stored};
}

/// What lies between a node and what runs it: for drivers, and for nodes that are more than a function.
pub mod driver {
    pub use crate::context::{Scope, StopReason, TaskServices};
    pub use crate::handler::{Called, NodeFn};
    pub use crate::tasks::Standing;
}

/// States whose fields are known at run time.
pub mod json {
    pub use crate::state::{JsonField, JsonLayout, JsonReducer, JsonState, JsonUpdate, LayoutErrors};
}

/// Graphs as data: descriptions, and the functions that they name.
pub mod description {
    pub use crate::graph::{
        Description, DescriptionError, JoinDescription, NodeDescription, Registry, RetryDescription, RouteCase,
        RouteDescription, SendDescription, TimeoutDescription, When,
    };
}

#[doc(hidden)]
pub mod __private {
    pub use crate::limits::FastPath;
    pub use crate::state::checks;
    pub use crate::state::codec;
    pub use crate::state::keep;
    #[cfg(shuttle)]
    pub use crate::sync::explore;
    pub use {schemars, serde, serde_json};
}
