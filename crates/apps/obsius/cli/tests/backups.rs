//! What the vault keeps for undoing: after a kill, for another data directory, and until it is forgotten. The models are
//! scripted.

use std::path::Path;

use serde_json::json;

use crate::support::{TestDir, result, text};

/// A vault where moving one note rewrites the links of many, so that writing takes a while.
fn wide(dir: &TestDir) -> String {
    for at in 0..120 {
        std::fs::write(dir.vault().join(format!("N{at}.md")), format!("{at}: see [[Soup]].\n")).unwrap();
    }
    moves(dir)
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
    let mut in_the_middle = 0;
    for round in 0..5 {
        let dir = TestDir::new();
        let model = wide(&dir);
        let before = dir.bytes();
        let waits = dir.run(&["run", "Rename Soup", "--vault", "vault", "--model", &model, "--thread", "move"]);
        assert_eq!(waits.status.code(), Some(3), "{}", text(&waits.stderr));
        // Killed as soon as the intent is there: then the notes are being written, and the database knows nothing.
        let intent = dir.vault().join(".obsius/journal/000001/intent");
        let mut child = dir.command(&["apply", "move"]).spawn().unwrap();
        while !intent.exists() && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let shown = result(&dir.run(&["show", "move", "--json"]));
        in_the_middle += usize::from(shown["state"]["applied"].is_null());

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
    assert!(in_the_middle > 0, "no kill came before the run said what it had written");
}

#[test]
fn killed_while_it_writes_a_vault_is_as_before_or_as_after_and_its_files_are_the_same_files() {
    let mut written = 0;
    for round in 0..3 {
        let dir = TestDir::new();
        for at in 0..30 {
            let text = format!("{at}: see [[Soup]].\n{}", "A long line of a long note.\n".repeat(2_000));
            std::fs::write(dir.vault().join(format!("N{at:02}.md")), text).unwrap();
        }
        let model = moves(&dir);
        let (before, faces_before) = (dir.bytes(), sizes_and_modes(&dir));
        let waits = dir.run(&["run", "Rename Soup", "--vault", "vault", "--model", &model, "--thread", "move"]);
        assert_eq!(waits.status.code(), Some(3), "{}", text(&waits.stderr));
        // Killed when one of the notes has another length, a later one in each round.
        let note = dir.vault().join(format!("N{:02}.md", 2 + round * 12));
        let length = std::fs::metadata(&note).unwrap().len();
        let mut child = dir.command(&["apply", "move"]).spawn().unwrap();
        while std::fs::metadata(&note).unwrap().len() == length && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let killed_at = dir.bytes();

        let found = dir.run(&["search", "soup", "--vault", "vault"]);
        assert!(found.status.success(), "{}", text(&found.stderr));
        written += usize::from(text(&found.stderr).contains("had been interrupted; it was finished"));
        let after = dir.bytes();
        for at in 0..30 {
            let note = dir.vault().join(format!("N{at:02}.md"));
            let begins = text(&after[&note][..20]);
            assert!(begins.starts_with(&format!("{at}: see [[Broth]].")), "round {round}: {begins}");
            assert_eq!(after[&note].len(), before[&note].len() + 1, "round {round}: {}", killed_at[&note].len());
            assert_eq!(sizes_and_modes(&dir)[&note], faces_before[&note], "it is the same file");
        }
        let undone = dir.run(&["undo", "move"]);
        assert!(undone.status.success(), "{}", text(&undone.stderr));
        assert_eq!((dir.bytes(), sizes_and_modes(&dir)), (before, faces_before));
    }
    assert!(written > 0, "no kill came while notes were written");
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
