//! Drawings of a large tree: made at once, in parts, within the terminal, and ended by a signal.

use std::io::Read;
use std::process::Command;
use std::sync::Arc;

use graphloom_agents::Models;
use graphloom_cli::{DataDir, RunStore, time_text};
use graphloom_llm::{ChatRequest, ModelError, Scripted};
use graphloom_state_machine::{FailurePolicy, NewNode, TaskAction, TreeChange};
use graphloom_writehere::{Resources, Task, TaskInfo, TaskType, Tree, Writing, graph};

use crate::support::{TestDir, text};

/// Tasks of a tree of eight parts in each of three layers, each part waiting for those before it.
const TASKS: usize = 1 + 8 + 64 + 512 + 512;

fn part(id: &str) -> Task {
    let goal = format!("Write part {id} of a long book on the sea, its tides & its ships, at the length that it needs");
    let (id, length) = (id.to_owned(), Some("300 words".to_owned()));
    Task::new(TaskInfo { id, goal, task_type: TaskType::Write, length, dependency: Vec::new() })
}

/// All changes from the first task to the last.
fn book() -> TreeChange<Task> {
    let start = TreeChange::Start { payload: Task::root("A book on the sea", None), policy: FailurePolicy::Degrade };
    let mut tree = Tree::default();
    tree.apply(start.clone());
    let mut changes = vec![start];
    while let Some(next) = tree.next_in_level_order() {
        let change = match next.action {
            TaskAction::Plan if next.node.layer() < 3 => {
                let id = |place: u32| next.node.child(place).to_string();
                let nodes = (1..=8).map(|place| NewNode::plan(id(place), (1..place).map(id), part(&id(place))));
                TreeChange::planned(next.node.clone(), nodes.collect())
            }
            TaskAction::Plan => TreeChange::planned(next.node.clone(), vec![NewNode::execution(part("0"))]),
            action => TreeChange::acted(next.node, action),
        };
        tree.try_apply(change.clone()).unwrap();
        changes.push(change);
    }
    assert_eq!(tree.len(), TASKS);
    TreeChange::All(changes)
}

/// A directory that has the run `book`.
fn stored() -> TestDir {
    let dir = TestDir::new();
    let nobody = Scripted::from_fn(|_: &ChatRequest| {
        Err::<String, _>(ModelError::Setup { message: "nothing is asked".to_owned() })
    });
    let mut resources = Resources::report(Models::new(Arc::new(nobody))).unwrap();
    resources.time = time_text;
    let home = dir.path("home");
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let store = RunStore::in_file(&DataDir::new(Some(&home)).unwrap()).unwrap().checkpointer();
        let runs = graph().with_context(resources).with_shared_checkpointer(store);
        runs.thread("book").run(Writing::update().tree(book())).await.unwrap();
    });
    dir
}

#[test]
fn a_tree_of_a_thousand_tasks_is_drawn_whole_and_in_parts() {
    let dir = stored();
    let drawn = |args: &[&str]| {
        let output = dir.command(&[&["tree", "book"], args].concat()).env("COLUMNS", "70").output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    let svg = drawn(&["--format", "svg"]);
    assert_eq!(svg.matches("<rect").count(), TASKS - 512, "an atomic task is one box");
    assert_eq!(svg.matches("marker-end").count(), (1 + 8 + 64) * 7, "one arrow from each part to the next");

    let whole = drawn(&[]);
    assert_eq!(whole.lines().count(), TASKS);
    let width = |line: &str| -> usize { line.chars().map(|c| if c.is_ascii() || c == '…' { 1 } else { 2 }).sum() };
    assert!(whole.lines().all(|line| width(line) <= 70), "{whole}");
    assert!(whole.lines().all(|line| line.contains(": FINISH")), "the goal is shortened, not the status");
    let files: Vec<String> = ["text", "mermaid"]
        .map(|format| {
            let file = format!("tree.{format}");
            drawn(&["--format", format, "-o", &file]);
            dir.read(&file)
        })
        .into();
    assert!(files[0].contains("at the length that it needs"), "a file has whole lines");
    assert!(files[1].contains("n_8_8_8_0"));

    let layer = drawn(&["--depth", "1"]);
    assert_eq!(layer.lines().count(), 9, "{layer}");
    assert!(layer.contains("[136 tasks inside]"), "{layer}");
    let inside = drawn(&["--node", "3.2", "--depth", "1", "--format", "json"]);
    let inside: serde_json::Value = serde_json::from_str(&inside).unwrap();
    assert_eq!(inside["hashkey"], "3.2");
    let nodes = inside["inner_graph"]["node_list"].as_array().unwrap();
    assert_eq!((nodes.len(), &nodes[7]["inner_graph"]["node_list"]), (8, &serde_json::json!(["3.2.8.0"])));
    for format in ["svg", "dot", "mermaid"] {
        let shown = drawn(&["--node", "3.2", "--format", format]);
        assert!(shown.contains("3.2.8") && !shown.contains("3.3"), "{format}: {shown}");
    }
    let refused = dir.run(&["tree", "book", "--node", "9"]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    drawn(&["--format", "png", "-o", "tree.png"]);
    assert!(std::fs::read(dir.path("tree.png")).unwrap().starts_with(b"\x89PNG"));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_drawing() {
    let dir = stored();
    let pipe = dir.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut child = dir.command(&["tree", "book", "--format", "svg", "-o", "pipe"]).spawn().unwrap();
    // After the first byte the program is amid its writing, which ends for want of room: nobody reads the rest.
    let mut reader = std::fs::File::open(&pipe).unwrap();
    reader.read_exact(&mut [0]).unwrap();
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
