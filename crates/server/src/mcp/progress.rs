//! What a run tells is progress.

use std::sync::Arc;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};

use crate::chat::progress;
use crate::log::{Entry, RunTail};

/// Counts what a run tells, for a client that asked for progress. How much there will be is not known.
pub(super) struct Progress {
    token: ProgressToken,
    count: u32,
}

impl Progress {
    pub(super) fn new(token: ProgressToken) -> Self {
        Self { token, count: 0 }
    }

    /// What the client is told of an entry; none for entries that are no progress.
    pub(super) fn of(&mut self, entry: &Entry) -> Option<ProgressNotificationParam> {
        let message = progress(entry)?;
        self.count += 1;
        Some(ProgressNotificationParam::new(self.token.clone(), f64::from(self.count)).with_message(message))
    }

    /// Tells the client what a run tells, to the run's end.
    pub(super) async fn tell(&mut self, mut tail: RunTail, peer: &Peer<RoleServer>) {
        loop {
            let entry: Arc<Entry> = match tail.next().await {
                Ok(Some(entry)) => entry,
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!(%error, "the progress of a run cannot be told");
                    return;
                }
            };
            let Some(told) = self.of(&entry) else { continue };
            if let Err(error) = peer.notify_progress(told).await {
                // The client is gone: how the run ends is on its thread.
                tracing::debug!(%error, "progress is told to nobody");
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::NumberOrString;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::log::LogEvent;

    #[test]
    fn progress_goes_up_by_one_with_all_that_a_person_would_be_told() {
        let task: Arc<str> = "work:1.0".into();
        let started =
            |attempt| LogEvent::TaskStarted { task: Arc::clone(&task), node: "work".to_owned(), attempt, packet: None };
        let custom = |payload| LogEvent::Custom {
            task: Arc::clone(&task),
            node: "work".to_owned(),
            name: String::new(),
            payload,
        };
        let cases = [
            (started(1), Some((1.0, "work"))),
            (started(2), None),
            (custom(json!("half")), Some((2.0, "half"))),
            (LogEvent::Lost { events: 3 }, None),
            (custom(json!({"progress": 2, "of": 3})), Some((3.0, r#"{"progress":2,"of":3}"#))),
        ];
        let mut progress = Progress::new(ProgressToken(NumberOrString::Number(7)));
        for (event, expected) in cases {
            let entry = Entry { seq: 1, time: 0, run: Uuid::nil(), ns: "".into(), step: 0, event };
            let told = progress.of(&entry);
            let told = told.as_ref().map(|told| (told.progress, told.message.as_deref().unwrap_or_default()));
            assert_eq!(told, expected);
        }
    }
}
