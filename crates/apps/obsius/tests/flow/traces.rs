//! How the original fails, row by row, and what happens here instead.

use graphloom_agents::Verdict;
use graphloom_core_graph::Outcome;
use graphloom_llm::ModelError;
use graphloom_obsius::state::{Completion, FailureClass, PlanSource, StopReason};
use serde_json::json;

use super::support::{TestVault, action, call, phases, reviewed, run, scripted};

const EXAMPLE: &str = "Organize all my machine learning notes and create a comprehensive index";

#[tokio::test(start_paused = true)]
async fn the_example_request_searches_before_it_writes_and_ends_complete_with_an_index_of_real_notes() {
    let place = TestVault::new();
    let model = scripted(|kind, count, prompt| {
        Ok(match kind {
            "actions" if count == 2 => {
                assert!(
                    prompt.contains("1 links of `ML index.md` lead nowhere, the first `Nothing there`"),
                    "{prompt}"
                );
                json!({"answer": null, "actions": [
                    action("u", "update_note", &json!({"path": "ML index.md", "old_text": "- [[Nothing there]]\n", "content": ""}), &[]),
                ]})
            }
            "plan" => json!({"keywords": ["machine learning"], "title": "ML index", "answer": null, "subtasks": [
                {"goal": "find the notes", "kind": "search", "depends_on": [], "criteria": []},
                {"goal": "read them", "kind": "read", "depends_on": [1], "criteria": []},
                {"goal": "write the index", "kind": "create", "depends_on": [2], "criteria": []},
            ]}),
            _ => {
                assert!(prompt.contains("nets/Trees.md"), "the findings are in the prompt: {prompt}");
                json!({"answer": null, "actions": [
                    action("r1", "read_note", &json!({"path": "Gradient descent.md"}), &[]),
                    action("r2", "read_note", &json!({"path": "nets/Networks.md"}), &[]),
                    action("r3", "read_note", &json!({"path": "nets/Trees.md"}), &[]),
                    action("w", "create_note", &json!({"title": "ML index", "content":
                        "- [[Gradient descent]]\n- [[Networks]]\n- [[Trees]]\n- [[Nothing there]]"}), &["r1", "r2", "r3"]),
                ]})
            }
        })
    });
    let state = reviewed(&place.runs(model), place.session(EXAMPLE), &[Verdict::Approve]).await;
    // A link of the run's own that leads nowhere is kept and told, and the model is asked again.
    let once = ["assess", "initialize", "analyze", "search", "execute", "reflect"];
    assert_eq!(phases(&state)[..6], once);
    assert_eq!(phases(&state).last().unwrap(), "complete");
    let outcome = state.outcome.as_ref().unwrap();
    assert!(outcome.is_complete, "{:?} {:?}", outcome.stop, state.objectives.evidence);
    assert_eq!(outcome.stop, StopReason::Complete { by: Completion::SubObjectives });
    assert_eq!(state.task_plan.as_ref().unwrap().source, PlanSource::Model);
    let found: Vec<&str> = state.findings.notes.iter().map(|found| found.path.as_str()).collect();
    assert_eq!(found.len(), 3, "{found:?}");
    let text = String::from_utf8(place.bytes()["ML index.md"].clone()).unwrap();
    assert_eq!(text, "- [[Gradient descent]]\n- [[Networks]]\n- [[Trees]]\n");
    assert!(
        state.notes.iter().any(|note| note.contains("`Nothing there` leads to no note; it is kept")),
        "{:?}",
        state.notes
    );
}

#[tokio::test(start_paused = true)]
async fn a_new_request_is_a_new_run_and_an_unfinished_one_stays_as_it_is() {
    let place = TestVault::new();
    let model = scripted(|_, count, prompt| {
        Ok(match (count, prompt.contains("[result")) {
            (_, true) => json!("Done."),
            (n, _) => call("create_note", &json!({"title": format!("Note {n}"), "content": "text"})),
        })
    });
    let runs = place.runs(model);
    let mut first = place.session("Create a note about tea");
    first.workflow_id = "first".to_owned();
    assert!(matches!(run(&runs, first).await, Outcome::Waiting(_)));
    let mut second = place.session("Create a note about salt");
    second.workflow_id = "second".to_owned();
    let state = reviewed(&runs, second, &[Verdict::Approve]).await;
    assert_eq!(state.session.original_request, "Create a note about salt");
    assert!(state.applied.is_some());
    let waiting = runs.thread("first").state().await.unwrap();
    assert_eq!((waiting.questions.len(), waiting.state.applied.is_none()), (1, true));
}

