//! What searches find: all of it where all is asked for, a cap that is told, and nothing that is called nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use graphloom_agents::Verdict;
use graphloom_core_graph::Outcome;
use graphloom_llm::{Capabilities, ChatModel, ChatRequest, ModelError, Scripted, StructuredSupport};
use graphloom_obsius::state::StopReason;
use serde_json::{Value, json};

use super::support::{TestVault, action, call, phases, reviewed, run, scripted};

const EXAMPLE: &str = "Organize all my machine learning notes and create a comprehensive index";

/// Notes that hold the words of the subject, and are about something else.
fn accidents() -> TestVault {
    let files = [
        ("Backup.md", "Time Machine keeps a copy. The learning center tells more.\n"),
        ("Sewing.md", "I am learning to sew with a machine.\n"),
        ("Soup.md", "Soup is made of water.\n"),
    ];
    TestVault::of(&files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect())
}

/// `count` notes about syncing.
fn many(count: usize) -> TestVault {
    let files: BTreeMap<String, Vec<u8>> =
        (1..=count).map(|n| (format!("s/Note {n}.md"), format!("How to sync, part {n}.\n").into_bytes())).collect();
    TestVault::of(&files)
}

fn plan(keyword: &str) -> Value {
    json!({"keywords": [keyword], "title": "The index", "answer": null, "subtasks": [
        {"goal": "find them", "kind": "search", "depends_on": [], "criteria": []},
        {"goal": "write the index", "kind": "create", "depends_on": [1], "criteria": []}]})
}

fn told(state: &graphloom_obsius::WorkflowState, part: &str) -> bool {
    state.notes.iter().any(|note| note.contains(part))
}

