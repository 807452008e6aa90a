//! What can be refused of an order before it is a run.
//!
//! Of a thread that is at rest it is known what an order would come to. Of one on which a run is under way or waits it is not: then
//! the run itself says what was wrong.

use uuid::Uuid;

use crate::graph::{Graph, UNKNOWN_INTERRUPT};
use crate::records::RunFailure;
use crate::refusal::Refusal;
use crate::runs::RunManager;
use crate::runs::order::Order;
use crate::runs::plan::plan;

/// The kinds of failures that are about what was asked for.
const OF_ORDERS: [&str; 4] = ["ValueError", "InvalidUpdateError", "RuntimeError", UNKNOWN_INTERRUPT];

impl RunManager {
    /// Checks the order of a run before it is accepted.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] for nodes that the graph does not have, and on a thread at rest for a checkpoint that it does not have, and
    /// for an answer to what was not asked; the store's.
    pub(crate) async fn check(&self, thread: Option<Uuid>, graph: &dyn Graph, order: &Order) -> Result<(), Refusal> {
        order.check(graph.outline()).map_err(|misfit| Refusal::Invalid(misfit.to_string()))?;
        let Some(thread) = thread.filter(|_| order.resumes() || order.checkpoint_id.is_some()) else { return Ok(()) };
        // Of a thread that is not there more is said when the run is accepted.
        if self.records().threads.get(thread).await.is_err() || self.is_busy(thread).await? {
            return Ok(());
        }
        let planned = plan(graph, &*self.stores().checkpoints, &thread.to_string(), order).await;
        match planned {
            Err(RunFailure { error, message }) if OF_ORDERS.contains(&error.as_str()) => {
                Err(Refusal::Invalid(format!("{error}: {message}")))
            }
            // What is wrong with the thread itself, its run says.
            Ok(_) | Err(_) => Ok(()),
        }
    }
}
