//! A file holds the same bytes in every row whether steps come in compact form or as rows.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::path::Path;

use graphloom_checkpoint_sqlite::SqliteCheckpointer;
use graphloom_core_graph::__private::FastPath;
use graphloom_core_graph::{
    ChildOutcome, Clock, Compiled, Durability, END, Log, Node, NodeError, RunPolicy, START, Snapshot, State, StateGraph,
};
use rusqlite::Connection;
use rusqlite::types::Value;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Walk {
    steps: u64,
    #[state(add)]
    sum: u64,
    #[state(append)]
    notes: Log<String>,
    text: String,
}

const LEFT: Node = Node::named("left");
const RIGHT: Node = Node::named("right");
const INSIDE: Node = Node::named("inside");

struct Noon;

impl Clock for Noon {
    fn now(&self) -> u64 {
        1_763_000_000_000
    }
}

/// Changes one field or several, now and then to a text that is too long for the compact form, or for the row.
async fn walk(walk: Snapshot<Walk>) -> Result<WalkUpdate, NodeError> {
    let steps = walk.steps + 1;
    let mut update = Walk::update().steps(steps);
    if steps.is_multiple_of(2) {
        update = update.sum(steps);
    }
    if steps.is_multiple_of(3) {
        update = update.notes([format!("note {steps}")]);
    }
    if steps.is_multiple_of(17) {
        update = update.text("x".repeat(if steps == 34 { 70_000 } else { 300 * (steps as usize % 5) }));
    }
    Ok(update)
}

fn turns(most: u64) -> StateGraph<Walk> {
    let mut graph = StateGraph::<Walk>::new("turns");
    graph.add_node(LEFT, walk);
    graph.add_node(RIGHT, walk);
    graph.add_edge(START, LEFT).add_edge(LEFT, RIGHT);
    graph.add_conditional_edges(
        RIGHT,
        [LEFT, END],
        move |walk: &Walk| if walk.steps.is_multiple_of(most) { END } else { LEFT },
    );
    graph
}

/// The turns in a subgraph, between steps of the root.
fn inside() -> Compiled<Walk> {
    let mut graph = StateGraph::<Walk>::new("outside");
    graph.add_node(LEFT, walk);
    graph.add_node(RIGHT, walk);
    graph.add_subgraph(
        INSIDE,
        turns(40).compile().unwrap(),
        |_: &Walk| Walk::update(),
        |child: ChildOutcome<Walk>| Ok::<_, NodeError>(Walk::update().sum(child.done()?.sum)),
    );
    graph.add_edge(START, LEFT).add_edge(LEFT, RIGHT).add_edge(RIGHT, INSIDE);
    graph.compile().unwrap()
}

/// Every row of every table.
fn rows(path: &Path) -> Vec<(String, Vec<Value>)> {
    let file = Connection::open(path).unwrap();
    let mut tables = file.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").unwrap();
    let tables: Vec<String> = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let mut all = Vec::new();
    for table in tables {
        let mut select = file.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = select.column_count();
        let values = select.query_map([], |row| (0..columns).map(|at| row.get(at)).collect()).unwrap();
        let mut values: Vec<Vec<Value>> = values.map(Result::unwrap).collect();
        values.sort_by_key(|row| format!("{row:?}"));
        all.extend(values.into_iter().map(|row| (table.clone(), row)));
    }
    all
}

/// Two threads that run twice, one of a loop and one of a loop in a subgraph.
async fn written(path: &Path, policy: RunPolicy) -> Vec<(String, Vec<Value>)> {
    let store = SqliteCheckpointer::open(path).unwrap();
    for (thread, graph) in [("loop", turns(100).compile().unwrap()), ("inside", inside())] {
        let threads = graph.with_checkpointer(store.clone()).with_clock(std::sync::Arc::new(Noon));
        let thread = threads.thread(thread).policy(policy.clone());
        for _ in 0..2 {
            thread.run(Walk::update()).await.unwrap();
        }
    }
    drop(store);
    rows(path)
}

#[tokio::test]
async fn a_file_is_the_same_whether_steps_come_in_compact_form_or_as_rows() {
    let folder = tempfile::tempdir().unwrap();
    for durability in [Durability::Sync, Durability::Async] {
        let policy = RunPolicy::default().durability(durability);
        let compact = written(&folder.path().join(format!("compact-{durability:?}")), policy.clone()).await;
        let policy = policy.without(FastPath::CompactSteps);
        let rows = written(&folder.path().join(format!("rows-{durability:?}")), policy).await;
        let of = |table| rows.iter().filter(|(name, _)| name == table).count();
        assert!(of("checkpoints") > 200 && of("fields") > 300 && of("journal") > 200 && of("blobs") == 1);
        assert_eq!(compact.len(), rows.len());
        for (compact, row) in compact.iter().zip(&rows) {
            assert_eq!(compact, row);
        }
    }
}
