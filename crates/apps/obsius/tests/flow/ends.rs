//! How runs end: a limit is no success, and what was done is kept and told with what was not.

use graphloom_agents::Verdict;
use graphloom_core_graph::Outcome;
use graphloom_obsius::WorkflowState;
use graphloom_obsius::state::{FailureClass, StopReason};
use serde_json::json;

use super::support::{TestVault, action, call, phases, reviewed, run, scripted};

/// Ends without a question.
async fn ended(place: &TestVault, model: std::sync::Arc<dyn graphloom_llm::ChatModel>, request: &str) -> WorkflowState {
    match run(&place.runs(model), place.session(request)).await {
        Outcome::Done(state) => (*state).clone(),
        other => panic!("{other:?}"),
    }
}

fn appends(text: &str) -> serde_json::Value {
    call("update_note", &json!({"path": "Soup.md", "operation": "append", "content": text}))
}

#[tokio::test(start_paused = true)]
async fn turns_that_are_used_up_are_no_success() {
    for (request, said) in
        [("Create a note about tea", "I could not finish."), ("What do I know of tea?", "I did not come to it.")]
    {
        let place = TestVault::new();
        let before = place.bytes();
        let model = scripted(move |_, count, _| {
            Ok(match count {
                8 => json!(said),
                n => call("search_notes", &json!({"query": format!("tea {n}")})),
            })
        });
        let state = ended(&place, model, request).await;
        let outcome = state.outcome.as_ref().unwrap();
        assert_eq!(outcome.stop, StopReason::TurnLimit { turns: 8 }, "{request}");
        assert!(!outcome.is_complete && outcome.confidence < 0.5, "{outcome:?}");
        assert!(outcome.answer.contains(said) && outcome.answer.contains("Not complete: the limit of 8 turns"));
        assert_eq!(place.bytes(), before);
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_changed_before_the_turns_ended_is_shown_and_kept_and_the_end_is_told() {
    let place = TestVault::new();
    let model = scripted(|_, count, _| {
        Ok(match count {
            3 => json!("There was more to do."),
            n => appends(&format!("line {n}")),
        })
    });
    let mut info = place.session("Add many lines to Soup");
    info.config.max_turns = 3;
    let runs = place.runs(model);
    let Outcome::Waiting(questions) = run(&runs, info.clone()).await else { panic!("it asks") };
    let asked = questions.iter().next().unwrap().payload["summary"].as_str().unwrap().to_owned();
    assert!(asked.contains("not complete") && asked.contains("the limit of 3 turns"), "{asked}");
    let answers = graphloom_core_graph::Answers::new().and("review", Verdict::Approve).unwrap();
    let Outcome::Done(state) = runs.thread("run-1").resume(answers).await.unwrap() else { panic!("it ends") };
    assert_eq!(state.outcome.as_ref().unwrap().stop, StopReason::TurnLimit { turns: 3 });
    assert!(!state.outcome.as_ref().unwrap().is_complete);
    assert!(String::from_utf8_lossy(&place.bytes()["Soup.md"]).ends_with("line 1\nline 2\n"));
}

#[tokio::test(start_paused = true)]
async fn a_claim_is_no_change_however_it_is_asked_for() {
    for (request, said) in [
        ("Could you create a note about tea?", "I created the note."),
        ("Create a note that says what tea is", "It is done."),
        ("Is it possible to add a line to Soup?", "I've added the line to `Soup`."),
    ] {
        let place = TestVault::new();
        let before = place.bytes();
        // One search that fails and one that works do not make it true.
        let model = scripted(move |_, count, _| {
            Ok(match count {
                1 => call("search_notes", &json!({"query": ""})),
                2 => call("search_notes", &json!({"query": "tea"})),
                _ => json!(said),
            })
        });
        let state = ended(&place, model, request).await;
        assert!(!state.outcome.as_ref().unwrap().is_complete, "{request}");
        assert!(state.failure.as_ref().unwrap().message.contains("made none"), "{request}: {:?}", state.failure);
        assert_eq!(place.bytes(), before);
    }
}

#[tokio::test(start_paused = true)]
async fn a_read_that_fails_keeps_the_edit_before_it() {
    let place = TestVault::new();
    let model = scripted(|_, count, _| {
        Ok(match count {
            1 => appends("More."),
            2 => call("read_note", &json!({"path": "Gone.md"})),
            _ => json!("I added the line; `Gone` is not there."),
        })
    });
    let state = reviewed(&place.runs(model), place.session("Add a line to Soup as in Gone"), &[Verdict::Approve]).await;
    let outcome = state.outcome.as_ref().unwrap();
    assert!(matches!(&outcome.stop, StopReason::ActionFailed { action, .. } if action == "read_note"), "{outcome:?}");
    assert!(!outcome.is_complete);
    for part in ["changed `Soup.md`", "Not complete: `read_note` failed", "Gone.md"] {
        assert!(outcome.answer.contains(part), "{part}: {}", outcome.answer);
    }
    assert!(String::from_utf8_lossy(&place.bytes()["Soup.md"]).ends_with("More.\n"));
    assert_eq!(phases(&state), ["assess", "simple", "complete"]);
}

#[tokio::test(start_paused = true)]
async fn a_read_that_fails_before_an_edit_does_not_drop_it_and_a_failed_edit_is_not_mended_by_a_read() {
    let place = TestVault::new();
    let model = scripted(|_, count, _| {
        Ok(match count {
            1 => call("read_note", &json!({"path": "Gone.md"})),
            2 => appends("More."),
            _ => json!("I added the line."),
        })
    });
    let state = reviewed(&place.runs(model), place.session("Add a line to Soup"), &[Verdict::Approve]).await;
    assert!(state.outcome.as_ref().unwrap().is_complete);
    assert!(String::from_utf8_lossy(&place.bytes()["Soup.md"]).ends_with("More.\n"));

    let place = TestVault::new();
    let model = scripted(|_, count, _| {
        Ok(match count {
            1 => appends("More."),
            2 => call("update_note", &json!({"path": "Gone.md", "operation": "append", "content": "More."})),
            3 => call("read_note", &json!({"path": "Soup.md"})),
            _ => json!("I added both lines."),
        })
    });
    let state = reviewed(&place.runs(model), place.session("Add a line to Soup and Gone"), &[Verdict::Approve]).await;
    let stop = &state.outcome.as_ref().unwrap().stop;
    assert!(matches!(stop, StopReason::ActionFailed { action, .. } if action == "update_note"), "{stop:?}");
    assert!(String::from_utf8_lossy(&place.bytes()["Soup.md"]).ends_with("More.\n"));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_fails_again_and_again_keeps_what_was_done_before() {
    let place = TestVault::new();
    let model = scripted(|_, count, _| {
        Ok(match count {
            1 => appends("More."),
            _ => call("read_note", &json!({"path": "Gone.md"})),
        })
    });
    let state = reviewed(&place.runs(model), place.session("Add a line to Soup"), &[Verdict::Approve]).await;
    let stop = &state.outcome.as_ref().unwrap().stop;
    assert!(matches!(stop, StopReason::RepeatedFailure { action, .. } if action == "read_note"), "{stop:?}");
    assert!(stop.text().contains("Gone"), "{}", stop.text());
    assert!(String::from_utf8_lossy(&place.bytes()["Soup.md"]).ends_with("More.\n"));

    // With nothing to keep it is a failure.
    let place = TestVault::new();
    let model = scripted(|_, _, _| Ok(call("read_note", &json!({"path": "Gone.md"}))));
    let state = ended(&place, model, "Add a line to Soup").await;
    assert_eq!(state.failure.as_ref().unwrap().class, FailureClass::Internal);
}

/// Plans one update, and gives these replies when asked for actions; the last one again and again.
fn acting(replies: Vec<serde_json::Value>) -> std::sync::Arc<dyn graphloom_llm::ChatModel> {
    scripted(move |kind, count, _| {
        Ok(match kind {
            "plan" => json!({"keywords": [], "title": null, "answer": null, "subtasks": [
                {"goal": "change them", "kind": "update", "depends_on": [], "criteria": [{"check": "note_contains", "note": "Soup", "text": "the end"}]}]}),
            _ => replies[(count - 1).min(replies.len() - 1)].clone(),
        })
    })
}

fn makes(from: usize, to: usize) -> Vec<serde_json::Value> {
    (from..=to)
        .map(|n| {
            let needs = format!("m{}", n - 1);
            action(&format!("m{n}"), "create_note", &json!({"title": format!("Made {n}"), "content": "x"}), &[&needs])
        })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn more_than_twelve_actions_are_taken_in_turns_and_the_model_is_asked_when_all_are_done() {
    let place = TestVault::new();
    let before = place.bytes().len();
    let last = json!({"answer": "All are made.", "actions": [
        action("end", "update_note", &json!({"path": "Soup.md", "operation": "append", "content": "the end"}), &[])]});
    let model = acting(vec![json!({"answer": "I made them.", "actions": makes(1, 28)}), last]);
    let state = reviewed(&place.runs(model), place.session("Update all the soup notes"), &[Verdict::Approve]).await;
    assert!(state.outcome.as_ref().unwrap().is_complete, "{:?}", state.outcome);
    assert_eq!(place.bytes().len(), before + 28);
    let by_iteration: Vec<usize> = (1..=4).map(|number| state.actions_of(number).count()).collect();
    assert_eq!(by_iteration, [12, 12, 4, 1]);
    assert!(state.notes.iter().any(|note| note.contains("28 actions were asked for at once")), "{:?}", state.notes);
    assert!(state.pending_actions.later.is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_limit_of_iterations_in_the_middle_of_many_actions_keeps_those_that_are_done() {
    let place = TestVault::new();
    let model = acting(vec![json!({"answer": null, "actions": makes(1, 40)})]);
    let mut info = place.session("Update all the soup notes");
    info.config.max_iterations = 2;
    let runs = place.runs(model);
    let Outcome::Waiting(_) = run(&runs, info).await else { panic!("it asks") };
    let state = runs.thread("run-1").state().await.unwrap().state;
    assert_eq!(state.stop, Some(StopReason::IterationLimit { iterations: 2 }));
    assert_eq!((state.changes.len(), state.pending_actions.later.len()), (24, 16));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_waits_with_part_of_its_work_goes_on_with_other_limits() {
    let place = TestVault::new();
    let before = place.bytes().len();
    let last = json!({"answer": "All are made.", "actions": [
        action("end", "update_note", &json!({"path": "Soup.md", "operation": "append", "content": "the end"}), &[])]});
    let model = acting(vec![json!({"answer": null, "actions": makes(1, 40)}), last]);
    let mut info = place.session("Update all the soup notes");
    info.config.max_iterations = 2;
    let mut more = info.config.clone();
    more.max_iterations = 9;
    let store = graphloom_core_graph::checkpoint::MemoryCheckpointer::new();
    let (runs, again) =
        (place.runs_in(&store, std::sync::Arc::clone(&model), None), place.runs_in(&store, model, Some(more)));
    let Outcome::Waiting(_) = run(&runs, info).await else { panic!("it asks") };
    drop(runs);
    let thread = again.thread("run-1");
    let state = thread.state().await.unwrap().state;
    assert_eq!(graphloom_obsius::why_limits_change_nothing(&state), None);
    thread.update_state(graphloom_obsius::REVIEW, graphloom_obsius::continue_partial_work(&state)).await.unwrap();
    let Outcome::Waiting(_) = thread.continue_().await.unwrap() else { panic!("it asks again") };
    let answers = graphloom_core_graph::Answers::new().and("review", Verdict::Approve).unwrap();
    let Outcome::Done(state) = thread.resume(answers).await.unwrap() else { panic!("it ends") };
    assert!(state.outcome.as_ref().unwrap().is_complete, "{:?}", state.outcome);
    assert_eq!((place.bytes().len(), state.session.config.max_iterations), (before + 40, 9));
    assert!(state.notes.iter().any(|note| note == "`MAX_ITERATIONS` is 9 from here on, it was 2"), "{:?}", state.notes);
    assert_eq!(
        graphloom_obsius::why_limits_change_nothing(&state),
        Some("its changes are written; begin a new run for what is left")
    );
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_comes_back_keeps_what_was_done_before_it() {
    let place = TestVault::new();
    let gone = json!({"answer": null, "actions": [action("g", "read_note", &json!({"path": "Gone.md"}), &[])]});
    let first = json!({"answer": null, "actions": [
        action("a", "update_note", &json!({"path": "Soup.md", "operation": "append", "content": "More."}), &[])]});
    let model = acting(vec![first, gone]);
    let state = reviewed(&place.runs(model), place.session("Update all the soup notes"), &[Verdict::Approve]).await;
    let outcome = state.outcome.as_ref().unwrap();
    assert!(
        matches!(&outcome.stop, StopReason::RepeatedFailure { action, .. } if action == "read_note"),
        "{outcome:?}"
    );
    assert!(!outcome.is_complete && outcome.answer.contains("changed `Soup.md`"), "{outcome:?}");
    assert!(String::from_utf8_lossy(&place.bytes()["Soup.md"]).ends_with("More.\n"));
    assert!(state.failure.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_judge_that_believes_a_claim_does_not_make_it_true() {
    let place = TestVault::new();
    let model = scripted(|kind, _, _| {
        Ok(match kind {
            "plan" => json!({"keywords": ["soup"], "title": null, "answer": null, "subtasks": [
                {"goal": "find them", "kind": "search", "depends_on": [], "criteria": []},
                {"goal": "change them", "kind": "update", "depends_on": [1], "criteria": []}]}),
            "actions" => json!({"answer": "I updated every note.", "actions": []}),
            _ => {
                json!({"statements": [{"holds": true, "evidence": "it says so"}], "complete": true, "confidence": 1.0})
            }
        })
    });
    let state = ended(&place, model, "Update all the soup notes").await;
    assert!(!state.outcome.as_ref().unwrap().is_complete, "{:?}", state.outcome);
    assert!(state.failure.as_ref().unwrap().message.contains("no note would be"), "{:?}", state.failure);
}

#[tokio::test(start_paused = true)]
async fn every_phase_that_a_run_ended_without_is_skipped() {
    use graphloom_obsius::state::NodeStatus::{Completed, Pending, Skipped};
    let place = TestVault::new();
    let model = scripted(|_, count, _| {
        Ok(match count {
            1 => appends("More."),
            _ => json!("I added the line."),
        })
    });
    let runs = place.runs(model);
    let Outcome::Waiting(_) = run(&runs, place.session("Add a line to Soup")).await else { panic!("it asks") };
    let waiting = runs.thread("run-1").state().await.unwrap().state;
    let status = |state: &WorkflowState, phase: &str| state.nodes.get(phase).unwrap().status;
    assert_eq!(
        [status(&waiting, "simple"), status(&waiting, "analyze"), status(&waiting, "complete")],
        [Completed, Pending, Pending]
    );
    let answers = graphloom_core_graph::Answers::new().and("review", Verdict::Approve).unwrap();
    let Outcome::Done(state) = runs.thread("run-1").resume(answers).await.unwrap() else { panic!("it ends") };
    for (phase, expected) in [
        ("assess", Completed),
        ("simple", Completed),
        ("complete", Completed),
        ("analyze", Skipped),
        ("error", Skipped),
    ] {
        assert_eq!(status(&state, phase), expected, "{phase}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_state_from_before_limits_were_kept_apart_still_loads() {
    fn without(value: &mut serde_json::Value, names: &[&str]) {
        match value {
            serde_json::Value::Object(members) => {
                members.retain(|name, _| !names.contains(&name.as_str()));
                members.values_mut().for_each(|member| without(member, names));
            }
            serde_json::Value::Array(items) => items.iter_mut().for_each(|item| without(item, names)),
            _ => {}
        }
    }
    let place = TestVault::new();
    let model = acting(vec![json!({"answer": null, "actions": makes(1, 40)})]);
    let mut info = place.session("Update all the soup notes");
    info.config.max_iterations = 2;
    let runs = place.runs(model);
    let Outcome::Waiting(_) = run(&runs, info).await else { panic!("it asks") };
    let state = runs.thread("run-1").state().await.unwrap().state;
    let mut stored = serde_json::to_value(&*state).unwrap();
    let new = ["later", "work_ms", "model_time", "work_time", "near", "nothing_about", "more", "max_all_results"];
    without(&mut stored, &new);
    let old: WorkflowState = serde_json::from_value(stored).unwrap();
    assert_eq!((old.iteration.number, old.executed_actions.len()), (2, 24));
    assert_eq!((old.pending_actions.later.len(), old.session.config.max_all_results), (0, 500));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_fails_after_it_succeeded_is_told_by_its_failure() {
    let replaced = json!({"path": "Soup.md", "old_text": "Soup is made of water.", "content": "Soup is made of tea."});
    // On the complex path.
    let place = TestVault::new();
    let again = json!({"answer": null, "actions": [action("a", "update_note", &replaced, &[])]});
    let model = acting(vec![again]);
    let state = reviewed(&place.runs(model), place.session("Update all the soup notes"), &[Verdict::Approve]).await;
    let complex = state.outcome.as_ref().unwrap().clone();
    // On the simple path.
    let model = scripted(move |_, _, _| Ok(call("update_note", &replaced)));
    let place = TestVault::new();
    let state = reviewed(&place.runs(model), place.session("Change a line of Soup"), &[Verdict::Approve]).await;
    let simple = state.outcome.as_ref().unwrap().clone();
    for outcome in [complex, simple] {
        let StopReason::RepeatedFailure { action, error, .. } = &outcome.stop else { panic!("{outcome:?}") };
        assert_eq!(action, "update_note");
        assert!(!error.contains("Replaced text"), "{error}");
    }
}
