//! What the vault keeps for undoing: after a kill, for another data directory, and until it is forgotten. The models are
//! scripted.

use std::path::Path;

use graphloom_test_support::wait::until;
use serde_json::json;

use crate::support::{TestDir, result, text};

/// Starts to move a note, and kills the program when half of the new text of another note is written, which then begins
/// like this.
fn killed_in(dir: &TestDir, note: &str, beginning: &str) {
    let mut child = dir.command(&["apply", "move"]).env("GRAPHLOOM_TEST_STOP_AT", note).spawn().unwrap();
    until("half of a note's new text", || {
        assert!(child.try_wait().unwrap().is_none(), "it did not stop at {note}");
        std::fs::read(dir.vault().join(note)).is_ok_and(|text| text.starts_with(beginning.as_bytes()))
    });
    child.kill().unwrap();
    child.wait().unwrap();
}

fn moves(dir: &TestDir) -> String {
    dir.script(
        "move.jsonl",
        &[
            json!({"when": "[result", "reply": "It is moved."}),
            json!({"when": "user:", "tool_calls": [{"id": "1", "name": "move_note",
                "arguments": {"path": "Soup.md", "to": "kitchen/Broth"}}]}),
        ],
    )
}

fn creates(dir: &TestDir, title: &str, run: &str, more: &[&str]) -> std::process::Output {
    let rules = [
        json!({"when": "[result", "reply": "It is done."}),
        json!({"when": "user:", "tool_calls": [{"id": "1", "name": "create_note",
            "arguments": {"title": title, "content": "Text."}}]}),
    ];
    let model = dir.script(&format!("{title}.jsonl"), &rules);
    let request = format!("Create a note about {title}");
    let mut args = vec!["run", &request, "--vault", "vault", "--model", &model, "--thread", run, "--yes"];
    args.extend(more);
    let output = dir.run(&args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    output
}

#[test]
fn a_run_that_was_killed_while_it_wrote_is_undone_by_the_journal_of_the_vault() {
    for (round, at) in [0, 30, 60, 90, 119].into_iter().enumerate() {
        let dir = TestDir::new();
        // Moving one note rewrites the links of many.
        for at in 0..120 {
            std::fs::write(dir.vault().join(format!("N{at}.md")), format!("see [[Soup]] {at}.\n")).unwrap();
        }
        let model = moves(&dir);
        let before = dir.bytes();
        let waits = dir.run(&["run", "Rename Soup", "--vault", "vault", "--model", &model, "--thread", "move"]);
        assert_eq!(waits.status.code(), Some(3), "{}", text(&waits.stderr));
        killed_in(&dir, &format!("N{at}.md"), "see [[Br");
        let shown = result(&dir.run(&["show", "move", "--json"]));
        assert!(shown["state"]["applied"].is_null(), "the database knows nothing of what was written: {shown}");

        // In every other round by somebody whose data directory knows nothing of the run.
        let mut undo = dir.command(&["undo", "move", "--vault", "vault", "--json"]);
        if round % 2 == 1 {
            undo.env("GRAPHLOOM_HOME", dir.path("another"));
        }
        let undone = undo.output().unwrap();
        assert!(undone.status.success(), "{}", text(&undone.stderr));
        assert_eq!(result(&undone)["restored"].as_array().unwrap().len(), 122, "{}", text(&undone.stdout));
        assert_eq!(dir.bytes(), before);
    }
}

#[test]
fn killed_while_it_writes_a_vault_is_as_before_or_as_after_and_its_files_are_the_same_files() {
    // In a later note in each round.
    for at in [2, 14, 26] {
        let dir = TestDir::new();
        for at in 0..30 {
            let text = format!("{at}: see [[Soup]].\n{}", "A long line of a long note.\n".repeat(2_000));
            std::fs::write(dir.vault().join(format!("N{at:02}.md")), text).unwrap();
        }
        let model = moves(&dir);
        let (before, faces_before) = (dir.bytes(), sizes_and_modes(&dir));
        let waits = dir.run(&["run", "Rename Soup", "--vault", "vault", "--model", &model, "--thread", "move"]);
        assert_eq!(waits.status.code(), Some(3), "{}", text(&waits.stderr));
        let note = format!("N{at:02}.md");
        killed_in(&dir, &note, &format!("{at}: see [[Broth]]."));
        let (killed_at, note) = (dir.bytes(), dir.vault().join(note));
        assert_eq!(killed_at[&note].len(), before[&note].len(), "its end is the old one");

        let found = dir.run(&["search", "soup", "--vault", "vault"]);
        assert!(found.status.success(), "{}", text(&found.stderr));
        let said = text(&found.stderr);
        assert!(said.contains("had been interrupted; it was finished"), "{said}");
        let after = dir.bytes();
        for other in 0..30 {
            let note = dir.vault().join(format!("N{other:02}.md"));
            let begins = text(&after[&note][..20]);
            assert!(begins.starts_with(&format!("{other}: see [[Broth]].")), "killed in {at}: {begins}");
            assert_eq!(after[&note].len(), before[&note].len() + 1, "killed in {at}: {}", killed_at[&note].len());
            assert_eq!(sizes_and_modes(&dir)[&note], faces_before[&note], "it is the same file");
        }
        let undone = dir.run(&["undo", "move"]);
        assert!(undone.status.success(), "{}", text(&undone.stderr));
        assert_eq!((dir.bytes(), sizes_and_modes(&dir)), (before, faces_before));
    }
}

/// What makes each file of the vault this file.
#[cfg(unix)]
fn sizes_and_modes(dir: &TestDir) -> std::collections::BTreeMap<std::path::PathBuf, (u64, u32)> {
    use std::os::unix::fs::MetadataExt;
    let face = |path: &Path| std::fs::metadata(path).map(|found| (found.ino(), found.mode())).unwrap();
    dir.bytes().into_keys().map(|path| (path.clone(), face(&path))).collect()
}

#[cfg(not(unix))]
fn sizes_and_modes(dir: &TestDir) -> std::collections::BTreeMap<std::path::PathBuf, (u64, u32)> {
    dir.bytes().into_keys().map(|path| (path, (0, 0))).collect()
}

#[test]
fn another_data_directory_can_undo_and_is_told_what_can_be_undone() {
    let dir = TestDir::new();
    let before = dir.bytes();
    creates(&dir, "Tea", "tea", &[]);
    let elsewhere = |args: &[&str]| dir.command(args).env("GRAPHLOOM_HOME", dir.path("another")).output().unwrap();
    let unknown = elsewhere(&["undo", "coffee", "--vault", "vault"]);
    assert_eq!(unknown.status.code(), Some(2));
    let said = text(&unknown.stderr);
    assert!(said.contains("there is no run `coffee`") && said.contains("`tea`"), "{said}");
    let undone = elsewhere(&["undo", "tea", "--vault", "vault"]);
    assert!(undone.status.success(), "{}", text(&undone.stderr));
    assert_eq!(dir.bytes(), before);
    let again = dir.run(&["undo", "tea"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("run `tea` is undone already"), "{}", text(&again.stderr));
}

#[test]
fn backups_can_be_forgotten_and_only_the_newest_are_kept() {
    let dir = TestDir::new();
    for (at, title) in ["Tea", "Salt", "Rice"].iter().enumerate() {
        creates(&dir, title, &format!("run-{at}"), &[]);
    }
    let home = dir.vault().join(".obsius");
    let ignored = std::fs::read_to_string(home.join(".gitignore")).unwrap();
    assert!(ignored.lines().any(|line| line == "*"), "git passes over it: {ignored}");

    let refused = dir.run(&["forget", "--vault", "vault"]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stdout));
    let unknown = dir.run(&["forget", "run-9", "--vault", "vault"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("`run-0`, `run-1`, `run-2`"), "{}", text(&unknown.stderr));
    let young = dir.run(&["forget", "--older-than", "1d", "--vault", "vault", "--json"]);
    assert_eq!(result(&young)["runs"], json!([]));

    let before = dir.bytes();
    let forgotten = dir.run(&["forget", "run-1", "--vault", "vault", "--json"]);
    assert_eq!(result(&forgotten)["runs"], json!(["run-1"]), "{}", text(&forgotten.stderr));
    assert_eq!(dir.bytes(), before, "no note changes");
    let gone = dir.run(&["undo", "run-1"]);
    assert_eq!(gone.status.code(), Some(2));
    assert!(text(&gone.stderr).contains("has no backups of run `run-1` any more"), "{}", text(&gone.stderr));

    // The limit is told when it takes something.
    let output = creates(&dir, "Beer", "run-3", &["--set", "keep_backups=2"]);
    let said = text(&output.stderr);
    assert!(said.contains("the newest 2 runs are kept") && said.contains("`run-0` can no longer be undone"), "{said}");
    assert_eq!(entries(&home), 2);
    for run in ["run-3", "run-2"] {
        let undone = dir.run(&["undo", run]);
        assert!(undone.status.success(), "{}", text(&undone.stderr));
    }
    let all = dir.run(&["forget", "--all", "--vault", "vault"]);
    assert!(all.status.success(), "{}", text(&all.stderr));
    assert_eq!(entries(&home), 0);
    assert_eq!(std::fs::read_dir(home.join("blobs")).unwrap().count(), 0);
}

fn entries(home: &Path) -> usize {
    std::fs::read_dir(home.join("journal")).unwrap().count()
}
