//! `graphloom runs` over a database that a small graph wrote.

use graphloom::graph::{Context, END, NodeError, START, Snapshot, State, StateGraph, Step};
use graphloom::graph::{Node, Task};
use graphloom::sqlite::SqliteCheckpointer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{result, run};

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[state(crate = graphloom::graph)]
struct Word {
    #[state(append)]
    letters: graphloom::graph::Log<String>,
}

const SPLIT: Node = Node::named("split");
const SPELL: Task<String> = Task::named("spell");
const CHECK: Node = Node::named("check");

/// A fan-out of three, then a question for a person.
pub(crate) fn write_runs(file: &std::path::Path) {
    async fn split(_: Snapshot<Word>) -> Result<Step<Word>, NodeError> {
        Ok(Step::send(["a", "b", "c"].map(|letter| SPELL.send(letter, letter.to_owned()))))
    }
    async fn spell(letter: String, _: Snapshot<Word>, cx: Context) -> Result<WordUpdate, NodeError> {
        let said: String = cx.once("say", async { Ok(letter) }).await?;
        Ok(Word::update().letters([said]))
    }
    async fn check(word: Snapshot<Word>, cx: Context) -> Result<Step<Word>, NodeError> {
        let _: bool = cx.ask("right", &word.letters).await?;
        Ok(Step::goto(END))
    }
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let mut graph = StateGraph::<Word>::new("words");
    graph.add_node(SPLIT, split).may_send(SPELL);
    graph.add_task(SPELL, spell);
    graph.add_node(CHECK, check).asks::<bool>("right").may_goto(END);
    graph.add_edge(START, SPLIT).add_join(SPELL, CHECK);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let threads = graph.compile().unwrap().with_checkpointer(SqliteCheckpointer::open(file).unwrap());
        threads.thread("abc").run(Word::update()).await.unwrap();
    });
}

