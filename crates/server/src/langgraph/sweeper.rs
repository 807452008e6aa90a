//! Takes away what was to be kept for a time only: threads, and items of the stores; and what is left of threads whose making or
//! deletion failed in its middle.

use std::time::Duration;

use graphloom_core_graph::{Clock, SystemClock};

use crate::host::Host;
use crate::http::Problem;
use crate::langgraph::pruning;
use crate::records::{ThreadRecord, TtlStrategy};

/// Between two rounds.
const EVERY: Duration = Duration::from_secs(60);

/// Sweeps from time to time, until it is dropped.
pub(super) async fn run(host: Host) {
    loop {
        tokio::time::sleep(EVERY).await;
        if !host.manager.is_eldest() {
            continue;
        }
        if let Err(problem) = sweep(&host, SystemClock.now()).await {
            tracing::error!(problem = %problem.detail, "what was to be kept for a time only cannot be taken away");
        }
    }
}

/// Takes away what has been kept long enough at a time, and tells how many threads that were.
async fn sweep(host: &Host, now: u64) -> Result<usize, Problem> {
    let threads = &host.manager.records().threads;
    let mut swept = 0;
    for thread in threads.expired().await? {
        let (Some(ttl), id) = (thread.ttl, thread.thread_id) else { continue };
        if host.manager.is_busy(id).await? || !pruning::prune(host, id, ttl.strategy, now).await? {
            continue;
        }
        swept += 1;
        if ttl.strategy == TtlStrategy::KeepLatest {
            let again = |record: &mut ThreadRecord| {
                record.restart_ttl(now);
                Ok(())
            };
            threads.update(id, again).await?;
        }
    }
    host.manager.delete_abandoned().await?;
    host.manager.stores().memory.sweep().await?;
    host.manager.logs().sweep().await?;
    Ok(swept)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::builder::Server;
    use crate::http::{Guard, Security};
    use crate::records::ThreadCreate;

    #[tokio::test]
    async fn threads_go_or_become_smaller_when_their_time_has_come() {
        let manager = Server::new().demo().unwrap().open().await.unwrap();
        let host = Host { manager, guard: Guard::new(&Security::default()).unwrap() };
        let threads = &host.manager.records().threads;
        let create = async |ttl| {
            let new: ThreadCreate = serde_json::from_value(json!({ "ttl": ttl })).unwrap();
            threads.create(new).await.unwrap().thread_id
        };
        // A fiftieth of a millisecond.
        let gone = create(json!({"ttl": 0.000_000_4})).await;
        let kept = create(json!({"ttl": 0.000_000_4, "strategy": "keep_latest"})).await;
        let later = create(json!({"ttl": 60})).await;
        let for_ever = create(json!(null)).await;
        let now = SystemClock.now() + 1;
        assert_eq!(sweep(&host, now).await.unwrap(), 2);
        assert!(threads.get(gone).await.is_err());
        for id in [kept, later, for_ever] {
            threads.get(id).await.unwrap();
        }
    }
}
