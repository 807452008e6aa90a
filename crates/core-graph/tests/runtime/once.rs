//! Durable steps: never repeated once their result is stored, in every durability.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use graphloom_core_graph::checkpoint::{
    CheckpointError, Checkpointer, CheckpointerLayer, MemoryCheckpointer, TaskRecord,
};
use graphloom_core_graph::{
    Context, Durability, END, Node, NodeError, Outcome, Retry, RunPolicy, START, Snapshot, StateGraph,
};

use crate::log::{Build, Calls, Noted, Work, done, failed, noted, thread};

const WORK: Node = Node::named("work");

async fn effect(calls: &Calls, name: &str) -> Result<String, NodeError> {
    calls.add(name);
    Ok(format!("{name}{}", calls.count(name)))
}

#[tokio::test]
async fn a_durable_step_is_not_repeated_by_a_retry() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let calls = Calls::default();
        let mut graph = StateGraph::<Work>::new("g");
        let seen = calls.clone();
        graph
            .add_node(WORK, move |_: Snapshot<Work>, cx: Context| {
                let calls = seen.clone();
                async move {
                    let text = cx.once("step", effect(&calls, "e")).await?;
                    if cx.task().attempt < 3 {
                        return Err(NodeError::retryable("again"));
                    }
                    Noted::Ok(noted(text))
                }
            })
            .retry(Retry::immediate(3));
        graph.add_edge(START, WORK);
        let thread = thread(graph).policy(RunPolicy::default().durability(durability));
        assert_eq!(done(thread.run(Work::update()).await).story(), "e1", "{durability:?}");
        assert_eq!(calls.count("e"), 1);
    }
}

#[tokio::test]
async fn a_durable_step_survives_failure_and_questions() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let (calls, broken) = (Calls::default(), Arc::new(AtomicUsize::new(1)));
        let mut graph = StateGraph::<Work>::new("g");
        let seen = calls.clone();
        graph
            .add_node(WORK, move |_: Snapshot<Work>, cx: Context| {
                let (calls, broken) = (seen.clone(), Arc::clone(&broken));
                async move {
                    let one = cx.once("one", effect(&calls, "one")).await?;
                    if broken.swap(0, Ordering::SeqCst) == 1 {
                        return Err(NodeError::terminal("broken"));
                    }
                    let answer: String = cx.ask("name", "?").await?;
                    let two = cx.once("two", effect(&calls, "two")).await?;
                    Noted::Ok(noted(format!("{one} {answer} {two}")))
                }
            })
            .asks::<String>("name");
        graph.add_edge(START, WORK);
        let thread = thread(graph).policy(RunPolicy::default().durability(durability));
        failed(thread.run(Work::update()).await);
        let Outcome::Waiting(questions) = thread.continue_().await.unwrap() else { panic!("it waits") };
        let work = done(thread.resume(questions.answer("name", "Ada").unwrap()).await);
        assert_eq!(work.story(), "one1 Ada two1");
        assert_eq!(calls.all(), ["one", "two"]);
    }
}

#[tokio::test]
async fn one_key_twice_in_an_attempt_is_an_error() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(WORK, |_: Snapshot<Work>, cx: Context| async move {
        let calls = Calls::default();
        cx.once("k", effect(&calls, "a")).await?;
        cx.once("k", effect(&calls, "b")).await?;
        Noted::Ok(noted("-"))
    });
    graph.add_edge(START, WORK);
    insta::assert_snapshot!(failed(thread(graph).run(Work::update()).await), @"node `work` failed: the durable step `k` was begun twice in one attempt; give each step its own key, for instance with a counter");
}

#[tokio::test]
async fn an_error_is_not_kept() {
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    let seen = calls.clone();
    graph
        .add_node(WORK, move |_: Snapshot<Work>, cx: Context| {
            let calls = seen.clone();
            async move {
                let step = async {
                    calls.add("try");
                    if calls.count("try") < 2 { Err(NodeError::retryable("not yet")) } else { Ok("good".to_owned()) }
                };
                let text = cx.once("step", step).await?;
                Noted::Ok(noted(text))
            }
        })
        .retry(Retry::immediate(2));
    graph.add_edge(START, WORK);
    assert_eq!(done(thread(graph).run(Work::update()).await).story(), "good");
}

