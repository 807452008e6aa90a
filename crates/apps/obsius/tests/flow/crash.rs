//! A process that dies before or after any commit comes back, and the vault ends as without it.

use graphloom_agents::Verdict;
use graphloom_core_graph::Simulator;
use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_obsius::WorkflowState;
use serde_json::json;

use super::support::{TestVault, action, scripted};

fn model() -> std::sync::Arc<dyn graphloom_llm::ChatModel> {
    scripted(|kind, _, _| {
        Ok(match kind {
            "plan" => json!({"keywords": ["machine learning"], "title": "ML index", "answer": null, "subtasks": [
                {"goal": "find them", "kind": "search"}, {"goal": "write it", "kind": "create"}]}),
            _ => json!({"answer": null, "actions": [
                action("r", "read_note", &json!({"path": "nets/Trees.md"}), &[]),
                action("w", "create_note", &json!({"title": "ML index", "content":
                    "- [[Gradient descent]]\n- [[Networks]]\n- [[Trees]]"}), &["r"]),
                action("u", "update_note", &json!({"path": "Soup.md", "operation": "append", "content": "End."}), &["w"])]}),
        })
    })
}

/// Runs to the end once without a crash and once with one at every point. How often it died, and how often progress
/// inside a super-step was saved in all these runs. A tool that ends before anybody waits for it is not saved by itself,
/// so the points of two runs may differ in number.
async fn dies_everywhere(persistence_interval_ms: u64) -> (u64, usize) {
    let request = "Organize all my machine learning notes and create a comprehensive index";
    let mut expected = None;
    let (mut crashes, mut saves) = (0, 0);
    let mut points = 1;
    let mut point = None;
    while point.is_none_or(|point| point < points) {
        let place = TestVault::new();
        let runs = place.runs(model());
        let mut simulator = Simulator::new(runs.app().clone()).answer("review", Verdict::Approve).unwrap();
        if let Some(point) = point {
            simulator = simulator.crash_at(point);
        }
        let mut session = place.session(request);
        session.config.persistence_interval_ms = persistence_interval_ms;
        let report = Box::pin(simulator.run(WorkflowState::update().session(session))).await.unwrap();
        assert_eq!(report.status, ThreadStatus::Done, "at {point:?}: {}", report.detail);
        assert!(report.violations.is_empty(), "at {point:?}: {:?}", report.violations);
        assert!(report.state.outcome.as_ref().unwrap().is_complete, "at {point:?}: {:?}", report.state.failure);
        crashes += report.crashes;
        let actions: Vec<_> = report.state.executed_actions.iter().map(|action| action.id.clone()).collect();
        assert_eq!(actions, ["1.keyword", "1.content", "1.r", "1.w", "1.u"], "at {point:?}: each action once");
        saves += report.onces.keys().filter(|(_, key)| key.starts_with("progress/")).count();
        let bytes = place.bytes();
        assert_eq!(&bytes, expected.get_or_insert_with(|| bytes.clone()), "at {point:?}");
        points = report.points;
        point = Some(point.map_or(0, |point| point + 1));
    }
    (crashes, saves)
}

#[tokio::test(start_paused = true)]
async fn wherever_the_process_dies_the_vault_ends_the_same() {
    let (crashes, saves) = dies_everywhere(5_000).await;
    assert!(crashes > 16 && saves == 0, "{crashes} crashes, {saves} saves: nothing takes five seconds");
}

#[tokio::test(start_paused = true)]
async fn a_process_that_dies_inside_execute_goes_on_from_what_it_saved() {
    let (crashes, saves) = dies_everywhere(0).await;
    assert!(crashes > 16 && saves > 0, "{crashes} crashes, {saves} saves");
}
