//! A run that stopped in the middle goes on with the action that was in flight.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_llm::ChatModel;
use graphloom_llm::scripted::rendered;
use graphloom_test_support::models::before;
use graphloom_writehere::{Mode, Schedule, Writing};
use tokio::sync::Notify;

use super::script::{Script, actions, goal, goal_of, request, runs, think, write};

/// A model that never answers when it is to write one task, and tells when it was asked to.
fn stalling(inner: Arc<dyn ChatModel>, at: String, reached: Arc<Notify>) -> Arc<dyn ChatModel> {
    before(inner, move |request| {
        let prompt = rendered(request);
        let stalls = prompt.contains("<article>") && goal_of(&prompt) == at;
        let reached = Arc::clone(&reached);
        async move {
            if stalls {
                reached.notify_one();
                std::future::pending::<()>().await;
            }
        }
    })
}

#[tokio::test]
async fn the_first_action_after_a_kill_is_the_one_that_was_in_flight() {
    // The recorded pilot: 27 actions were done, and the text of 1.4 was being written.
    let part = vec![think(&[], vec![]), think(&[], vec![]), think(&[], vec![]), write(&[2], vec![])];
    let parts = [write(&[], part), write(&[], vec![])];
    let store = MemoryCheckpointer::new();
    let model: Arc<dyn ChatModel> = Arc::new(Script::new(&parts).model());
    let reached = Arc::new(Notify::new());
    let stalls = stalling(Arc::clone(&model), goal("1.4"), Arc::clone(&reached));

    let before = runs(Mode::Story, stalls, &store);
    let update = Writing::update().request(request(Mode::Story, Schedule::Sequential));
    let run = before.thread("pilot").run(update).start();
    reached.notified().await;
    drop(run);

    let after = runs(Mode::Story, model, &store);
    let thread = after.thread("pilot");
    let stopped = loop {
        // Dropping cancels; the cancellation is committed by the run's own task.
        let state = thread.state().await.unwrap();
        if !thread.cancel() {
            break state;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!((actions(&stopped.state).len(), stopped.state.tree.len()), (27, 11));

    let done = thread.continue_().await.unwrap().done().unwrap_or_else(|other| panic!("{other:?}"));
    let actions = actions(&done);
    assert_eq!(actions[27], "1.4.0 execute", "{actions:?}");
    assert!(done.finished.as_ref().unwrap().is_done());
}