#[tokio::test(start_paused = true)]
async fn tools_that_always_fail_stop_the_run_with_the_reason_and_the_state_is_kept() {
    let place = TestVault::new();
    let before = place.bytes();
    let model = scripted(|kind, _, _| {
        Ok(match kind {
            "plan" => json!({"keywords": [], "title": null, "answer": null, "subtasks": [
                {"goal": "change it", "kind": "update", "depends_on": [], "criteria": [{"check": "note_changed", "note": "Gone"}]},
            ]}),
            _ => json!({"answer": null, "actions": [action("a", "read_note", &json!({"path": "Gone.md"}), &[])]}),
        })
    });
    let runs = place.runs(model);
    let state = match run(&runs, place.session("Update every note with a date")).await {
        Outcome::Done(state) => state,
        other => panic!("{other:?}"),
    };
    let outcome = state.outcome.as_ref().unwrap();
    assert!(!outcome.is_complete);
    assert!(
        matches!(&outcome.stop, StopReason::RepeatedFailure { action, times: 3, .. } if action == "read_note"),
        "{outcome:?}"
    );
    assert!(state.failure.as_ref().unwrap().message.contains("Gone"), "{:?}", state.failure);
    assert_eq!(state.iteration.number, 3);
    assert_eq!(phases(&state).last().unwrap(), "error");
    assert_eq!(place.bytes(), before);
    assert_eq!(runs.thread("run-1").state().await.unwrap().state.executed_actions.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_model_error_on_the_simple_path_is_an_error_with_its_class_and_no_note() {
    let place = TestVault::new();
    let before = place.bytes();
    let model = scripted(|_, _, _| {
        let retry_after = Some(std::time::Duration::from_secs(7));
        Err(ModelError::RateLimited { model: "m".into(), message: "slow down".into(), retry_after, request_id: None })
    });
    let Outcome::Done(state) = run(&place.runs(model), place.session("Create a note about AI")).await else {
        panic!("it ends")
    };
    let failure = state.failure.as_ref().unwrap();
    assert_eq!(
        (failure.class, failure.retry_after_ms, failure.retryable),
        (FailureClass::RateLimited, Some(7000), true)
    );
    assert!(state.changes.is_empty() && !state.outcome.as_ref().unwrap().is_complete);
    assert_eq!(phases(&state), ["assess", "simple", "error"]);
    assert_eq!(place.bytes(), before);
}

#[tokio::test(start_paused = true)]
async fn words_that_hold_an_indicator_inside_go_the_simple_path() {
    let place = TestVault::new();
    let model = scripted(|_, _, _| Ok(json!("There is no such note to install.")));
    let Outcome::Done(state) = run(&place.runs(model), place.session("Install the small ball note")).await else {
        panic!("it ends")
    };
    assert_eq!(phases(&state), ["assess", "simple", "complete"]);
    assert_eq!(state.outcome.as_ref().unwrap().stop, StopReason::Answered);
}

#[tokio::test(start_paused = true)]
async fn a_complex_japanese_request_is_complex_and_japanese() {
    let place = TestVault::new();
    std::fs::write(place.vault().join("勾配.md"), "勾配降下法は機械学習の基本です。\n").unwrap();
    let model = scripted(|kind, _, _| {
        Ok(match kind {
            // No plan at all: the rules make one.
            "plan" => json!({"keywords": [], "title": null, "answer": null, "subtasks": []}),
            _ => json!({"answer": null, "actions": [
                action("r", "read_note", &json!({"path": "勾配.md"}), &[]),
                action("w", "create_note", &json!({"title": "機械学習の索引", "content": "- [[勾配]]"}), &["r"]),
            ]}),
        })
    });
    let request = "機械学習のノートをすべて整理して包括的な索引を作成してください";
    let state = reviewed(&place.runs(model), place.session(request), &[Verdict::Approve]).await;
    let assessment = state.assessment.as_ref().unwrap();
    assert_eq!(serde_json::to_value(assessment.language).unwrap(), "ja");
    assert!(state.outcome.as_ref().unwrap().is_complete, "{:?}", state.objectives.evidence);
    assert_eq!(state.task_plan.as_ref().unwrap().source, PlanSource::Rules);
    assert!(state.notes.iter().any(|note| note.contains("made by rules")), "{:?}", state.notes);
    assert!(place.bytes().contains_key("機械学習の索引.md"));
}

#[tokio::test(start_paused = true)]
async fn an_update_of_all_notes_reads_then_edits_with_a_diff() {
    let place = TestVault::new();
    let model = scripted(|kind, count, prompt| {
        Ok(match (kind, count) {
            ("plan", _) => json!({"keywords": ["machine learning"], "title": null, "answer": null, "subtasks": [
                {"goal": "find them", "kind": "search", "depends_on": [], "criteria": []},
                {"goal": "date them", "kind": "update", "depends_on": [1], "criteria": [
                    {"check": "note_contains", "note": "Trees", "text": "reviewed"},
                    {"check": "judged", "text": "each note says that it was reviewed"}]},
            ]}),
            ("actions", 1) => {
                json!({"answer": null, "actions": [action("r", "read_note", &json!({"path": "nets/Trees.md"}), &[])]})
            }
            ("actions", _) => {
                assert!(prompt.contains("without gradients"), "the text that was read comes back: {prompt}");
                json!({"answer": null, "actions": [
                    action("u", "update_note", &json!({"path": "nets/Trees.md", "operation": "append", "content": "reviewed"}), &[])]})
            }
            _ => {
                let done = prompt.contains("+reviewed");
                json!({"statements": [{"holds": done, "evidence": "the diff"}], "complete": done, "confidence": 0.95})
            }
        })
    });
    let runs = place.runs(model);
    let Outcome::Waiting(questions) = run(&runs, place.session("Update all the notes on machine learning")).await
    else {
        panic!("it asks")
    };
    let question = questions.iter().next().unwrap().payload.to_string();
    assert!(question.contains("+reviewed") && question.contains("nets/Trees.md"), "{question}");
    let state = reviewed_again(&runs).await;
    assert_eq!(
        phases(&state)[2..],
        ["analyze", "search", "execute", "reflect", "analyze", "execute", "reflect", "complete"]
    );
    assert!(String::from_utf8(place.bytes()["nets/Trees.md"].clone()).unwrap().ends_with("gradients.\nreviewed\n"));
}

async fn reviewed_again(
    runs: &graphloom_core_graph::Threads<graphloom_obsius::WorkflowState, graphloom_obsius::Resources>,
) -> std::sync::Arc<graphloom_obsius::WorkflowState> {
    let answers = graphloom_core_graph::Answers::new().and("review", Verdict::Approve).unwrap();
    match runs.thread("run-1").resume(answers).await.unwrap() {
        Outcome::Done(state) => state,
        other => panic!("{other:?}"),
    }
}
