//! The earlier requests of a session, which a new run is given.

use graphloom_cli::Failure;
use graphloom_core_graph::ThreadState;
use graphloom_core_graph::checkpoint::{ThreadFilter, ThreadStatus};
use graphloom_llm::ModelError;
use graphloom_obsius::state::PastRequest;
use graphloom_obsius::{WorkflowState, transaction_name};
use graphloom_vault::transaction::{self, RunRecord, RunState};
use serde_json::json;

use crate::open::Opened;
use crate::review;

/// How many earlier requests a run is given.
const KNOWN: usize = 3;

/// How many of the newest runs are searched for earlier requests.
const LOOKED_AT: usize = 200;

/// How many characters of a request and of an answer are remembered.
const REMEMBERED: usize = 1_500;

/// The earlier requests of a session, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct SessionMemory(Vec<PastRequest>);

impl SessionMemory {
    /// Loads the earlier requests of the session that `--session` names; without `--session` there are none.
    pub(crate) async fn load(session: Option<&str>, opened: &Opened) -> Result<Self, Failure> {
        let Some(own) = session else { return Ok(Self::default()) };
        let Some(cassette) = &opened.models.cassette else { return Ok(Self(stored(own, opened).await?)) };
        // What was said is recorded with the run: played back elsewhere, it meets another store.
        let work = || async {
            let stored = stored(own, opened).await.map_err(|error| ModelError::Setup { message: error.to_string() })?;
            Ok::<_, ModelError>(json!(stored))
        };
        match cassette.exchange("earlier", &json!({}), work, |message| ModelError::Setup { message }).await {
            Ok(value) => Ok(Self(serde_json::from_value(value)?)),
            Err(ModelError::CassetteMiss { .. }) => Ok(Self::default()),
            Err(error) => Err(error.into()),
        }
    }

    /// The earlier requests.
    pub(crate) fn known(&self) -> Vec<PastRequest> {
        self.0.clone()
    }

    /// Adds a request and its outcome, and drops the oldest ones beyond the limit.
    pub(crate) fn remember(&mut self, request: &str, answer: &str) {
        self.0.push(past_request(request, answer));
        let surplus = self.0.len().saturating_sub(KNOWN);
        self.0.drain(..surplus);
    }
}

async fn stored(own: &str, opened: &Opened) -> Result<Vec<PastRequest>, Failure> {
    let mut filter = ThreadFilter::default();
    filter.graph = Some("obsius".to_owned());
    filter.limit = Some(LOOKED_AT);
    let written = transaction::runs(&opened.vault)?;
    let mut found = Vec::new();
    for row in opened.runs.checkpointer().threads(&filter).await? {
        let run = opened.runs.thread(&*row.thread).state().await?;
        if run.checkpoint.is_some() && run.state.session.session_id == own {
            found.push(run);
        }
    }
    found.sort_by(|a, b| {
        let order =
            |run: &ThreadState<WorkflowState>| (run.state.session.start_time, run.state.session.workflow_id.clone());
        order(b).cmp(&order(a))
    });
    found.truncate(KNOWN);
    Ok(found
        .iter()
        .rev()
        .map(|run| past_request(&run.state.session.original_request, &answer(run, &written)))
        .collect())
}

/// The outcome of a run, in words.
fn answer(run: &ThreadState<WorkflowState>, written: &[RunRecord]) -> String {
    let Some(outcome) = &run.state.outcome else {
        let pending = review::pending(&run.questions).filter(|_| run.status == ThreadStatus::Waiting);
        return match pending {
            Some(request) => {
                let titles: Vec<&str> = request.items.iter().map(|item| item.title.as_str()).collect();
                format!("These changes wait for approval and are not written: {}", titles.join("; "))
            }
            None => "It is not finished.".to_owned(),
        };
    };
    let name = transaction_name(&run.state.session.workflow_id);
    let undone = written.iter().any(|record| record.run == name && record.state == RunState::Undone);
    if undone { format!("{}\n\nIts changes were undone since.", outcome.answer) } else { outcome.answer.clone() }
}

fn past_request(request: &str, answer: &str) -> PastRequest {
    PastRequest { request: shortened(request), answer: shortened(answer) }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(REMEMBERED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_requests_are_remembered_and_no_more_of_them_than_fits() {
        let mut memory = SessionMemory::default();
        for at in 0..5 {
            memory.remember(&format!("request {at}"), &"語".repeat(2 * REMEMBERED));
        }
        let known = memory.known();
        let requests: Vec<&str> = known.iter().map(|past| past.request.as_str()).collect();
        assert_eq!(requests, ["request 2", "request 3", "request 4"]);
        assert_eq!(known[0].answer.chars().count(), REMEMBERED + 1);
    }
}
