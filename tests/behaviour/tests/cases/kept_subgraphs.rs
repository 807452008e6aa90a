//! Subgraphs that are kept per thread: every turn, answer, fork and pruning by a process of its own.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::{Checkpointer, HistoryFilter, Retention, delete_runs, fork_thread, runs};
use graphloom_core_graph::{
    App, Context, Log, Node, NodeError, Outcome, Persistence, START, Snapshot, State, StateGraph, Thread,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::case_store::{CaseStore, on_every_store, until_free};

on_every_store!(
    feature_a_kept_subgraph_goes_through_processes_and_forks,
    feature_a_kept_subgraph_goes_through_pruning_and_copies,
);

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
            |_: &Talk| Memory::update(),
            |child| {
                let last = child.done()?.words.iter().next_back().cloned().unwrap_or_default();
                Ok::<_, NodeError>(Talk::update().said([last]))
            },
        )
        .persistence(Persistence::PerThread);
    graph.add_edge(START, OUTER);
    graph.compile().unwrap().with_context(())
}

/// The threads of a case, each call on them by a process of its own.
struct Talks<'g> {
    case_store: &'g CaseStore,
    id: String,
}

impl Talks<'_> {
    async fn store(&self) -> Arc<dyn Checkpointer> {
        self.case_store.opened_again().await
    }

    async fn thread(&self, id: &str) -> Thread<Talk> {
        let store = self.store().await;
        until_free(&*store, id).await;
        talk().with_shared_checkpointer(store).thread(id.to_owned()).policy(self.case_store.policy())
    }

    /// One turn, in two processes: the question and the answer.
    async fn turn(&self, id: &str, word: &str) -> String {
        let run = self.thread(id).await.abandon().run(Talk::update());
        let Outcome::Waiting(questions) = run.await.unwrap() else { panic!("it asks") };
        let heard = questions.iter().next().unwrap().payload.as_u64().unwrap();
        let answer = questions.answer("word", word).unwrap();
        let state = self.thread(id).await.resume(answer).await.unwrap().done().unwrap();
        let last = state.said.iter().next_back().cloned().unwrap();
        assert_eq!(last.split('+').count() as u64, heard + 1);
        last
    }

    async fn head(&self) -> u64 {
        self.thread(&self.id).await.state().await.unwrap().checkpoint.unwrap().number
    }
}

async fn feature_a_kept_subgraph_goes_through_processes_and_forks(case_store: &CaseStore) {
    let talks = Talks { case_store, id: case_store.id() };
    let id = talks.id.as_str();
    assert_eq!(talks.turn(id, "a").await, "a");
    let first = talks.head().await;
    assert_eq!(talks.turn(id, "b").await, "a+b");
    let second = talks.head().await;
    assert_eq!(talks.turn(id, "c").await, "a+b+c");
    assert_eq!(talks.store().await.namespaces(id).await.unwrap(), ["", "outer", "outer/inner"]);
    talks.thread(id).await.at(first).fork().await.unwrap();
    assert_eq!(talks.turn(id, "d").await, "a+d");
    talks.thread(id).await.at(second).fork().await.unwrap();
    assert_eq!(talks.turn(id, "e").await, "a+b+e");
}

async fn feature_a_kept_subgraph_goes_through_pruning_and_copies(case_store: &CaseStore) {
    let talks = Talks { case_store, id: case_store.id() };
    let id = talks.id.as_str();
    talks.turn(id, "a").await;
    let first = talks.head().await;
    talks.turn(id, "b").await;
    let copy = case_store.id();
    fork_thread(&*talks.store().await, id, first, &copy, false).await.unwrap();
    assert_eq!(talks.turn(&copy, "c").await, "a+c");

    assert_eq!(talks.turn(id, "d").await, "a+b+d");
    let store = talks.store().await;
    let all = runs(&*store, id).await.unwrap();
    let turn: Vec<u64> = all.iter().rev().take(2).map(|run| run.id).collect();
    delete_runs(&*store, id, &turn).await.unwrap();
    assert_eq!(talks.turn(id, "e").await, "a+b+e", "the turn before was taken back");

    Retention::default().keep_last(2).drop_finished_subgraphs().prune(&*store, id, 0).await.unwrap();
    let kept = talks.thread(id).await.history(&HistoryFilter::default()).await.unwrap();
    let oldest = kept.last().unwrap().number;
    let before = talks.thread(id).await.at(oldest).state().await.unwrap().state;
    assert_eq!(talks.turn(id, "f").await, "a+b+e+f");
    talks.thread(id).await.at(oldest).fork().await.unwrap();
    let last = before.said.iter().next_back().cloned().unwrap();
    assert_eq!(talks.turn(id, "g").await, format!("{last}+g"), "a checkpoint that is kept has its subgraphs");
}
