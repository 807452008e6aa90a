//! Batches of flows, and the cases of PocketFlow's own tests that join several features.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use graphloom_core_graph::NodeError;
use graphloom_pocketflow::flow::{
    BatchFlow, BatchWork, BuiltFlow, Failures, Flow, FlowError, FlowResult, Label, Params, Store, Work,
};
use serde_json::{Value, json};

use super::{Flaky, chain, quiet, store};

/// Doubles the numbers of the batch that the parameters name, an hour each.
struct Doubled {
    running: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

#[async_trait]
impl BatchWork for Doubled {
    type Item = i64;
    type Exec = i64;

    async fn prep(&self, shared: &mut Store, params: &Params) -> Result<Vec<i64>, NodeError> {
        shared.insert("name".to_owned(), params["name"].clone());
        let batch = &shared["batches"][params["name"].as_str().unwrap_or_default()];
        Ok(batch.as_array().into_iter().flatten().filter_map(Value::as_i64).collect())
    }

    async fn exec(&self, number: &i64, _: u32) -> Result<i64, NodeError> {
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(running, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_secs(3600)).await;
        self.running.fetch_sub(1, Ordering::SeqCst);
        if *number == 13 { Err(NodeError::terminal("an unlucky number")) } else { Ok(number * 2) }
    }

    async fn post(
        &self,
        shared: &mut Store,
        _: Vec<i64>,
        doubled: Vec<Result<i64, NodeError>>,
    ) -> Result<Label, NodeError> {
        let name = shared.remove("name").and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default();
        let doubled: Vec<i64> = doubled.into_iter().flatten().collect();
        let results = shared.entry("results").or_insert_with(|| json!({}));
        results[&name] = json!(doubled);
        let all = shared.entry("all").or_insert_with(|| json!([]));
        all.as_array_mut().expect("part of the test").extend(doubled.into_iter().map(Value::from));
        Ok("doubled".into())
    }
}

/// Every batch of the store, some at once.
struct Batches {
    at_once: usize,
    failures: Failures,
}

impl BatchFlow for Batches {
    fn prep(&self, shared: &Store, _: &Params) -> Result<Vec<Params>, NodeError> {
        let names = shared["batches"].as_object().into_iter().flatten();
        Ok(names.map(|(name, _)| store(json!({ "name": name }))).collect())
    }

    fn post(&self, shared: &mut Store, runs: Vec<Result<Label, NodeError>>) -> Result<Label, NodeError> {
        let label = |run: &Result<Label, NodeError>| match run {
            Ok(label) => json!(label.as_str()),
            Err(error) => json!(error.to_string()),
        };
        shared.insert("runs".to_owned(), runs.iter().map(label).collect());
        Ok(if runs.iter().all(Result::is_ok) { Label::DEFAULT } else { "incomplete".into() })
    }

    fn at_once(&self) -> usize {
        self.at_once
    }

