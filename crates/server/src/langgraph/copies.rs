//! Copies of threads.

use graphloom_core_graph::{Clock, SystemClock};
use uuid::Uuid;

use crate::artifacts::copy_all;
use crate::host::Host;
use crate::http::Problem;
use crate::langgraph::state::{graph_of, stand};
use crate::records::{Copied, ThreadCreate, ThreadRecord, ThreadStatus};
use crate::refusal::Refusal;

/// Copies a thread with its whole history and its documents. Ids of checkpoints, tasks and questions are those of the copy; runs stay with the
/// thread that they ran on.
///
/// # Errors
/// 404; 409 while a run is under way.
pub(super) async fn copy(host: &Host, from: Uuid) -> Result<ThreadRecord, Problem> {
    let records = host.manager.records();
    let original = records.threads.get(from).await?;
    let hidden = records.threads.create_hidden(ThreadCreate::default()).await?;
    match fill(host, &original, hidden.thread_id).await {
        Ok(copy) => Ok(copy),
        Err(problem) => {
            host.manager.delete_thread(hidden.thread_id).await?;
            Err(problem)
        }
    }
}

/// Gives a hidden thread what another one has, and shows it.
async fn fill(host: &Host, original: &ThreadRecord, id: Uuid) -> Result<ThreadRecord, Problem> {
    let last = host.manager.logs().open(original.thread_id).await.map_err(Refusal::from)?.last();
    let (stores, source, target) = (host.manager.stores(), original.thread_id.to_string(), id.to_string());
    if stores.checkpoints.thread(&source).await?.is_some() {
        stores.checkpoints.copy_thread(&source, &target).await?;
        copy_all(&*stores.memory, &source, &target).await.map_err(Refusal::from)?;
    }
    let view = match graph_of(host, original) {
        Ok(graph) => Some(graph.view(&target, None).await?),
        Err(_) => None,
    };
    let now = SystemClock.now();
    let copied = |record: &mut ThreadRecord| {
        *record = ThreadRecord { thread_id: id, created: record.created, ..original.clone() };
        record.copied.push(Copied { thread: original.thread_id, last });
        record.state_changed(now);
        if record.status == ThreadStatus::Busy {
            record.status = ThreadStatus::Idle;
        }
        if let Some(view) = &view {
            stand(record, view);
        }
    };
    Ok(host.manager.records().threads.show(id, copied).await?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::http::{Guard, Security};
    use crate::records::ThreadSearch;
    use crate::runs::RunManager;
    use crate::runs::testing::{Machine, new_run};

    fn host(manager: RunManager) -> Host {
        Host { manager, guard: Guard::new(&Security::default()).unwrap() }
    }

    async fn original(machine: &Machine) -> Uuid {
        let manager = machine.process().await;
        let thread = manager.records().threads.create(ThreadCreate::default()).await.unwrap().thread_id;
        let new = new_run("pipeline", json!({"input": {"topic": "x"}}));
        manager.submit(thread, new).await.unwrap().live.ended().await.unwrap();
        while manager.is_busy(thread).await.unwrap() {
            tokio::task::yield_now().await;
        }
        machine.put_documents(thread).await;
        thread
    }

    #[tokio::test]
    async fn a_copy_is_there_whole_or_not_at_all() {
        for writes in 0.. {
            let machine = Machine::default();
            let thread = original(&machine).await;
            let before = machine.everything().await;
            let (manager, process) = machine.dying(writes).await;
            let copied = copy(&host(manager), thread).await;
            let next = machine.process().await;
            // A copy may be under way in another process: what is left of it waits for its time.
            let seen = next.records().threads.count(&ThreadSearch::default()).await.unwrap();
            assert_eq!(seen, if copied.is_ok() { 2 } else { 1 });
            match copied {
                Ok(copy) => {
                    let original = next.records().threads.get(thread).await.unwrap();
                    assert_eq!((&copy.values, copy.status), (&original.values, original.status));
                    let documents = machine.left_of(copy.thread_id).await;
                    assert_eq!(documents.iter().filter(|item| item.contains("/artifacts/")).count(), 2);
                    assert!(!process.is_dead());
                    assert!(writes > 3, "{writes} writes are enough");
                    return;
                }
                Err(_) => {
                    for left in next.records().threads.busy().await.unwrap() {
                        assert!(left.hidden.is_some());
                        next.delete_thread(left.thread_id).await.unwrap();
                    }
                    assert_eq!(machine.everything().await, before, "after {writes} writes");
                }
            }
        }
    }
}