#[tokio::test(start_paused = true)]
async fn an_index_of_nothing_says_that_no_note_is_about_it() {
    let place = accidents();
    let before = place.bytes();
    let model = scripted(|kind, _, prompt| {
        Ok(match kind {
            "plan" => plan("machine learning"),
            _ => {
                assert!(prompt.contains("No note is about this") && prompt.contains("Backup.md"), "{prompt}");
                json!({"answer": "You have no notes on that.", "actions": []})
            }
        })
    });
    let Outcome::Done(state) = run(&place.runs(model), place.session(EXAMPLE)).await else { panic!("it ends") };
    let outcome = state.outcome.as_ref().unwrap();
    assert_eq!(outcome.stop, StopReason::NothingFound { subject: "machine learning".into() });
    assert!(!outcome.is_complete && outcome.confidence < 0.5, "{outcome:?}");
    assert!(outcome.answer.contains("Not complete: no note is about `machine learning`"), "{outcome:?}");
    assert_eq!(phases(&state).last().unwrap(), "complete");
    assert_eq!(place.bytes(), before);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_is_led_by_small_choices_invents_no_index_of_nothing() {
    let place = accidents();
    let answers = Scripted::from_fn(|request: &ChatRequest| {
        let prompt = graphloom_llm::scripted::rendered(request);
        assert!(!prompt.contains("paragraph"), "nothing is written: {prompt}");
        let subtasks = ["search", "create"].map(|kind| json!({"kind": kind, "goal": format!("{kind} them")}));
        Ok::<_, ModelError>(json!({ "subtasks": subtasks }).to_string())
    });
    let capabilities =
        Capabilities { local: true, structured: StructuredSupport::Constrained, ..answers.capabilities().clone() };
    let model: Arc<dyn ChatModel> = Arc::new(answers.with_capabilities(capabilities));
    let Outcome::Done(state) = run(&place.runs(model), place.session(EXAMPLE)).await else { panic!("it ends") };
    let outcome = state.outcome.as_ref().unwrap();
    assert_eq!(outcome.stop, StopReason::NothingFound { subject: "machine learning".into() });
    assert!(outcome.answer.starts_with("No note is about `machine learning`"), "{outcome:?}");
    assert!(state.changes.is_empty());
}

/// A small model that plans a note without a search.
fn writes_at_once() -> Arc<dyn ChatModel> {
    let answers = Scripted::from_fn(|request: &ChatRequest| {
        let is_plan = graphloom_llm::scripted::rendered(request).contains("subtasks");
        let plan = json!({ "subtasks": [{"kind": "create", "goal": "write it"}] });
        Ok::<_, ModelError>(if is_plan { plan } else { json!({ "title": "Tides" }) }.to_string())
    });
    let capabilities =
        Capabilities { local: true, structured: StructuredSupport::Constrained, ..answers.capabilities().clone() };
    Arc::new(answers.with_capabilities(capabilities))
}

#[tokio::test(start_paused = true)]
async fn a_model_that_is_led_by_small_choices_says_what_notes_say_and_no_more() {
    let said = "The tides follow the moon around the earth.";
    let full = TestVault::of(&BTreeMap::from([("Sea.md".to_owned(), format!("# Sea\n\n{said}\n").into_bytes())]));
    for request in ["Write a detailed note about the tides", "Write a note about the tides"] {
        for (place, expected) in [(&accidents(), "No sentence that was found plainly answers"), (&full, said)] {
            let state = reviewed(&place.runs(writes_at_once()), place.session(request), &[Verdict::Approve]).await;
            let changes = format!("{:?}", state.changes);
            assert!(changes.contains(expected), "{request}: {changes}");
            assert!(expected != said || !changes.contains("No sentence"), "{request}: {changes}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_index_of_accidents_is_shown_and_is_not_complete() {
    let place = accidents();
    let model = scripted(|kind, _, _| {
        Ok(match kind {
            "plan" => plan("machine learning"),
            _ => json!({"answer": null, "actions": [
                action("w", "create_note", &json!({"title": "The index", "content": "- [[Backup]]"}), &[])]}),
        })
    });
    let state = reviewed(&place.runs(model), place.session(EXAMPLE), &[Verdict::Approve]).await;
    let outcome = state.outcome.as_ref().unwrap();
    assert_eq!(outcome.stop, StopReason::NothingFound { subject: "machine learning".into() });
    assert!(!outcome.is_complete && outcome.confidence < 1.0, "{outcome:?}");
}

/// Writes an index of every note that was found.
fn lists(count: usize) -> Arc<dyn ChatModel> {
    scripted(move |kind, _, _| {
        Ok(match kind {
            "plan" => plan("sync"),
            _ => {
                let lines: Vec<String> = (1..=count).map(|n| format!("- [[Note {n}]]")).collect();
                json!({"answer": null, "actions": [
                    action("w", "create_note", &json!({"title": "The index", "content": lines.join("\n")}), &[])]})
            }
        })
    })
}

#[tokio::test(start_paused = true)]
async fn all_notes_are_all_up_to_a_bound_that_is_told() {
    let place = many(130);
    let request = "Organize all my sync notes and create a comprehensive index";
    let state = reviewed(&place.runs(lists(130)), place.session(request), &[Verdict::Approve]).await;
    assert_eq!(state.findings.notes.len(), 130);
    assert!(state.outcome.as_ref().unwrap().is_complete, "{:?}", state.outcome);
    assert!(!told(&state, "more notes fit"), "{:?}", state.notes);

    let place = many(130);
    let mut info = place.session(request);
    info.config.max_all_results = 100;
    let state = reviewed(&place.runs(lists(130)), info, &[Verdict::Approve]).await;
    let outcome = state.outcome.as_ref().unwrap();
    assert_eq!(outcome.stop, StopReason::FoundLimit { taken: 100 });
    assert!(!outcome.is_complete && outcome.answer.contains("more notes fit than the 100"), "{outcome:?}");
    assert!(told(&state, "`--set max_all_results=…` takes more"), "{:?}", state.notes);
    assert_eq!(state.findings.notes.len(), 100);
}

#[tokio::test(start_paused = true)]
async fn the_best_of_many_notes_are_told_to_be_some_of_them() {
    let place = many(70);
    let request = "Organize my sync notes and create an index";
    let state = reviewed(&place.runs(lists(70)), place.session(request), &[Verdict::Approve]).await;
    assert_eq!(state.findings.notes.len(), 50);
    assert!(state.outcome.as_ref().unwrap().is_complete, "{:?}", state.outcome);
    assert!(told(&state, "more notes fit than the 50 that are taken"), "{:?}", state.notes);
    let asked = state.exchanges.iter().map(|exchange| format!("{:?}", exchange.messages)).collect::<String>();
    for part in ["Found as well", "More notes fit than a search takes"] {
        assert!(asked.contains(part), "{part}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_pages_through_what_fits() {
    let place = many(25);
    let model = scripted(|_, count, prompt| {
        let next = |offset: usize| call("search_notes", &json!({"query": "sync", "offset": offset}));
        Ok(match count {
            1 => next(0),
            2 => {
                assert!(prompt.contains("More notes fit; `offset` 10 gives the next."), "{prompt}");
                next(10)
            }
            3 => next(20),
            _ => {
                assert!(!prompt.contains("`offset` 25"), "{prompt}");
                json!("These are all.")
            }
        })
    });
    let Outcome::Done(state) = run(&place.runs(model), place.session("Which notes tell how to sync?")).await else {
        panic!("it ends")
    };
    let mut seen: Vec<String> = state
        .executed_actions
        .iter()
        .flat_map(|action| action.result.data["found"].as_array().unwrap().clone())
        .map(|found| found["path"].as_str().unwrap().to_owned())
        .collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 25);
}

#[tokio::test(start_paused = true)]
async fn lists_of_tags_go_on() {
    let files: BTreeMap<String, Vec<u8>> =
        (1..=5).map(|n| (format!("Note {n}.md"), format!("---\ntags: [sea, t{n}]\n---\nx\n").into_bytes())).collect();
    let place = TestVault::of(&files);
    let model = scripted(|_, count, prompt| {
        Ok(match count {
            1 => call("tags", &json!({"tag": "sea", "limit": 3})),
            2 => {
                assert!(prompt.contains("3 of 5 so far; `offset` 3 gives the next."), "{prompt}");
                call("tags", &json!({"limit": 4, "offset": 4}))
            }
            _ => {
                assert!(prompt.contains("- t") && !prompt.contains("of 6 so far"), "{prompt}");
                json!("These are all.")
            }
        })
    });
    let Outcome::Done(state) = run(&place.runs(model), place.session("Which tags are there?")).await else {
        panic!("it ends")
    };
    assert!(state.outcome.as_ref().unwrap().is_complete);
}

#[tokio::test(start_paused = true)]
async fn all_notes_without_a_subject_are_every_note() {
    let files: BTreeMap<String, Vec<u8>> =
        (1..=60).map(|n| (format!("Note {n}.md"), format!("Text {n}.\n").into_bytes())).collect();
    let place = TestVault::of(&files);
    let model = lists(60);
    let request = "Organize all my notes and create a comprehensive index";
    let state = reviewed(&place.runs(model), place.session(request), &[Verdict::Approve]).await;
    assert_eq!(state.findings.notes.len(), 60, "{:?}", state.findings.searches);
    assert!(state.outcome.as_ref().unwrap().is_complete, "{:?}", state.outcome);
}

#[tokio::test(start_paused = true)]
async fn notes_of_the_same_text_are_all_found() {
    let files: BTreeMap<String, Vec<u8>> =
        (1..=40).map(|n| (format!("Note {n}.md"), b"How to sync.\n".to_vec())).collect();
    let place = TestVault::of(&files);
    let request = "Organize all my sync notes and create a comprehensive index";
    let state = reviewed(&place.runs(lists(40)), place.session(request), &[Verdict::Approve]).await;
    assert_eq!(state.findings.notes.len(), 40);
    assert!(state.outcome.as_ref().unwrap().is_complete, "{:?}", state.outcome);
}
