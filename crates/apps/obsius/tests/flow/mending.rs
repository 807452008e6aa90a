//! Links that a run wrote are mended where one note is meant; all others keep every byte.

use graphloom_agents::Verdict;
use graphloom_core_graph::{Answers, Outcome};
use serde_json::{Value, json};

use super::support::{TestVault, call, reviewed, run, scripted};

/// The notes after a run of the simple path that makes these calls, and what was told.
async fn after(files: &[(&str, &str)], request: &str, calls: Vec<Value>) -> (TestVault, Vec<String>) {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
    let place = TestVault::of(&files);
    let model = scripted(move |_, count, _| Ok(calls.get(count - 1).cloned().unwrap_or_else(|| json!("Done."))));
    let state = reviewed(&place.runs(model), place.session(request), &[Verdict::Approve]).await;
    assert!(state.applied.is_some(), "{:?} {:?}", state.failure, state.outcome);
    (place, state.notes.iter().cloned().collect())
}

fn text(place: &TestVault, path: &str) -> String {
    String::from_utf8(place.bytes()[path].clone()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_rename_keeps_headings_blocks_and_embeds_that_are_not_found() {
    let kept = "keep [[Old#Gone|see]] and [text](Old.md#gone) and ![[Old#^nope]] and [[To come]] end\n";
    let files = [("Old.md", "# Old\n"), ("From.md", kept), ("a/Else.md", "[[a/Old#x]] [[Else#Gone|x]]\n")];
    let (place, told) =
        after(&files, "Rename Old to New", vec![call("move_note", &json!({"path": "Old", "to": "New"}))]).await;
    assert_eq!(text(&place, "From.md"), kept.replace("[[Old", "[[New").replace("Old.md", "New.md"));
    assert_eq!(text(&place, "a/Else.md"), files[2].1, "what led nowhere is not touched");
    assert!(told.is_empty(), "{told:?}");
    // Moving without another name changes nothing that still leads there.
    let (place, _) = after(
        &[("a/Old.md", ""), ("From.md", "[[a/Old#Gone|x]] [[Old#^b]]\n")],
        "Move Old to the folder b",
        vec![call("move_note", &json!({"path": "a/Old.md", "to": "b/"}))],
    )
    .await;
    assert_eq!(text(&place, "From.md"), "[[b/Old#Gone|x]] [[Old#^b]]\n");
}

#[tokio::test(start_paused = true)]
async fn notes_to_come_stay_links_and_what_means_one_note_is_corrected() {
    let files = [
        ("Beta.md", "Mine: [[Someday]] [[tea leaves]] ![[mine.png]]\n"),
        ("Tea.md", "---\naliases: [Camellia]\n---\n# Tea leaves\n"),
        ("One.md", "# Same\n"),
        ("Two.md", "# Same\n"),
    ];
    let added =
        "[[Future idea]] ![[missing.png]] [[camellia#Part|c]] ![[Camellia]] [[Same]] [[Tea#Gone]] [[tea leaves]]";
    let calls = vec![call("update_note", &json!({"path": "Beta", "content": added}))];
    let (place, told) = after(&files, "Add links to Beta", calls).await;
    let corrected = added.replace("camellia", "Tea").replace("Camellia", "Tea");
    assert_eq!(text(&place, "Beta.md"), format!("{}{corrected}\n", files[0].1));
    let about = |part: &str| told.iter().filter(|line| line.contains(part)).count();
    assert_eq!((about("was corrected to `Tea`"), about("leads to no note; it is kept")), (2, 3), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn a_merge_by_the_model_leads_links_to_the_merged_note_and_keeps_what_it_copied() {
    let gone = "Line one about tea.\n[[To come]] ![[missing.png]] [[Home#Gone]]\nLine three.\n";
    let files = [("Home.md", "# Home\n"), ("Gone.md", gone), ("From.md", "[[Gone#x|g]] ![[gone]] [a](Gone.md#y)\n")];
    let calls = vec![
        call("update_note", &json!({"path": "Home", "content": gone})),
        call("delete_note", &json!({"path": "Gone"})),
    ];
    let (place, told) = after(&files, "Merge Gone into Home", calls).await;
    assert_eq!(text(&place, "Home.md"), format!("# Home\n{gone}"));
    assert_eq!(text(&place, "From.md"), "[[Home#x|g]] ![[Home]] [a](Home.md#y)\n");
    assert!(told.iter().any(|line| line.contains("3 links to `Gone.md` lead to `Home.md` now")), "{told:?}");
    // Where no note holds its text, the links stay and are told.
    let (place, told) =
        after(&files, "Delete the note Gone", vec![call("delete_note", &json!({"path": "Gone"}))]).await;
    assert_eq!(text(&place, "From.md"), files[2].1);
    assert!(told.iter().any(|line| line.contains("`Gone.md` is deleted; links in `From.md` led to it")), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn notes_are_merged_by_the_tool_byte_by_byte() {
    let gone = "## Part\n\n[[To come]] ![[missing.png]] [[#Part]] [c](C.md)\n";
    let files = [("Home.md", "# Home\n"), ("a/Gone.md", gone), ("a/C.md", "[[Gone#Part]]\n")];
    let calls = vec![call("merge_notes", &json!({"path": "Gone", "into": "Home"}))];
    let (place, told) = after(&files, "Merge Gone into Home", calls).await;
    assert_eq!(text(&place, "Home.md"), format!("# Home\n{}", gone.replace("(C.md)", "(a/C.md)")));
    assert_eq!(text(&place, "a/C.md"), "[[Home#Part]]\n");
    assert!(!place.bytes().contains_key("a/Gone.md") && told.is_empty(), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn links_made_while_a_person_decides_are_rewritten_and_told() {
    let place = TestVault::of(&[("Old.md".to_owned(), b"old\n".to_vec())].into());
    let model = scripted(|_, count, _| {
        Ok(if count == 1 { call("move_note", &json!({"path": "Old", "to": "New"})) } else { json!("Done.") })
    });
    let runs = place.runs(model);
    assert!(matches!(run(&runs, place.session("Rename Old to New")).await, Outcome::Waiting(_)));
    std::fs::write(place.vault().join("Late.md"), "[[Old#h|o]]\n").unwrap();
    let answers = Answers::new().and("review", &Verdict::Approve).unwrap();
    let Outcome::Done(state) = runs.thread("run-1").resume(answers).await.unwrap() else { panic!("it ends") };
    assert!(state.notes.iter().any(|note| note.contains("1 links in `Late.md` were made since")), "{:?}", state.notes);
    assert_eq!(text(&place, "Late.md"), "[[New#h|o]]\n");
}

#[tokio::test(start_paused = true)]
async fn what_is_skipped_is_part_of_the_state() {
    let files =
        [("Tea.md", b"tea\n".as_slice()), ("bad.md", [0xff, 0xfe].as_slice()), ("two\nlines.md", b"x".as_slice())];
    let place = TestVault::of(&files.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec())).collect());
    let model = scripted(|_, count, _| {
        Ok(if count == 1 { call("update_note", &json!({"path": "Tea", "content": "x"})) } else { json!("Done.") })
    });
    let state = reviewed(&place.runs(model), place.session("Add x to Tea"), &[Verdict::Approve]).await;
    let skipped: Vec<&str> = state.vault_context.skipped.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(skipped, ["bad.md", "two\nlines.md"]);
}
