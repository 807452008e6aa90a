//! Looking at a conversation, and back in it.

use serde_json::{Value, json};

use crate::support::{DONE, TestDir, WAITING, result, said, text};

fn talked() -> TestDir {
    let dir = TestDir::new();
    dir.say("tides", WAITING);
    dir.say("reject: only neap tides", WAITING);
    dir.say("approve", WAITING);
    dir
}

/// The checkpoints, oldest first, with the node that was next.
fn checkpoints(dir: &TestDir) -> Vec<(u64, String)> {
    let history = result(&dir.run(&["history", "c1", "--json"]));
    let row = |row: &Value| (row["checkpoint"].as_u64().unwrap(), row["next"].as_str().unwrap().to_owned());
    history.as_array().unwrap().iter().map(row).collect()
}

#[test]
fn inspect_says_what_was_decided_and_why() {
    let dir = talked();
    let shown = said(&dir.run(&["inspect", "c1"]), DONE);
    for part in ["proposal-written", "queries-rejected", "queries: version 2", "proposal: version 1", "neap"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(shown, said(&dir.run(&["show", "c1"]), DONE));
    let session = dir.session();
    assert_eq!(session["params"]["do-generate-queries"]["feedback"], "only neap tides");
    assert_eq!(session["decision"]["rule"], "proposal-written");
    let runs = said(&dir.run(&["runs"]), DONE);
    assert!(runs.contains("c1") && runs.contains("waiting"), "{runs}");
}

#[test]
fn why_tells_what_a_decision_rested_on_also_when_the_turn_went_on() {
    let dir = talked();
    // The last message approved the queries; the decisions of its turn that came after hide that from `inspect`.
    let shown = said(&dir.run(&["why", "c1"]), DONE);
    for part in
        ["message: approve", "about: queries-2-", "queries-approved → ", "read by: `approve`", "proposal-written"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("queries-rejected"), "that is another turn: {shown}");

    let rows = result(&dir.run(&["history", "c1", "--json"]));
    let of = |rule: &str| {
        let row = rows.as_array().unwrap().iter().rfind(|row| row["rule"] == rule).unwrap();
        row["checkpoint"].as_u64().unwrap()
    };
    let earlier = result(&dir.run(&["why", "c1", &of("queries-rejected").to_string(), "--json"]));
    assert_eq!(earlier["message"], "reject: only neap tides");
    assert!(earlier["about"].as_str().unwrap().starts_with("queries-1-"), "{earlier:#}");
    assert_eq!(earlier["decisions"][0]["decision"]["rule"], "queries-rejected");
    assert_eq!(earlier["decisions"][0]["decision"]["facts"]["waiting"], "queries");

    let none = dir.run(&["why", "c1", "4000"]);
    assert_eq!(none.status.code(), Some(2), "{}", text(&none.stderr));
}

#[test]
fn history_and_diff_tell_what_changed() {
    let dir = talked();
    let rows = checkpoints(&dir);
    let listens: Vec<u64> = rows.iter().filter(|(_, next)| next == "listen").map(|(number, _)| *number).collect();
    assert_eq!(listens.len(), 3, "{rows:?}");
    let [first, second] = [listens[0].to_string(), listens[1].to_string()];
    let diff = said(&dir.run(&["diff", "c1", &first, &second]), DONE);
    for line in [
        "~ artifacts.queries.value.0.text: \"spring tides\" → \"neap tides\"",
        "~ artifacts.queries.version: 1 → 2",
        "- artifacts.queries.value.1.text: \"tides measured\"",
        "~ cycles.queries: 0 → 1",
        "+ params.do-generate-queries.existing.0: \"spring tides\"",
    ] {
        assert!(diff.contains(line), "{line}: {diff}");
    }
    assert_eq!(said(&dir.run(&["diff", "c1", &first, &first]), DONE), "");
}

#[test]
fn a_fork_and_a_replay_go_on_from_an_older_checkpoint() {
    let dir = talked();
    let rows = checkpoints(&dir);
    let (first, _) = rows.iter().find(|(_, next)| next == "listen").unwrap();
    assert!(said(&dir.run(&["fork", "c1", "--at", &first.to_string()]), DONE).contains("stands at checkpoint"));
    let session = dir.session();
    assert_eq!((&session["waiting_for"]["for"], &session["cycles"]["queries"]), (&json!("queries"), &json!(0)));
    assert!(dir.say("approve", WAITING).contains("# Tides in the long run"));

    let rows = checkpoints(&dir);
    let (write, _) = rows.iter().rev().find(|(_, next)| next == "write_proposal").unwrap();
    let replayed = dir.talk(&["replay", "c1", "--from", &write.to_string()]);
    assert!(said(&replayed, WAITING).contains("# Tides in the long run"));
    assert!(!text(&replayed.stderr).contains("searching"), "what lies before is not done again");
    assert!(dir.say("approve", DONE).contains("The proposal is done."));
}

#[test]
fn the_graph_shows_the_path_taken() {
    let dir = TestDir::new();
    let plain = said(&dir.run(&["graph"]), DONE);
    assert!(plain.starts_with("flowchart TD") && !plain.contains("classDef"), "{plain}");

    dir.say("tides", WAITING);
    let node = |drawn: &str, name: &str| {
        let line = drawn.lines().find(|line| line.contains(&format!("\"{name}\""))).unwrap().trim().to_owned();
        line.split(['[', '(']).next().unwrap().to_owned()
    };
    let drawn = said(&dir.run(&["graph", "c1"]), DONE);
    let taken = drawn.lines().find(|line| line.trim_start().starts_with("class ")).unwrap();
    let taken: Vec<&str> = taken.trim().trim_start_matches("class ").trim_end_matches(" taken").split(',').collect();
    for (name, there) in [
        ("START", true),
        ("open", true),
        ("router", true),
        ("generate_queries", true),
        ("review_queries", true),
        ("save", true),
        ("write_proposal", false),
        ("END", false),
    ] {
        assert_eq!(taken.contains(&node(&drawn, name).as_str()), there, "{name}: {drawn}");
    }
    assert!(
        drawn.contains("linkStyle ") && drawn.contains("%% path taken: open → router → generate_queries"),
        "{drawn}"
    );

    let dot = said(&dir.run(&["graph", "c1", "--format", "dot"]), DONE);
    let coloured =
        |name: &str| dot.lines().find(|line| line.contains(&format!("\"{name}\""))).unwrap().contains("color");
    assert!(coloured("router") && !coloured("write_proposal"), "{dot}");
    let svg = said(&dir.run(&["graph", "c1", "--format", "svg"]), DONE);
    assert!(svg.contains("<svg") && svg.contains("router") && svg.contains("#1a7f37"), "{svg}");
    let json: Value = serde_json::from_str(&said(&dir.run(&["graph", "c1", "--format", "json"]), DONE)).unwrap();
    assert!(json["path"]["edges"].as_array().unwrap().len() > 3, "{json:#}");

    dir.say("cancel", DONE);
    let ended = said(&dir.run(&["graph", "c1"]), DONE);
    let taken = ended.lines().find(|line| line.trim_start().starts_with("class ")).unwrap();
    assert!(taken.contains(&node(&ended, "END")), "{ended}");
}