    fn failures(&self) -> Failures {
        self.failures
    }
}

fn doubled() -> (BuiltFlow, Arc<AtomicUsize>) {
    let most = Arc::<AtomicUsize>::default();
    let mut flow = Flow::new("double");
    let only = flow.add_batch("double", Doubled { running: Arc::default(), most: Arc::clone(&most) });
    flow.start(only);
    (flow.build().expect("part of the test"), most)
}

async fn run(at_once: usize, failures: Failures, batches: Value) -> (Result<FlowResult, FlowError>, usize) {
    let (inner, most) = doubled();
    let mut flow = Flow::new("batches");
    let only = flow.add_batch_flow("each", inner, Batches { at_once, failures });
    flow.start(only);
    let ended = flow.build().expect("part of the test").run(store(json!({ "batches": batches }))).await;
    (ended, most.load(Ordering::SeqCst))
}

#[tokio::test(start_paused = true)]
async fn flows_run_at_once_as_many_as_are_allowed() {
    let batches = json!({ "a": [1], "b": [2, 3, 4], "c": [], "d": [5, 6] });
    for (at_once, most, hours) in [(0, 1, 6), (1, 1, 6), (2, 2, 3), (100, 3, 3)] {
        let begun = tokio::time::Instant::now();
        let (ended, running) = run(at_once, Failures::Stop, batches.clone()).await;
        let ended = ended.expect("part of the test");
        assert_eq!(ended.shared["results"], json!({ "a": [2], "b": [4, 6, 8], "c": [], "d": [10, 12] }), "{at_once}");
        assert_eq!(ended.shared["all"], json!([2, 4, 6, 8, 10, 12]), "in the order of the parameters: {at_once}");
        assert_eq!(ended.shared["runs"], json!(["doubled", "doubled", "doubled", "doubled"]));
        assert_eq!((running, begun.elapsed().as_secs() / 3600), (most, hours), "{at_once}");
        assert!(ended.shared.get("name").is_none(), "what a run took out is not there");
    }
    let (ended, _) = run(4, Failures::Stop, json!({})).await;
    assert_eq!(ended.expect("part of the test").shared["runs"], json!([]));
}

#[tokio::test(start_paused = true)]
async fn a_flow_that_fails_stops_the_others_or_is_told() {
    let batches = json!({ "a": [1], "b": [13], "c": [2] });
    for at_once in [1, 3] {
        let (stopped, _) = run(at_once, Failures::Stop, batches.clone()).await;
        assert!(stopped.expect_err("refused").to_string().contains("an unlucky number"));
        let (told, _) = run(at_once, Failures::Collect, batches.clone()).await;
        let told = told.expect("part of the test");
        assert_eq!((told.label.as_str(), &told.shared["results"]), ("incomplete", &json!({ "a": [2], "c": [4] })));
        assert!(told.shared["runs"][1].as_str().is_some_and(|run| run.contains("an unlucky number")));
    }
}

/// Sets one key of the shared store to the name of the run.
struct Claims;

#[async_trait]
impl Work for Claims {
    type Prep = Value;
    type Exec = Value;

    async fn prep(&self, _: &mut Store, params: &Params) -> Result<Value, NodeError> {
        Ok(params["name"].clone())
    }

    async fn exec(&self, name: &Value, _: u32) -> Result<Value, NodeError> {
        Ok(name.clone())
    }