#[tokio::test]
async fn each_task_has_its_own_steps() {
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    let seen = calls.clone();
    graph.add_node(WORK, move |_: Snapshot<Work>, cx: Context| {
        let calls = seen.clone();
        async move {
            let text = cx.once("step", effect(&calls, "e")).await?;
            Noted::Ok(noted(text).count(1))
        }
    });
    graph.add_edge(START, WORK);
    graph.add_conditional_edges(WORK, [WORK, graphloom_core_graph::END], |work: &Work| {
        if work.count < 3 { WORK } else { graphloom_core_graph::END }
    });
    assert_eq!(done(thread(graph).run(Work::update()).await).story(), "e1 e2 e3");
}

#[tokio::test]
async fn the_idempotency_key_is_of_the_task_not_of_the_attempt() {
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    let seen = calls.clone();
    graph
        .add_node(WORK, move |_: Snapshot<Work>, cx: Context| {
            let calls = seen.clone();
            async move {
                calls.add(cx.idempotency_key());
                if cx.task().attempt == 1 { Err(NodeError::retryable("again")) } else { Noted::Ok(noted("-")) }
            }
        })
        .retry(Retry::immediate(2));
    graph.add_edge(START, WORK);
    done(thread(graph).run(Work::update()).await);
    assert_eq!(calls.all(), ["t/work:1.0", "t/work:1.0"]);
}

/// Counts the records of tasks that are read.
struct CountedRecords {
    store: MemoryCheckpointer,
    read: Arc<AtomicUsize>,
}

impl CountedRecords {
    fn count(&self, records: Vec<TaskRecord>) -> Vec<TaskRecord> {
        self.read.fetch_add(records.len(), Ordering::SeqCst);
        records
    }
}

#[async_trait::async_trait]
impl CheckpointerLayer for CountedRecords {
    fn inner(&self) -> &dyn Checkpointer {
        &self.store
    }

    async fn task_records(&self, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, CheckpointError> {
        Ok(self.count(self.store.task_records(thread, ns).await?))
    }

    async fn open_records(&self, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, CheckpointError> {
        Ok(self.count(self.store.open_records(thread, ns).await?))
    }

    async fn once_records(
        &self,
        thread: &str,
        ns: &str,
        tasks: &[Arc<str>],
    ) -> Result<Vec<TaskRecord>, CheckpointError> {
        Ok(self.count(self.store.once_records(thread, ns, tasks).await?))
    }
}

#[tokio::test]
async fn a_thread_is_read_without_the_results_of_tasks_that_are_committed() {
    let (calls, read) = (Calls::default(), Arc::new(AtomicUsize::new(0)));
    let mut graph = StateGraph::<Work>::new("g");
    let seen = calls.clone();
    graph
        .add_node(WORK, move |work: Snapshot<Work>, cx: Context| {
            let calls = seen.clone();
            async move {
                let text = cx.once("step", effect(&calls, "e")).await?;
                if work.count == 20 {
                    cx.ask::<String>("more", &"?").await?;
                }
                Noted::Ok(noted(text).count(1))
            }
        })
        .asks::<String>("more");
    graph.add_edge(START, WORK);
    graph.add_conditional_edges(WORK, (WORK, END), |work: &Work| if work.count % 20 == 0 { END } else { WORK });
    let store = CountedRecords { store: MemoryCheckpointer::new(), read: Arc::clone(&read) };
    let thread = graph.built().with_checkpointer(store).thread("t");
    done(thread.run(Work::update()).await);
    read.store(0, Ordering::SeqCst);
    thread.state().await.unwrap();
    assert_eq!(read.load(Ordering::SeqCst), 0, "nothing is open");
    let Outcome::Waiting(questions) = thread.run(Work::update()).await.unwrap() else { panic!("it waits") };
    assert_eq!(read.swap(0, Ordering::SeqCst), 0, "nothing was open when the run began");
    done(thread.resume(questions.answer("more", "yes").unwrap()).await);
    assert_eq!(read.load(Ordering::SeqCst), 2, "the open task has its result and its question");
    assert_eq!(calls.count("e"), 40);
    read.store(0, Ordering::SeqCst);
    thread.at(20).reuse_once().replay().await.unwrap();
    assert!(read.load(Ordering::SeqCst) <= 1, "a fork takes over the results of its own tasks only");
}
