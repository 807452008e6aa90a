//! Copies of threads.

use graphloom_core_graph::{Clock, SystemClock};
use uuid::Uuid;

use crate::host::Host;
use crate::http::Problem;
use crate::langgraph::state::{graph_of, stand};
use crate::records::{ThreadRecord, ThreadStatus};

/// Copies a thread with its whole history. Ids of checkpoints, tasks and questions are those of the copy; runs stay with the
/// thread that they ran on.
///
/// # Errors
/// 404; 409 while a run is under way.
pub(super) async fn copy(host: &Host, from: Uuid) -> Result<ThreadRecord, Problem> {
    let records = host.manager.records();
    let original = records.threads.get(from).await?;
    let checkpoints = &host.manager.stores().checkpoints;
    let (source, id) = (from.to_string(), Uuid::now_v7());
    let target = id.to_string();
    let has_checkpoints = checkpoints.thread(&source).await?.is_some();
    if has_checkpoints {
        checkpoints.copy_thread(&source, &target).await?;
    }
    let now = SystemClock.now();
    let mut copy = ThreadRecord { thread_id: id, created: now, updated: now, ..original };
    copy.state_changed(now);
    if copy.status == ThreadStatus::Busy {
        copy.status = ThreadStatus::Idle;
    }
    let stored = async {
        if let Ok(graph) = graph_of(host, &copy) {
            stand(&mut copy, &graph.view(&target, None).await?);
        }
        records.threads.insert(&copy).await?;
        Ok(copy)
    };
    match stored.await {
        Ok(copy) => Ok(copy),
        Err(problem) => {
            if has_checkpoints {
                checkpoints.delete_thread(&target).await?;
            }
            Err(problem)
        }
    }
}