    async fn post(&self, shared: &mut Store, _: Value, name: Value) -> Result<Label, NodeError> {
        shared.insert(format!("made by {}", name.as_str().unwrap_or_default()), json!(true));
        shared.insert("owner".to_owned(), name);
        Ok(Label::DEFAULT)
    }
}

#[tokio::test]
async fn two_runs_at_once_cannot_overwrite_each_other_unseen() {
    for (at_once, owner, conflicts) in [(1, "b", 0), (2, "a", 1)] {
        let mut inner = Flow::new("claim");
        let only = inner.add("claim", Claims);
        inner.start(only);
        let inner = inner.build().expect("part of the test");
        let mut flow = Flow::new("claims");
        let only = flow.add_batch_flow("each", inner, Batches { at_once, failures: Failures::Stop });
        flow.start(only);
        let ended = flow.build().expect("part of the test").run(store(json!({ "batches": { "a": 1, "b": 1 } }))).await;
        let ended = ended.expect("the work that is done is kept");
        assert_eq!((&ended.shared["owner"], ended.notes.len()), (&json!(owner), conflicts), "{:?}", ended.notes);
        assert_eq!(ended.shared["made by a"], ended.shared["made by b"], "both keep what they made");
        if conflicts > 0 {
            assert!(ended.notes[0].contains("two runs at once set `owner` differently"), "{:?}", ended.notes);
            let told = ended.shared["runs"][1].as_str().unwrap_or_default();
            assert!(told.contains("`owner`") && ended.label.as_str() == "incomplete", "{told}");
        }
    }
}

/// The groups of the store, or the items of the group that the parameters name.
struct Named(&'static str);

impl BatchFlow for Named {
    fn prep(&self, shared: &Store, params: &Params) -> Result<Vec<Params>, NodeError> {
        let value = if self.0 == "group" {
            shared["groups"].as_object().into_iter().flatten().map(|(group, _)| json!(group)).collect::<Vec<_>>()
        } else {
            let group = params["group"].as_str().unwrap_or_default();
            shared["groups"][group].as_array().cloned().unwrap_or_default()
        };
        Ok(value.into_iter().map(|value| Params::from_iter([(self.0.to_owned(), value)])).collect())
    }

    fn at_once(&self) -> usize {
        2
    }
}

/// Doubles the item of the parameters into the results of its group.
struct InGroup;

#[async_trait]
impl Work for InGroup {
    type Prep = (String, i64);
    type Exec = i64;

    async fn prep(&self, _: &mut Store, params: &Params) -> Result<(String, i64), NodeError> {
        let group = params["group"].as_str().unwrap_or_default().to_owned();
        Ok((group, params["item"].as_i64().unwrap_or_default()))
    }

    async fn exec(&self, (_, item): &(String, i64), _: u32) -> Result<i64, NodeError> {
        Ok(item * 2)
    }

    async fn post(&self, shared: &mut Store, (group, _): (String, i64), done: i64) -> Result<Label, NodeError> {
        let results = shared.entry("results").or_insert_with(|| json!({}));
        match results[&group].as_array_mut() {
            Some(list) => list.push(json!(done)),
            None => results[&group] = json!([done]),
        }
        Ok(Label::DEFAULT)
    }
}

#[tokio::test]
async fn parallel_batches_of_flows_nest() {
    let mut item = Flow::new("item");
    let only = item.add("item", InGroup);
    item.start(only);
    let mut group = Flow::new("group");
    let only = group.add_batch_flow("items", item.build().expect("part of the test"), Named("item"));
    group.start(only);
    let mut outer = Flow::new("outer");
    let only = outer.add_batch_flow("groups", group.build().expect("part of the test"), Named("group"));
    outer.start(only);
    let shared = store(json!({ "groups": { "A": [1, 2, 3], "B": [4] } }));
    let ended = outer.build().expect("part of the test").run(shared).await.expect("part of the test");
    assert_eq!(ended.shared["results"], json!({ "A": [2, 4, 6], "B": [8] }));
}

#[tokio::test]
async fn flows_follow_flows() {
    let first = chain("first", vec![quiet(|_| 10), quiet(|n| n + 10)]);
    let second = chain("second", vec![quiet(|n| n * 2)]);
    let mut flow = Flow::new("both");
    let (first, second) = (flow.add_flow("first", first), flow.add_flow("second", second));
    flow.start(first).then(first, second);
    let ended = flow.build().expect("part of the test").run(Store::new()).await.expect("part of the test");
    assert_eq!((&ended.shared["current"], ended.path), (&json!(40), vec!["first".to_owned(), "second".to_owned()]));
}

#[tokio::test]
async fn the_flow_goes_on_after_a_fallback() {
    let mut flow = Flow::new("fallback");
    let (flaky, after) = (flow.add("flaky", Flaky::new(9, 2, true)), flow.add("after", quiet(|_| 7)));
    flow.start(flaky).then(flaky, after);
    let ended = flow.build().expect("part of the test").run(Store::new()).await.expect("part of the test");
    assert_eq!((&ended.shared["result"], &ended.shared["current"]), (&json!("fallback"), &json!(7)));
}

#[tokio::test(start_paused = true)]
async fn a_batch_is_reduced_by_the_next_node() {
    struct Sum;

    #[async_trait]
    impl Work for Sum {
        type Prep = Vec<i64>;
        type Exec = i64;

        async fn prep(&self, shared: &mut Store, _: &Params) -> Result<Vec<i64>, NodeError> {
            Ok(shared["all"].as_array().into_iter().flatten().filter_map(Value::as_i64).collect())
        }

        async fn exec(&self, numbers: &Vec<i64>, _: u32) -> Result<i64, NodeError> {
            Ok(numbers.iter().sum())
        }

        async fn post(&self, shared: &mut Store, _: Vec<i64>, sum: i64) -> Result<Label, NodeError> {
            shared.insert("total".to_owned(), json!(sum));
            Ok(Label::DEFAULT)
        }
    }

    let (inner, _) = doubled();
    let mut flow = Flow::new("map and reduce");
    let each = flow.add_batch_flow("each", inner, Batches { at_once: 4, failures: Failures::Stop });
    let sum = flow.add("sum", Sum);
    flow.start(each).then(each, sum);
    let batches = json!({ "a": [1, 2, 3], "b": [4, 5, 6], "c": [7, 8, 9] });
    let ended = flow.build().expect("part of the test").run(store(json!({ "batches": batches }))).await;
    assert_eq!(ended.expect("part of the test").shared["total"], 90);
}