#[test]
fn runs_are_listed_shown_and_drawn() {
    let place = tempfile::tempdir().unwrap();
    write_runs(&place.path().join("home/threads.db"));

    let (status, stdout, stderr) = run(place.path(), &["runs", "list"]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    let line = stdout.lines().nth(1).unwrap();
    assert!(line.starts_with("abc  words  waiting"), "{stdout}");
    assert!(line.contains("`right`"), "{stdout}");

    let (status, stdout, _) = run(place.path(), &["--json", "runs", "show", "abc"]);
    assert_eq!(status, 0);
    let shown = &result(&stdout)["result"];
    assert_eq!(shown["summary"]["status"], "waiting");
    let events: Vec<&str> = shown["events"].as_array().unwrap().iter().map(|e| e["event"].as_str().unwrap()).collect();
    assert_eq!((events[0], *events.last().unwrap()), ("run_started", "run_ended"));
    assert!(events.contains(&"question"));
    assert!(shown["checkpoints"].as_array().unwrap().len() >= 3);

    let (_, stdout, _) = run(place.path(), &["runs", "graph", "abc", "--json"]);
    let path = &result(&stdout)["result"];
    assert_eq!(path["nodes"][2], json!({"name": "spell", "runs": 3, "retries": 0, "failures": 0}), "{path}");
    let edges = path["edges"].as_array().unwrap();
    assert!(edges.contains(&json!({"from": "split", "to": "spell", "times": 3})), "{path}");

    let (_, mermaid, _) = run(place.path(), &["runs", "graph", "abc"]);
    assert!(mermaid.starts_with("flowchart TD\n") && mermaid.contains("spell<br/>3 runs"), "{mermaid}");
    let (_, dot, _) = run(place.path(), &["runs", "graph", "abc", "--format", "dot"]);
    assert!(dot.starts_with("digraph run {") && dot.contains("spell\\n3 runs"), "{dot}");
}

#[test]
fn a_run_that_is_not_there_is_an_error_that_helps() {
    let place = tempfile::tempdir().unwrap();
    let (status, stdout, stderr) = run(place.path(), &["runs", "list"]);
    assert_eq!((status, stdout.as_str()), (0, ""));
    assert!(stderr.contains("there are no runs in"), "{stderr}");
    assert!(!place.path().join("home").exists(), "looking must not make a database");
    assert_eq!(run(place.path(), &["runs", "show", "abc"]).0, 2);

    write_runs(&place.path().join("home/threads.db"));
    let (status, _, stderr) = run(place.path(), &["runs", "show", "acb"]);
    assert_eq!(status, 2);
    assert!(stderr.contains("there is no run `acb`") && stderr.contains("did you mean `abc`?"), "{stderr}");
}

#[test]
fn a_file_that_is_no_database_is_named() {
    let place = tempfile::tempdir().unwrap();
    std::fs::create_dir(place.path().join("home")).unwrap();
    std::fs::write(place.path().join("home/threads.db"), "not a database, but a text of some length".repeat(40))
        .unwrap();
    let (status, stdout, stderr) = run(place.path(), &["runs", "list", "--json"]);
    assert_eq!(status, 1);
    assert!(stderr.contains("threads.db") && stderr.contains("not a"), "{stderr}");
    assert_eq!(result(&stdout)["status"], "failed");
}

#[test]
fn checkpoints_are_compared() {
    let place = tempfile::tempdir().unwrap();
    write_runs(&place.path().join("home/threads.db"));
    let (status, stdout, stderr) = run(place.path(), &["runs", "diff", "abc"]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    assert!(stdout.starts_with("--- abc at checkpoint 1\n+++ abc at checkpoint "), "{stdout}");
    assert!(stdout.contains("letters\n"), "{stdout}");
    for letter in ["a", "b", "c"] {
        assert!(stdout.contains(&format!("[\"{letter}\"]")) || stdout.contains(&format!("\"{letter}\"")), "{stdout}");
    }
    let (_, stdout, _) = run(place.path(), &["--json", "runs", "diff", "abc", "--from", "2", "--to", "2"]);
    assert_eq!(result(&stdout)["result"]["fields"], json!([]));
    let (status, _, stderr) = run(place.path(), &["runs", "diff", "abc", "--to", "99"]);
    assert!(status == 1 && stderr.contains("has no checkpoint 99"), "{stderr}");
    let (status, _, stderr) = run(place.path(), &["runs", "diff", "abc", "abd"]);
    assert!(status == 2 && stderr.contains("did you mean `abc`?"), "{stderr}");
}

#[test]
fn a_run_is_forked_to_a_new_one() {
    let place = tempfile::tempdir().unwrap();
    write_runs(&place.path().join("home/threads.db"));
    let (status, stdout, stderr) = run(place.path(), &["runs", "fork", "abc", "--at", "2", "--to", "again"]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    assert!(stdout.contains("run `again` stands at checkpoint 2 of `abc`; it is drained"), "{stdout}");
    let (_, stdout, _) = run(place.path(), &["--json", "runs", "diff", "abc", "again", "--from", "2"]);
    assert_eq!(result(&stdout)["result"]["fields"], json!([]), "it stands where the run stood");
    for (arguments, expected) in [
        (["abc", "--at", "2", "--to", "again"], "exists already"),
        (["abc", "--at", "77", "--to", "x"], "has no checkpoint 77"),
        (["abc", "--at", "2", "--to", "../x"], "is no id of a run"),
        (["nobody", "--at", "2", "--to", "x"], "there is no run `nobody`"),
    ] {
        let (status, _, stderr) = run(place.path(), &[&["runs", "fork"][..], &arguments].concat());
        assert!(status != 0 && stderr.contains(expected), "{arguments:?}: {stderr}");
    }
    let reused = ["runs", "fork", "abc", "--at", "2", "--to", "cheap", "--reuse-results"];
    let (_, stdout, stderr) = run(place.path(), &reused);
    assert!(stdout.contains("3 results of finished calls are taken over"), "{stdout}{stderr}");
    let (_, stdout, _) = run(place.path(), &["--json", "runs", "list"]);
    assert_eq!(result(&stdout)["result"]["runs"].as_array().unwrap().len(), 3);
}

#[test]
fn old_checkpoints_are_pruned_and_the_run_stays() {
    let place = tempfile::tempdir().unwrap();
    write_runs(&place.path().join("home/threads.db"));
    let checkpoints = || {
        let (_, stdout, _) = run(place.path(), &["--json", "runs", "show", "abc"]);
        result(&stdout)["result"]["checkpoints"].as_array().unwrap().len()
    };
    let all = checkpoints();
    let (status, stdout, _) = run(place.path(), &["runs", "prune", "--all", "--keep", "1", "--dry-run"]);
    assert!(status == 0 && stdout.contains("abc would lose"), "{stdout}");
    assert_eq!(checkpoints(), all);
    let (status, stdout, stderr) = run(place.path(), &["--json", "runs", "prune", "abc", "--keep", "1"]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    assert_eq!(result(&stdout)["result"]["runs"][0]["checkpoints"], all - 1);
    assert_eq!(checkpoints(), 1);
    let (_, stdout, _) = run(place.path(), &["runs", "list"]);
    assert!(stdout.contains("abc  words  waiting") && stdout.contains("`right`"), "{stdout}");
    let limits = ["--older-than", "30d", "--max-size", "10MB", "--finished-parts", "--journal"];
    let (status, _, stderr) = run(place.path(), &[&["runs", "prune", "--all"][..], &limits].concat());
    assert_eq!((status, stderr.as_str()), (0, ""));

    for arguments in
        [&["--all"][..], &["--keep", "1"], &["abc", "--all", "--keep", "1"], &["abc", "--older-than", "1w"]]
    {
        let (status, _, stderr) = run(place.path(), &[&["runs", "prune"], arguments].concat());
        assert!(status == 2 && !stderr.is_empty(), "{arguments:?}: {stderr}");
    }
    let (status, _, stderr) = run(place.path(), &["runs", "prune", "abd", "--keep", "1"]);
    assert!(status == 2 && stderr.contains("did you mean `abc`?"), "{stderr}");
}
