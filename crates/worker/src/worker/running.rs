//! Tasks that this worker has, and whether they are still awaited.

use std::sync::{Arc, Weak};
use std::time::Duration;

use dashmap::DashMap;
use tokio::task::AbortHandle;
use tokio::time::{MissedTickBehavior, interval};

use crate::member::{Letter, Member, Message};

/// Which of these tasks a worker still has, by what was last taken, and whether their runs are asked to stop.
const LOOK: &str = "SELECT id, takes, stopping FROM tasks WHERE id = ANY ($1)";

/// Tasks that this worker has, with the takes that it has of them.
pub(super) struct Running {
    takes: Arc<DashMap<String, i64>>,
    task: AbortHandle,
}

/// A task that this worker has, until this is dropped.
pub(super) struct Held {
    id: String,
    take: i64,
    takes: Arc<DashMap<String, i64>>,
}

impl Running {
    /// Looks again and again whether tasks are still awaited: what was told of them may have been lost.
    pub(super) fn watch(member: &Arc<Member>, every: Duration) -> Self {
        let takes = Arc::new(DashMap::new());
        let task = tokio::spawn(look(Arc::downgrade(member), Arc::clone(&takes), every)).abort_handle();
        Self { takes, task }
    }

    /// This worker has a task.
    pub(super) fn hold(&self, id: &str, take: i64) -> Held {
        self.takes.insert(id.to_owned(), take);
        Held { id: id.to_owned(), take, takes: Arc::clone(&self.takes) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.takes.remove_if(&self.id, |_, take| *take == self.take);
    }
}

async fn look(member: Weak<Member>, takes: Arc<DashMap<String, i64>>, every: Duration) {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let Some(member) = member.upgrade() else { return };
        let held: Vec<(String, i64)> = takes.iter().map(|held| (held.key().clone(), *held.value())).collect();
        if held.is_empty() {
            continue;
        }
        let ids: Vec<&str> = held.iter().map(|(id, _)| id.as_str()).collect();
        let found = sqlx::query_as::<_, (String, i64, bool)>(LOOK).bind(&ids).fetch_all(&member.database.pool).await;
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!(%error, "whether tasks are still awaited cannot be found out now");
                continue;
            }
        };
        for (id, take) in held {
            let message = match found.iter().find(|(found, ..)| *found == id) {
                Some((_, last, _)) if *last != take => Message::Over,
                Some((.., true)) => Message::Stopping,
                Some(_) => continue,
                None => Message::Over,
            };
            member.deliver(Letter { task: id, from: member.id(), message });
        }
    }
}
