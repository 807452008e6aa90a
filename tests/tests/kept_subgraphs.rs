//! A subgraph that is kept per thread in a file: every turn, answer, fork and pruning by a process of its own.

use std::sync::Arc;

use graphloom_checkpoint_sqlite::SqliteCheckpointer;
use graphloom_core_graph::checkpoint::{Checkpointer, HistoryFilter, Retention, delete_runs, fork_thread, runs};
use graphloom_core_graph::{
    App, Context, Durability, Log, Node, NodeError, Outcome, Persistence, RunPolicy, START, Snapshot, State,
    StateGraph, Thread,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Talk {
    #[state(append)]
    said: Log<String>,
}

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Memory {
    #[state(append)]
    words: Log<String>,
}

const LISTEN: Node = Node::named("listen");
const INNER: Node = Node::named("inner");
const OUTER: Node = Node::named("outer");

/// Asks for a word in every call and tells all that it has heard, from two levels down.
fn talk() -> App<Talk> {
    let mut inner = StateGraph::<Memory>::new("inner");
    inner
        .add_node(LISTEN, |memory: Snapshot<Memory>, cx: Context| async move {
            let word: String = cx.ask("word", &memory.words.len()).await?;
            Ok::<_, NodeError>(Memory::update().words([word]))
        })
        .asks::<String>("word");
    inner.add_edge(START, LISTEN);
    let mut outer = StateGraph::<Memory>::new("outer");
    outer
        .add_subgraph(
            INNER,
            inner.compile().unwrap(),
            |_: &Memory| Memory::update(),
            |child| {
                let words: Vec<_> = child.done()?.words.iter().cloned().collect();
                Ok::<_, NodeError>(Memory::update().words([words.join("+")]))
            },
        )
        .persistence(Persistence::PerThread);
    outer.add_edge(START, INNER);
    let mut graph = StateGraph::<Talk>::new("talk");
    graph
        .add_subgraph(
            OUTER,
            outer.compile().unwrap(),
            |_: &Talk| Talk::update(),
            |child| {
                let last = child.done()?.words.iter().next_back().cloned().unwrap_or_default();
                Ok::<_, NodeError>(Talk::update().said([last]))
            },
        )
        .persistence(Persistence::PerThread);
    graph.add_edge(START, OUTER);
    graph.compile().unwrap().with_context(())
}

struct Place {
    path: std::path::PathBuf,
    durability: Durability,
}

impl Place {
    fn store(&self) -> Arc<dyn Checkpointer> {
        Arc::new(SqliteCheckpointer::open(&self.path).unwrap())
    }

    fn thread(&self, id: &str) -> Thread<Talk> {
        let policy = RunPolicy::default().durability(self.durability);
        talk().with_shared_checkpointer(self.store()).thread(id.to_owned()).policy(policy)
    }

    /// One turn, in two processes: the question and the answer.
    async fn turn(&self, id: &str, word: &str) -> String {
        let Outcome::Waiting(questions) = self.thread(id).run(Talk::update()).await.unwrap() else { panic!("it asks") };
        let heard = questions.iter().next().unwrap().payload.as_u64().unwrap();
        let answer = questions.answer("word", word).unwrap();
        let state = self.thread(id).resume(answer).await.unwrap().done().unwrap();
        let last = state.said.iter().next_back().cloned().unwrap();
        assert_eq!(last.split('+').count() as u64, heard + 1);
        last
    }

    async fn head(&self, id: &str) -> u64 {
        self.thread(id).state().await.unwrap().checkpoint.unwrap().number
    }
}

#[tokio::test]
async fn a_kept_subgraph_goes_through_processes_forks_and_pruning() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let directory = tempfile::tempdir().unwrap();
        let place = Place { path: directory.path().join("threads.db"), durability };
        assert_eq!(place.turn("t", "a").await, "a");
        let first = place.head("t").await;
        assert_eq!(place.turn("t", "b").await, "a+b");
        let second = place.head("t").await;
        assert_eq!(place.turn("t", "c").await, "a+b+c");
        assert_eq!(place.store().namespaces("t").await.unwrap(), ["", "outer", "outer/inner"], "{durability:?}");

        place.thread("t").at(first).fork().await.unwrap();
        assert_eq!(place.turn("t", "d").await, "a+d");
        place.thread("t").at(second).fork().await.unwrap();
        assert_eq!(place.turn("t", "e").await, "a+b+e", "{durability:?}");

        fork_thread(&*place.store(), "t", first, "copy", false).await.unwrap();
        assert_eq!(place.turn("copy", "f").await, "a+f");

        let store = place.store();
        let last = runs(&*store, "t").await.unwrap();
        let turn: Vec<u64> = last.iter().rev().take(2).map(|run| run.id).collect();
        delete_runs(&*store, "t", &turn).await.unwrap();
        drop(store);
        assert_eq!(place.turn("t", "g").await, "a+b+g", "the turn before was taken back");

        Retention::default().keep_last(2).drop_finished_subgraphs().prune(&*place.store(), "t", 0).await.unwrap();
        let kept = place.thread("t").history(&HistoryFilter::default()).await.unwrap();
        let oldest = kept.last().unwrap().number;
        assert_eq!(place.turn("t", "h").await, "a+b+g+h");
        place.thread("t").at(oldest).fork().await.unwrap();
        let state = place.thread("t").state().await.unwrap();
        let words = if state.state.said.iter().any(|said| said == "a+b+g") { "a+b+g+i" } else { "a+b+i" };
        let Outcome::Waiting(questions) = place.thread("t").abandon().run(Talk::update()).await.unwrap() else {
            panic!("it asks")
        };
        let state = place.thread("t").resume(questions.answer("word", "i").unwrap()).await.unwrap().done().unwrap();
        assert_eq!(state.said.iter().next_back().unwrap(), words, "{durability:?}");
    }
}
