//! PocketFlow's way of programming, over the graph of this workspace: nodes of three phases, labelled edges, flows.
//!
//! - A [`Work`] reads the shared store ([`prep`](Work::prep)), works without it ([`exec`](Work::exec), tried again as
//!   [`Attempts`] say, then handed to [`exec_fallback`](Work::exec_fallback)), and writes it ([`post`](Work::post)),
//!   answering with the [`Label`] of the edge that is followed.
//! - A [`BatchWork`] does that for every item of a list, one after the other or several at once, with a result and a
//!   count of attempts per item.
//! - A [`BatchFlow`] runs a whole flow for every set of parameters, with the same choices.
//! - A [`Flow`] is nodes and edges; built, it is a graph like any other, that can run on a checkpointer, and a node of
//!   other flows.
//!
//! ```
//! use graphloom_core_graph::NodeError;
//! use graphloom_pocketflow::flow::{Flow, Label, Params, Store, Work};
//! use serde_json::json;
//!
//! struct Countdown;
//!
//! #[async_trait::async_trait]
//! impl Work for Countdown {
//!     type Prep = i64;
//!     type Exec = i64;
//!
//!     async fn prep(&self, shared: &mut Store, _: &Params) -> Result<i64, NodeError> {
//!         Ok(shared["left"].as_i64().unwrap_or(0))
//!     }
//!
//!     async fn exec(&self, left: &i64, _attempt: u32) -> Result<i64, NodeError> {
//!         Ok(left - 1)
//!     }
//!
//!     async fn post(&self, shared: &mut Store, _: i64, left: i64) -> Result<Label, NodeError> {
//!         shared.insert("left".into(), json!(left));
//!         Ok(if left > 0 { Label::from("again") } else { Label::DEFAULT })
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut flow = Flow::new("countdown");
//! let count = flow.add("count", Countdown);
//! flow.start(count).on(count, "again", count);
//! let ended = flow.build()?.run(json!({ "left": 3 }).as_object().cloned().unwrap_or_default()).await?;
//! assert_eq!((ended.shared["left"].as_i64(), ended.path.len()), (Some(0), 3));
//! # Ok(())
//! # }
//! ```
//!
//! # What differs from PocketFlow
//! At least one attempt is always made. Parameters of an inner flow are merged with the outer ones, inner ones first.
//! Every item of a batch counts its own attempts. Flows that run at once do not write into one store under each other's
//! hands: each has a copy, and the changes are brought together in order. When one item's failure stops a batch, the others are dropped. Two
//! successors under one label, and a flow without a start, are errors when the flow is built. A run has a limit of
//! steps. A label without an edge ends the flow; where the node has other edges, [`FlowResult::notes`] says so.

mod batch;
mod each;
mod error;
mod graph;
mod merge;
mod work;

pub use batch::{BatchWork, Failures};
pub use each::BatchFlow;
pub use error::FlowError;
pub use graph::{BuiltFlow, Flow, FlowResult, FlowState, FlowStateUpdate, Place};
pub use work::{Attempts, Label, Params, Store, Work};
