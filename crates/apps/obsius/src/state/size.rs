//! Keeping the state under its limit: what is too large moves to blobs, and nothing is lost.

use graphloom_core_graph::fields::FieldSet;
use graphloom_core_graph::{Log, State};
use serde::Serialize;
use serde_json::{Value, json};

use super::{ExecutedAction, WorkflowState, WorkflowStateUpdate};

/// A result of fewer bytes stays where it is: a reference is hardly smaller.
const WORTH_MOVING: usize = 512;

/// The bytes of a state as JSON, without blobs, and without the changes, whose texts the store keeps as blobs itself.
pub fn size_of(state: &WorkflowState) -> usize {
    let bare = WorkflowState {
        blobs: graphloom_core_graph::Table::default(),
        changes: graphloom_core_graph::Shared::default(),
        ..state.clone()
    };
    bytes(&bare)
}

/// Adds to an update what keeps the state within `limit` bytes, and tells what was moved.
///
/// The order is fixed: results of actions, oldest first; then records of calls to models, oldest first. What is moved
/// becomes a blob under the hash of its text, and a reference to it stays.
pub fn fit(state: &WorkflowState, update: WorkflowStateUpdate, limit: usize) -> (WorkflowStateUpdate, Vec<String>) {
    let mut next = state.clone();
    next.apply(&(), update.clone(), &mut FieldSet::default());
    let size = size_of(&next);
    if size <= limit {
        return (update, Vec::new());
    }
    let mut over = size - limit;
    let (mut update, mut blobs, mut moved) = (update, Vec::new(), 0);

    let mut actions: Vec<ExecutedAction> = next.executed_actions.iter().cloned().collect();
    for action in &mut actions {
        if over == 0 {
            break;
        }
        let before = bytes(&action.result);
        if action.result.blob.is_some() || before < WORTH_MOVING {
            continue;
        }
        let whole = json!({ "message": action.result.message, "data": action.result.data }).to_string();
        let hash = key(&whole);
        action.result.message = action.result.message.chars().take(200).collect();
        action.result.data = Value::Null;
        action.result.blob = Some(hash.clone());
        over = over.saturating_sub(before.saturating_sub(bytes(&action.result)));
        blobs.push((hash, whole));
        moved += 1;
    }
    if moved > 0 {
        update = update.replace_executed_actions(Log::from(actions));
    }
    let mut notices = Vec::new();
    if moved > 0 {
        notices.push(format!("the state grew over {limit} bytes: {moved} tool results moved to blobs"));
    }
    if over > 0 {
        let mut exchanges: Vec<graphloom_agents::Exchange> = next.exchanges.iter().cloned().collect();
        let mut moved = 0;
        for exchange in &mut exchanges {
            let before = bytes(exchange);
            if over == 0 || before < WORTH_MOVING || exchange.messages.is_empty() {
                continue;
            }
            let whole = serde_json::to_string(exchange).unwrap_or_default();
            let hash = key(&whole);
            exchange.messages.clear();
            exchange.attempts.clear();
            exchange.format = graphloom_llm::ResponseFormat::Text;
            exchange.args = json!({ "blob": hash });
            over = over.saturating_sub(before.saturating_sub(bytes(exchange)));
            blobs.push((hash, whole));
            moved += 1;
        }
        if moved > 0 {
            update = update.replace_exchanges(Log::from(exchanges));
            notices.push(format!("the state grew over {limit} bytes: {moved} records of model calls moved to blobs"));
        }
    }
    if over > 0 {
        notices
            .push(format!("the state has {over} bytes more than its limit of {limit}, and nothing more can be moved"));
    }
    (update.blobs(blobs), notices)
}

/// The message and data of an action's result, from its blob where it has one.
pub fn read_blob(state: &WorkflowState, action: &ExecutedAction) -> (String, Value) {
    let stored = action.result.blob.as_ref().and_then(|hash| state.blobs.get(hash));
    match stored.and_then(|text| serde_json::from_str::<Value>(text).ok()) {
        Some(whole) => {
            (whole["message"].as_str().unwrap_or_default().to_owned(), whole.get("data").cloned().unwrap_or_default())
        }
        None => (action.result.message.clone(), action.result.data.clone()),
    }
}

fn key(text: &str) -> String {
    graphloom_vault::ContentHash::of(text.as_bytes()).to_string()
}

fn bytes(value: &impl Serialize) -> usize {
    /// Counts what is written and keeps nothing.
    struct Count(usize);

    impl std::io::Write for Count {
        fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
            self.0 += buffer.len();
            Ok(buffer.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    let mut count = Count(0);
    match serde_json::to_writer(&mut count, value) {
        Ok(()) => count.0,
        Err(_) => usize::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(id: &str, bytes: usize) -> ExecutedAction {
        let mut action = ExecutedAction { id: id.to_owned(), ..ExecutedAction::default() };
        action.result.message = "m".repeat(bytes);
        action
    }

    #[test]
    fn five_megabytes_of_results_fit_into_one_and_come_back() {
        let state = WorkflowState::default();
        let update = WorkflowState::update().executed_actions([action("1", 5 << 20), action("2", 100)]);
        let (update, notices) = fit(&state, update, 1 << 20);
        assert_eq!(notices.len(), 1, "{notices:?}");
        let mut next = state.clone();
        next.apply(&(), update, &mut FieldSet::default());
        assert!(size_of(&next) <= 1 << 20);
        let [big, small] = [next.executed_actions.get(0).unwrap(), next.executed_actions.get(1).unwrap()];
        assert_eq!(read_blob(&next, big).0.len(), 5 << 20);
        assert_eq!((small.result.blob.as_ref(), read_blob(&next, small).0.len()), (None, 100));
    }

    #[test]
    fn what_fits_stays_and_the_oldest_goes_first() {
        let mut state = WorkflowState::default();
        let add = WorkflowState::update().executed_actions([action("old", 20_000)]);
        let (update, notices) = fit(&state, add, 32 * 1024);
        assert!(notices.is_empty());
        state.apply(&(), update, &mut FieldSet::default());
        let (update, _) = fit(&state, WorkflowState::update().executed_actions([action("new", 20_000)]), 32 * 1024);
        state.apply(&(), update, &mut FieldSet::default());
        let whole: Vec<bool> = state.executed_actions.iter().map(|action| action.result.blob.is_none()).collect();
        assert_eq!(whole, [false, true]);
    }
}
