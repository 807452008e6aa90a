//! Changes of a report after it is done.
//!
//! The main graph runs this graph as the node `user_feedback_processor`, once for each answer of the person:
//!
//! ```text
//! start ─► listen ─┬─► rewrite ──────────────────────────────► end      expand, shorten, polish
//!                  ├─► prepare ─► [collector] ─► compose ─────► end      supplementary_search, new_task
//!                  └───────────────────────────────────────────► end      sync, finish, errors, the limit
//! ```
//!
//! - A [`Payload`] is read and checked in a fixed order; each rule has its code.
//! - Offsets count code points unless the payload's `offset_unit` says `bytes` or `utf16`.
//! - A change touches the selected text only. Citation marks inside it are taken out, links of conclusions become text,
//!   and a mark that the selection cuts through goes as a whole; the reply names them. Metadata stay as they are.

pub mod nodes;

mod apply;
mod blocks;
mod graph;
mod payload;
mod reply;
mod state;

pub use crate::markup::{Cleaned, Unit, clean, plain};
pub use crate::names::{COMPOSE, FEEDBACK_COLLECTOR, FEEDBACK_END, FEEDBACK_START, LISTEN, PREPARE, REWRITE};
pub use apply::{Change, apply, remember};
pub use blocks::{Block, block_at, major_block};
pub use graph::{graph, graph_with};
pub use nodes::USER_FEEDBACK;
pub use payload::{Action, Payload, Rejection, Scope, Selection, read};
pub use reply::{Reply, lost_marks};
pub use state::{Assessment, EditStrategy, FeedbackState, FeedbackStateUpdate, Pending};

pub(crate) use state::{feedback_input, feedback_result};
