//! The behaviours that PocketFlow's own test-suite covers, case by case, on this crate's flows.

mod batch_flows;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use graphloom_core_graph::NodeError;
use graphloom_pocketflow::flow::{
    Attempts, BatchWork, BuiltFlow, Failures, Flow, FlowError, Label, Params, Store, Work,
};
use serde_json::{Value, json};

/// Changes `current` by a function and answers with a label.
struct Change(fn(i64) -> i64, fn(i64) -> &'static str);

#[async_trait]
impl Work for Change {
    type Prep = i64;
    type Exec = i64;

    async fn prep(&self, shared: &mut Store, _: &Params) -> Result<i64, NodeError> {
        Ok(shared.get("current").and_then(Value::as_i64).unwrap_or(0))
    }

    async fn exec(&self, current: &i64, _: u32) -> Result<i64, NodeError> {
        Ok(self.0(*current))
    }

    async fn post(&self, shared: &mut Store, _: i64, current: i64) -> Result<Label, NodeError> {
        shared.insert("current".to_owned(), json!(current));
        Ok(self.1(current).into())
    }
}

fn quiet(change: fn(i64) -> i64) -> Change {
    Change(change, |_| "default")
}

fn chain(name: &str, works: Vec<Change>) -> BuiltFlow {
    let mut flow = Flow::new(name);
    let places: Vec<_> = works.into_iter().enumerate().map(|(at, work)| flow.add(format!("n{at}"), work)).collect();
    flow.start(places[0]);
    for pair in places.windows(2) {
        flow.then(pair[0], pair[1]);
    }
    flow.build().expect("part of the test")
}

fn store(value: Value) -> Store {
    let Value::Object(fields) = value else { panic!("a store is an object") };
    fields
}

#[tokio::test]
async fn a_line_of_nodes() {
    let ended = chain("line", vec![quiet(|_| 5), quiet(|n| n + 10), quiet(|n| n * 2)])
        .run(Store::new())
        .await
        .expect("part of the test");
    assert_eq!((&ended.shared["current"], ended.path), (&json!(30), vec!["n0".into(), "n1".into(), "n2".into()]));
}

#[tokio::test]
async fn a_branch_by_label() {
    for (number, expected) in [(5, 15), (-5, -25)] {
        let mut flow = Flow::new("branch");
        let check = flow.add("check", Change(|n| n, |n| if n > 0 { "positive" } else { "negative" }));
        let add = flow.add("add", quiet(|n| n + 10));
        let subtract = flow.add("subtract", quiet(|n| n - 20));
        flow.start(check).on(check, "positive", add).on(check, "negative", subtract);
        let ended = flow
            .build()
            .expect("part of the test")
            .run(store(json!({ "current": number })))
            .await
            .expect("part of the test");
        assert_eq!(ended.shared["current"], expected);
    }
}

#[tokio::test]
async fn a_cycle_that_ends_with_a_signal() {
    let mut flow = Flow::new("cycle");
    let check = flow.add("check", Change(|n| n, |n| if n > 0 { "positive" } else { "negative" }));
    let subtract = flow.add("subtract", quiet(|n| n - 3));
    let end = flow.add("end", Change(|n| n, |_| "cycle_done"));
    flow.start(check).on(check, "positive", subtract).on(check, "negative", end).then(subtract, check);
    let ended =
        flow.build().expect("part of the test").run(store(json!({ "current": 10 }))).await.expect("part of the test");
    assert_eq!((&ended.shared["current"], ended.label.as_str()), (&json!(-2), "cycle_done"));
    assert!(ended.notes.is_empty());
}

#[tokio::test]
async fn a_label_without_an_edge_ends_the_flow_and_is_noted() {
    for label in ["default", "elsewhere"] {
        let mut flow = Flow::new("ends");
        let first = flow.add("first", if label == "default" { quiet(|_| 1) } else { Change(|_| 1, |_| "elsewhere") });
        let other = flow.add("other", quiet(|_| 2));
        flow.start(first).on(first, "known", other);
        let ended = flow.build().expect("part of the test").run(Store::new()).await.expect("part of the test");
        assert_eq!((&ended.shared["current"], ended.label.as_str()), (&json!(1), label));
        assert!(ended.notes[0].contains("`known`"), "{:?}", ended.notes);
    }
}

#[tokio::test]
async fn a_loop_has_a_limit() {
    let mut flow = Flow::new("endless");
    let first = flow.add("first", quiet(|n| n + 1));
    flow.start(first).then(first, first).max_steps(20);
    assert!(matches!(flow.build().expect("part of the test").run(Store::new()).await, Err(FlowError::Run { .. })));
}

#[test]
fn what_is_wrong_is_refused_when_the_flow_is_built() {
    let mut flow = Flow::new("doubled");
    let (a, b) = (flow.add("a", quiet(|n| n)), flow.add("b", quiet(|n| n)));
    flow.start(a).then(a, b).then(a, a);
    assert!(matches!(flow.build(), Err(FlowError::TwoSuccessors { .. })));

    let mut flow = Flow::new("headless");
    flow.add("a", quiet(|n| n));
    assert!(matches!(flow.build(), Err(FlowError::NoStart { .. })));

    let mut flow = Flow::new("island");
    let a = flow.add("a", quiet(|n| n));
    flow.add("b", quiet(|n| n));
    flow.start(a);
    assert!(matches!(flow.build(), Err(FlowError::Graph { .. })));
}

#[tokio::test]
async fn flows_are_nodes() {
    let inner = chain("inner", vec![quiet(|_| 5), quiet(|n| n + 3)]);
    let mut middle = Flow::new("middle");
    let (first, second) = (middle.add_flow("inner", inner), middle.add("double", quiet(|n| n * 4)));
    middle.start(first).then(first, second);
    let mut outer = Flow::new("outer");
    let only = outer.add_flow("middle", middle.build().expect("part of the test"));
    outer.start(only);
    assert_eq!(
        outer.build().expect("part of the test").run(Store::new()).await.expect("part of the test").shared["current"],
        32
    );
}

#[tokio::test]
async fn the_label_of_an_inner_flow_leads_the_outer_one() {
    let inner = chain("inner", vec![quiet(|_| 100), Change(|n| n, |_| "inner_done")]);
    let mut outer = Flow::new("outer");
    let first = outer.add_flow("inner", inner);
    let (a, b) = (outer.add("a", quiet(|_| 1)), outer.add("b", quiet(|_| 2)));
    outer.start(first).on(first, "inner_done", b).on(first, "other", a);
    let ended = outer.build().expect("part of the test").run(Store::new()).await.expect("part of the test");
    assert_eq!((&ended.shared["current"], ended.label), (&json!(2), Label::DEFAULT));
}

/// Fails the first attempts, and counts them.
struct Flaky {
    failures: u32,
    attempts: u32,
    wait: Duration,
    fallback: bool,
    tried: Arc<AtomicU32>,
}

impl Flaky {
    fn new(failures: u32, attempts: u32, fallback: bool) -> Self {
        Self { failures, attempts, wait: Duration::ZERO, fallback, tried: Arc::default() }
    }

    async fn run(self) -> Result<Store, FlowError> {
        let mut flow = Flow::new("flaky");
        let only = flow.add("only", self);
        flow.start(only);
        Ok(flow.build()?.run(Store::new()).await?.shared)
    }
}

#[async_trait]
impl Work for Flaky {
    type Prep = ();
    type Exec = String;

    async fn prep(&self, _: &mut Store, _: &Params) -> Result<(), NodeError> {
        Ok(())
    }

    async fn exec(&self, (): &(), attempt: u32) -> Result<String, NodeError> {
        assert_eq!(self.tried.fetch_add(1, Ordering::SeqCst) + 1, attempt);
        if attempt > self.failures { Ok("success".to_owned()) } else { Err(NodeError::retryable("not yet")) }
    }

    async fn exec_fallback(&self, (): &(), error: NodeError) -> Result<String, NodeError> {
        if self.fallback { Ok("fallback".to_owned()) } else { Err(error) }
    }

    async fn post(&self, shared: &mut Store, (): (), done: String) -> Result<Label, NodeError> {
        shared.insert("result".to_owned(), json!(done));
        Ok(Label::DEFAULT)
    }

    fn attempts(&self) -> Attempts {
        Attempts::new(self.attempts).wait(self.wait)
    }
}

#[tokio::test]
async fn retries_come_before_the_fallback() {
    for (failures, attempts, fallback, expected, tries) in [
        (0, 1, true, Some("success"), 1),
        (9, 2, true, Some("fallback"), 2),
        (2, 3, true, Some("success"), 3),
        (9, 3, true, Some("fallback"), 3),
        (9, 2, false, None, 2),
        // Where the original never runs at all, one attempt is made.
        (0, 0, true, Some("success"), 1),
    ] {
        let flaky = Flaky::new(failures, attempts, fallback);
        let tried = Arc::clone(&flaky.tried);
        let result = flaky.run().await.ok().and_then(|shared| shared["result"].as_str().map(str::to_owned));
        assert_eq!((result.as_deref(), tried.load(Ordering::SeqCst)), (expected, tries), "{failures} {attempts}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_wait_is_between_attempts_only() {
    let begun = tokio::time::Instant::now();
    Flaky { wait: Duration::from_secs(10), ..Flaky::new(2, 5, false) }.run().await.expect("part of the test");
    assert_eq!(begun.elapsed().as_secs(), 20);
}

/// Sums chunks of `numbers`.
struct Sums {
    chunk: usize,
    at_once: usize,
    failures: Failures,
    running: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Sums {
    fn new(chunk: usize, at_once: usize, failures: Failures) -> Self {
        Self { chunk, at_once, failures, running: Arc::default(), most: Arc::default() }
    }
}

#[async_trait]
impl BatchWork for Sums {
    type Item = Vec<i64>;
    type Exec = i64;

    async fn prep(&self, shared: &mut Store, _: &Params) -> Result<Vec<Vec<i64>>, NodeError> {
        let numbers: Vec<i64> = shared["numbers"].as_array().into_iter().flatten().filter_map(Value::as_i64).collect();
        Ok(numbers.chunks(self.chunk).map(<[i64]>::to_vec).collect())
    }

    async fn exec(&self, chunk: &Vec<i64>, attempt: u32) -> Result<i64, NodeError> {
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(running, Ordering::SeqCst);
        tokio::task::yield_now().await;
        self.running.fetch_sub(1, Ordering::SeqCst);
        if chunk.contains(&13) || (chunk.contains(&7) && attempt < 3) {
            return Err(NodeError::retryable("an unlucky number"));
        }
        Ok(chunk.iter().sum())
    }

    async fn post(
        &self,
        shared: &mut Store,
        chunks: Vec<Vec<i64>>,
        sums: Vec<Result<i64, NodeError>>,
    ) -> Result<Label, NodeError> {
        assert_eq!(chunks.len(), sums.len());
        shared.insert("sums".to_owned(), sums.iter().map(|sum| sum.as_ref().ok().copied()).collect());
        Ok("summed".into())
    }

    fn attempts(&self) -> Attempts {
        Attempts::new(3)
    }

    fn at_once(&self) -> usize {
        self.at_once
    }

    fn failures(&self) -> Failures {
        self.failures
    }
}

async fn sums(work: Sums, numbers: Value) -> Result<Value, FlowError> {
    let mut flow = Flow::new("sums");
    let only = flow.add_batch("only", work);
    flow.start(only);
    let ended = flow.build()?.run(store(json!({ "numbers": numbers }))).await?;
    assert_eq!(ended.label.as_str(), "summed");
    Ok(ended.shared["sums"].clone())
}

#[tokio::test]
async fn batches_keep_the_order_of_their_items() {
    for at_once in [0, 1, 2, 100] {
        for (numbers, chunk, expected) in [
            (json!([1, 2, 3, 4, 5, 6]), 2, json!([3, 7, 11])),
            (json!([1, 2, 3, 4, 5]), 2, json!([3, 7, 5])),
            (json!([1, 2, 3]), 1, json!([1, 2, 3])),
            (json!([]), 4, json!([])),
        ] {
            assert_eq!(
                sums(Sums::new(chunk, at_once, Failures::Stop), numbers).await.expect("part of the test"),
                expected
            );
        }
    }
}

#[tokio::test]
async fn parallel_batches_are_bounded() {
    let work = Sums::new(1, 3, Failures::Stop);
    let most = Arc::clone(&work.most);
    sums(work, (0..7).collect()).await.expect("part of the test");
    assert_eq!(most.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn every_item_has_its_own_attempts_and_result() {
    // 7 succeeds at the third attempt, 13 never: with shared counts one of the sevens would be lost.
    let numbers = json!([7, 1, 7, 13, 7]);
    let found = sums(Sums::new(1, 5, Failures::Collect), numbers.clone()).await.expect("part of the test");
    assert_eq!(found, json!([7, 1, 7, null, 7]));
    assert!(matches!(sums(Sums::new(1, 5, Failures::Stop), numbers).await, Err(FlowError::Run { .. })));
}

/// Writes its parameters to the store under the group and item they name.
struct Note;

#[async_trait]
impl Work for Note {
    type Prep = Params;
    type Exec = ();

    async fn prep(&self, _: &mut Store, params: &Params) -> Result<Params, NodeError> {
        Ok(params.clone())
    }

    async fn exec(&self, params: &Params, _: u32) -> Result<(), NodeError> {
        if params.get("item") == Some(&json!("bad")) { Err(NodeError::terminal("a bad item")) } else { Ok(()) }
    }

    async fn post(&self, shared: &mut Store, params: Params, (): ()) -> Result<Label, NodeError> {
        let seen = shared.entry("seen").or_insert_with(|| json!([]));
        seen.as_array_mut().expect("part of the test").push(Value::Object(params));
        Ok(Label::DEFAULT)
    }
}

fn note_flow() -> BuiltFlow {
    let mut flow = Flow::new("note");
    let only = flow.add("note", Note);
    flow.start(only).params(store(json!({ "item": "default", "scale": 2 })));
    flow.build().expect("part of the test")
}

fn items(of: &Value) -> Vec<Params> {
    of.as_array().into_iter().flatten().map(|item| store(json!({ "item": item }))).collect()
}

#[tokio::test]
async fn a_flow_runs_for_each_set_of_parameters() {
    let run = async |wanted: Value| {
        let mut flow = Flow::new("each");
        let only = flow.add_for_each("notes", note_flow(), |shared, _| Ok(items(&shared["items"])));
        flow.start(only);
        flow.build().expect("part of the test").run(store(json!({ "items": wanted }))).await
    };
    let seen = run(json!(["x", "y"])).await.expect("part of the test").shared["seen"].clone();
    assert_eq!(seen, json!([{ "item": "x", "scale": 2 }, { "item": "y", "scale": 2 }]), "parameters are merged");
    assert_eq!(run(json!([])).await.expect("part of the test").shared.get("seen"), None);
    assert!(run(json!(["x", "bad"])).await.expect_err("refused").to_string().contains("a bad item"));
}

#[tokio::test]
async fn batches_of_flows_nest() {
    let mut inner = Flow::new("inner");
    let notes = inner.add_for_each("notes", note_flow(), |shared, params| {
        let group = params["group"].as_str().unwrap_or_default();
        Ok(items(&shared["groups"][group]))
    });
    inner.start(notes);
    let inner = inner.build().expect("part of the test");
    let mut outer = Flow::new("outer");
    let groups = outer.add_for_each("groups", inner, |shared, _| {
        Ok(shared["groups"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(group, _)| store(json!({ "group": group })))
            .collect())
    });
    outer.start(groups);
    let shared = store(json!({ "groups": { "A": [1, 2], "B": [3] } }));
    let ended = outer.build().expect("part of the test").run(shared).await.expect("part of the test");
    let seen: Vec<(Value, Value)> = ended.shared["seen"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|seen| (seen["group"].clone(), seen["item"].clone()))
        .collect();
    assert_eq!(seen, [(json!("A"), json!(1)), (json!("A"), json!(2)), (json!("B"), json!(3))]);
}
