//! A process that dies before or after any commit comes back, and the vault ends as without it.

use graphloom_agents::Verdict;
use graphloom_core_graph::Simulator;
use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_obsius::WorkflowState;
use serde_json::json;

use crate::support::{Place, action, scripted};

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

#[tokio::test(start_paused = true)]
async fn wherever_the_process_dies_the_vault_ends_the_same() {
    let request = "Organize all my machine learning notes and create a comprehensive index";
    let mut expected = None;
    let mut points = 1;
    let mut point = None;
    while point.is_none_or(|point| point < points) {
        let place = Place::new();
        let runs = place.runs(model());
        let mut simulator = Simulator::new(runs.app().clone()).answer("review", Verdict::Approve).unwrap();
        if let Some(point) = point {
            simulator = simulator.crash_at(point);
        }
        let report = Box::pin(simulator.run(WorkflowState::update().session(place.session(request)))).await.unwrap();
        assert_eq!(report.status, ThreadStatus::Done, "at {point:?}: {}", report.detail);
        assert!(report.violations.is_empty(), "at {point:?}: {:?}", report.violations);
        assert!(report.state.outcome.as_ref().unwrap().is_complete, "at {point:?}: {:?}", report.state.failure);
        assert_eq!(report.crashes, u64::from(point.is_some()));
        let bytes = place.bytes();
        assert_eq!(&bytes, expected.get_or_insert_with(|| bytes.clone()), "at {point:?}");
        points = report.points;
        point = Some(point.map_or(0, |point| point + 1));
    }
    assert!(points > 16, "{points}");
}
