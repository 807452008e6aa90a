//! Graphs from a description: the same execution as the graph in Rust, in another process too, and what is wrong said.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use graphloom_core_graph::checkpoint::{Checkpointer, MemoryCheckpointer};
use graphloom_core_graph::description::{Description, Registry};
use graphloom_core_graph::json::{JsonState, JsonUpdate};
use graphloom_core_graph::{
    Compiled, Context, END, EventKind, Failure, Mode, Node, NodeError, Outcome, RunError, START, Snapshot, StateGraph,
    Step, Task, Thread,
};
use serde_json::{Value, json};

use crate::log::Build;

const BOOK: &str = r#"{
    "name": "book",
    "mode": "MODE",
    "fields": [
        {"name": "plan", "schema": {"type": "array"}},
        {"name": "log", "reducer": "append", "schema": {"items": {"type": "string"}}},
        {"name": "rounds", "reducer": "add"}
    ],
    "nodes": [
        {"name": "plan", "run": "plan", "writes": ["plan", "log"]},
        {"name": "write", "run": "write", "task": true, "retry": {"attempts": 2, "initial_ms": 0}, "class": "io"},
        {"name": "judge", "run": "judge", "asks": {"verdict": {"enum": ["redo", "keep"]}}},
        {"name": "publish", "run": "publish"},
        {"name": "drop", "run": "publish"}
    ],
    "edges": [["START", "plan"], ["publish", "END"]],
    "sends": [{"from": "plan", "over": "plan", "to": "write", "key": "title"}],
    "joins": [{"from": ["write"], "to": "judge"}],
    "routes": [{
        "from": "judge",
        "cases": [
            {"when": {"all": [{"lt": ["rounds", 2]}, {"not": {"empty": "log.1"}}]}, "to": ["plan"]},
            {"when": {"empty": "plan"}, "to": ["drop"]}
        ],
        "otherwise": ["publish"]
    }],
    "limits": {"io": 1}
}"#;

fn book(mode: &str) -> Description {
    Description::from_json(&BOOK.replace("MODE", mode)).expect("a description")
}

fn plan() -> Value {
    json!({"plan": [{"title": "b"}, {"title": "a"}], "log": ["plan"], "rounds": 1})
}

async fn judge(cx: Context) -> Result<Value, NodeError> {
    let verdict: String = cx.ask("verdict", "keep?").await?;
    Ok(json!({"log": [verdict]}))
}

fn registry() -> Registry {
    let mut registry = Registry::new();
    registry.function("plan", async |_: Value, _: Context| Ok::<_, NodeError>(plan()));
    registry.function("write", async |chapter: Value, cx: Context| {
        if chapter["title"] == "a" && cx.task().attempt == 1 {
            return Err(NodeError::retryable("not at the first attempt"));
        }
        let title = chapter["title"].as_str().unwrap_or_default();
        Ok(json!({"log": [format!("write {title}")]}))
    });
    registry.function("judge", |_: Value, cx: Context| judge(cx));
    registry.node("publish", async |state: Snapshot<JsonState>| {
        let chapters = state.at("plan").map_or(0, |plan| plan.as_array().map_or(0, Vec::len));
        Ok::<_, NodeError>(JsonUpdate::new().with("log", json!([format!("publish {chapters}")])))
    });
    registry
}

/// The same graph in Rust.
fn in_rust(mode: Mode) -> Compiled<JsonState> {
    const PLAN: Node = Node::named("plan");
    const WRITE: Task<Value> = Task::named("write");
    const JUDGE: Node = Node::named("judge");
    const PUBLISH: Node = Node::named("publish");
    const DROP: Node = Node::named("drop");
    let layout = graphloom_core_graph::json::JsonLayout::new(book("barrier").fields).expect("right");
    let mut graph = StateGraph::<JsonState>::with_layout("book", layout);
    graph.mode(mode).limit("io", 1);
    graph
        .add_node(PLAN, async |_: Snapshot<JsonState>| Ok::<_, NodeError>(Step::update(JsonUpdate::try_from(plan())?)));
    graph
        .add_task(WRITE, async |chapter: Value, _: Snapshot<JsonState>, cx: Context| {
            if chapter["title"] == "a" && cx.task().attempt == 1 {
                return Err(NodeError::retryable("not at the first attempt"));
            }
            let title = chapter["title"].as_str().unwrap_or_default();
            Ok::<_, NodeError>(JsonUpdate::new().with("log", json!([format!("write {title}")])))
        })
        .retry(graphloom_core_graph::Retry::immediate(2))
        .class("io");
    graph
        .add_node(JUDGE, async |_: Snapshot<JsonState>, cx: Context| {
            Ok::<_, NodeError>(JsonUpdate::try_from(judge(cx).await?)?)
        })
        .asks::<String>("verdict");
    for node in [PUBLISH, DROP] {
        graph.add_node(node, async |state: Snapshot<JsonState>| {
            let chapters = state.at("plan").map_or(0, |plan| plan.as_array().map_or(0, Vec::len));
            Ok::<_, NodeError>(JsonUpdate::new().with("log", json!([format!("publish {chapters}")])))
        });
    }
    graph.add_edge(START, PLAN).add_edge(PUBLISH, END).add_join(WRITE, JUDGE);
    graph.add_sends(PLAN, WRITE, |state: &JsonState| {
        let plan: Vec<Value> = state.read("plan").unwrap_or_default();
        plan.into_iter()
            .map(|chapter| WRITE.send(chapter["title"].as_str().unwrap_or_default(), chapter.clone()))
            .collect()
    });
    graph.add_conditional_edges(JUDGE, [PLAN, DROP, PUBLISH], |state: &JsonState| {
        let written = state.at("log.1").is_some();
        match state.read::<i64>("rounds") {
            Ok(rounds) if rounds < 2 && written => PLAN,
            _ if state.at("plan").is_none_or(|plan| plan.as_array().is_none_or(Vec::is_empty)) => DROP,
            _ => PUBLISH,
        }
    });
    graph.built()
}

/// What was committed, in order: the tasks and the nodes that follow.
async fn execution(thread: &Thread<JsonState>) -> Vec<(Vec<Arc<str>>, Vec<Arc<str>>)> {
    let journal = thread.journal(0, usize::MAX).await.expect("the journal reads");
    let committed = journal.into_iter().filter_map(|event| match event.kind {
        EventKind::Committed { tasks, next, .. } => Some((tasks, next)),
        _ => None,
    });
    committed.collect()
}

/// Runs with every answer `keep`; `threads` gives the thread anew for each call, as another process would.
async fn to_the_end<F: Future<Output = Thread<JsonState>>>(open: impl Fn() -> F) -> Arc<JsonState> {
    let mut outcome = open().await.run(JsonUpdate::new()).await.expect("it runs");
    loop {
        match outcome {
            Outcome::Done(state) => return state,
            Outcome::Waiting(questions) => {
                let answers = questions.answer("verdict", "keep").expect("it fits");
                outcome = open().await.resume(answers).await.expect("it goes on");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_described_graph_runs_as_the_same_graph_in_rust_and_goes_on_in_another_process() {
    for (name, mode) in [("barrier", Mode::Barrier), ("eager", Mode::Eager)] {
        let stores: [Arc<dyn Checkpointer>; 2] =
            [Arc::new(MemoryCheckpointer::new()), Arc::new(MemoryCheckpointer::new())];
        let threads = |graph: Compiled<JsonState>, store: &Arc<dyn Checkpointer>| {
            graph.with_shared_checkpointer(Arc::clone(store)).thread("t")
        };
        // The description is read and compiled anew before each call.
        let described = || async { threads(book(name).compile(&registry()).expect("right"), &stores[0]) };
        let written = to_the_end(described).await;
        let typed = in_rust(mode);
        let expected = to_the_end(|| async { threads(typed.clone(), &stores[1]) }).await;
        assert_eq!(written, expected);
        let log = written.get("log").expect("a field");
        assert_eq!(log.as_array().map(Vec::len), Some(9), "{log}");
        assert_eq!(log[8], "publish 2");
        assert_eq!(execution(&described().await).await, execution(&threads(typed, &stores[1])).await);
        assert_eq!(
            book(name).compile(&registry()).expect("right").diagram(),
            in_rust(mode).diagram(),
            "they are drawn the same"
        );
    }
}

#[tokio::test]
async fn an_answer_is_checked_against_the_described_schema() {
    let app = book("barrier").compile(&registry()).expect("right");
    let thread = app.with_checkpointer(MemoryCheckpointer::new()).thread("t");
    let Outcome::Waiting(questions) = thread.run(JsonUpdate::new()).await.expect("it waits") else { panic!("it asks") };
    let error = questions.answer("verdict", "maybe").expect_err("no choice");
    assert_eq!(
        error.to_string(),
        "the answer to `verdict` does not fit: expected `\"redo\"` or `\"keep\"`, found a string `\"maybe\"`"
    );
}

#[tokio::test]
async fn a_described_error_handler_takes_over_and_goes_where_the_node_may() {
    let description = Description::from_json(
        r#"{
            "name": "g",
            "fields": [{"name": "log", "reducer": "append"}],
            "nodes": [
                {"name": "risky", "run": "risky", "retry": {"attempts": 2, "initial_ms": 0}, "on_error": "mend", "may_goto": ["after"]},
                {"name": "after", "run": "after"}
            ],
            "edges": [["START", "risky"]]
        }"#,
    )
    .expect("a description");
    let calls = Arc::new(AtomicU32::new(0));
    let mut registry = Registry::<()>::new();
    let counted = Arc::clone(&calls);
    // An update that names no field is the node's own failure.
    registry.function("risky", move |_: Value, _: Context| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { Ok(json!({"lgo": ["x"]})) }
    });
    registry.function("after", async |_: Value, _: Context| Ok::<_, NodeError>(json!({"log": ["after"]})));
    registry.error_handler("mend", async |failure: Failure, _: Snapshot<JsonState>| {
        let update = JsonUpdate::new().with("log", json!([failure.message]));
        Ok::<_, NodeError>(Step::goto(Node::named("after")).with(update))
    });
    let app = description.compile(&registry).expect("right");
    let state = app.run_once(JsonUpdate::new()).await.expect("it runs").done().expect("done");
    let expected = "field `lgo` cannot be updated: it is no field; did you mean `log`?; fields: `log`";
    assert_eq!(state.get("log"), Some(json!([expected, "after"])));
    assert_eq!(calls.load(Ordering::Relaxed), 1, "no attempt mends it");
}

#[tokio::test]
async fn fan_outs_go_over_lists_objects_and_nothing() {
    let cases = [
        (json!(["x", "y"]), json!(null), "0=\"x\" 1=\"y\" end"),
        (json!({"k": 1, "l": 2}), json!(null), "k=1 l=2 end"),
        (json!(null), json!(null), "end"),
        (json!([{"id": 20}, {"id": 3}]), json!("id"), "3={\"id\":3} 20={\"id\":20} end"),
        (
            json!([{"id": null}]),
            json!("id"),
            "the input of a send cannot be encoded: `deep.items.0` has no text or number at `id` for its key",
        ),
        (
            json!(7),
            json!(null),
            "the input of a send cannot be encoded: `deep.items` is no list or object to send the entries of, but `7`",
        ),
    ];
    for (items, key, expected) in cases {
        let mut send = json!({"from": "START", "over": "deep.items", "to": "one"});
        if !key.is_null() {
            send["key"] = key;
        }
        let description = json!({
            "name": "g",
            "fields": [{"name": "deep"}, {"name": "log", "reducer": "append"}],
            "nodes": [{"name": "one", "run": "one", "task": true}, {"name": "end", "run": "end"}],
            "sends": [send],
            "joins": [{"from": ["one"], "to": "end"}],
        });
        let mut registry = Registry::<()>::new();
        registry.function("one", async |input: Value, cx: Context| {
            let key = cx.task().key.as_deref().unwrap_or_default().to_owned();
            Ok::<_, NodeError>(json!({"log": [format!("{key}={input}")]}))
        });
        registry.function("end", async |_: Value, _: Context| Ok::<_, NodeError>(json!({"log": ["end"]})));
        let description = Description::from_json(&description.to_string()).expect("a description");
        let app = description.compile(&registry).expect("right");
        let told = match app.run_once(JsonUpdate::new().with("deep", json!({"items": items}))).await {
            Ok(outcome) => {
                let log: Vec<String> = outcome.done().expect("done").read("log").expect("texts");
                log.join(" ")
            }
            Err(graphloom_core_graph::RunError::TaskFailed { message, .. }) => message,
            Err(other) => panic!("{other}"),
        };
        assert_eq!(told, expected);
    }
}

#[test]
fn every_mistake_of_a_description_is_told_with_what_may_be_meant() {
    let wrong = json!({
        "name": "g",
        "fields": [{"name": "score"}, {"name": "items", "reducer": "append"}],
        "nodes": [
            {"name": "a", "run": "wirte", "on_error": "mend"},
            {"name": "b", "run": "task_only", "asks": {"q": {"oneOf": []}}},
            {"name": "c", "run": "write", "may_goto": ["nowhere"]},
            {"name": "t", "run": "node_only", "task": true},
            {"name": "START", "run": "write"},
            {"name": "c", "run": "write"}
        ],
        "edges": [["START", "a"], ["a", "t"], ["a", "bb"]],
        "routes": [{"from": "a", "cases": [{"when": {"not": {"gt": ["scroe.x", 1]}}, "to": ["b", "c"]}]}],
        "sends": [{"from": "b", "over": "item", "to": "t"}, {"from": "c", "over": "items", "to": "a"}]
    });
    let mut registry = Registry::<()>::new();
    registry.function("write", async |_: Value, _: Context| Ok::<_, NodeError>(Value::Null));
    registry.task("task_only", async |_: Value, _: Snapshot<JsonState>| Ok::<_, NodeError>(JsonUpdate::new()));
    registry.node("node_only", async |_: Snapshot<JsonState>| Ok::<_, NodeError>(JsonUpdate::new()));
    let errors = Description::from_json(&wrong.to_string()).expect("it reads").compile(&registry).expect_err("wrong");
    insta::assert_snapshot!(errors, @r#"
    the graph `g` cannot be compiled:
      - a condition of the route from `a` names the field `scroe`, which the state does not have; did you mean `score`?; fields: `score`, `items`
      - the fan-out from `b` to `t` names the field `item`, which the state does not have; did you mean `items`?; fields: `score`, `items`
      - node `a` names the handler `wirte`, which the registry does not have; did you mean `write`?; handlers: `node_only`, `task_only`, `write`
      - node `a` names the handler `mend`, which the registry does not have; handlers: none
      - node `b` names the handler `task_only`, which is for task nodes; set `"task": true`, and send to the node
      - the question `q` of node `b`: `oneOf` of the schema is not checked here; checked are `type`, `enum`, `const`, `properties`, `required`, `additionalProperties`, `items`, `minimum` and `maximum`
      - node `t` names the handler `node_only`, which is for nodes that edges trigger; remove `"task": true`
      - the node name `__start__` is not usable: names that begin with `__` are reserved
      - two nodes are named `c`; rename one
      - `may_goto` of `c` names `nowhere`, which is no node; nodes: `__start__`, `a`, `b`, `c`, `c`, `t`
      - the edge from `a`: `t` is a task node and needs an input; use `add_sends`, or a node added with `add_node`
      - the edge from `a` names `bb`, which is no node; nodes: `__start__`, `a`, `b`, `c`, `c`, `t`
      - the sends from `c`: `a` takes no input; add it with `add_task`, or use an edge
      - the sends from `c`: `a` takes no input; add it with `add_task`, or use an edge
    "#);
    let wrong_fields = json!({
        "name": "g",
        "fields": [{"name": "x"}, {"name": "x", "initial": 1}],
        "nodes": [{"name": "a", "run": "write"}],
        "edges": [["START", "a"]],
    });
    let errors = Description::from_json(&wrong_fields.to_string()).expect("it reads").compile(&registry);
    insta::assert_snapshot!(errors.expect_err("wrong"), @r"
    the graph `g` cannot be compiled:
      - the state field `x` is not usable: two fields have this name; rename one
    ");
}

#[test]
fn a_text_that_is_no_description_is_refused_with_its_place() {
    let cases = [
        ("{", "."),
        (r#"{"name": "g"}"#, "."),
        (r#"{"name": "g", "nodes": []} x"#, "."),
        (r#"{"name": "g", "nodes": [{"name": "a"}]}"#, "nodes[0]"),
        (r#"{"name": "g", "nodes": [], "fields": [{"name": "f", "reducer": "sum"}]}"#, "fields[0].reducer"),
        (
            r#"{"name": "g", "nodes": [], "routes": [{"from": "a", "cases": [{"when": {"above": ["x", 1]}, "to": []}]}]}"#,
            "routes[0].cases[0].when",
        ),
        (r#"{"name": "g", "nodes": [], "edges": [["a"]]}"#, "edges[0]"),
        (r#"{"name": "g", "nodes": [{"name": "a", "run": "a", "retries": 3}]}"#, "nodes[0].retries"),
    ];
    for (text, path) in cases {
        let error = Description::from_json(text).expect_err(text);
        assert_eq!(error.path, path, "{error}");
    }
}

#[test]
fn a_description_has_a_json_schema_and_is_written_as_it_is_read() {
    let schema = schemars::schema_for!(Description);
    let properties = schema.get("properties").and_then(Value::as_object).expect("an object");
    assert!(properties.contains_key("nodes") && properties.contains_key("routes"));
    let description = book("eager");
    let text = serde_json::to_string(&description).expect("JSON");
    assert_eq!(Description::from_json(&text).expect("it reads"), description);
}

#[tokio::test]
async fn a_described_join_may_wait_only_for_what_is_reached() {
    let nodes = ["a", "b", "last"].map(|name| json!({"name": name, "run": "note"}));
    for (reached, expected) in [(true, json!(["a", "last"])), (false, json!(["a"]))] {
        let description = json!({
            "name": "g",
            "fields": [{"name": "to"}, {"name": "log", "reducer": "append"}],
            "nodes": nodes,
            "routes": [{
                "from": "START",
                "cases": [{"when": {"in": ["to", ["b", "both"]]}, "to": ["b"]}],
                "otherwise": ["a"]
            }],
            "joins": [{"from": ["a", "b"], "to": "last", "reached": reached}],
        });
        let mut registry = Registry::<()>::new();
        registry.function("note", async |_: Value, cx: Context| Ok::<_, NodeError>(json!({"log": [cx.task().node]})));
        let description = Description::from_json(&description.to_string()).expect("a description");
        let app = description.compile(&registry).expect("right");
        assert_eq!(app.warnings().is_empty(), reached, "{:?}", app.warnings());
        let state = app.run_once(JsonUpdate::new()).await.expect("it runs").done().expect("done");
        assert_eq!(state.get("log"), Some(expected));
    }
}

#[tokio::test(start_paused = true)]
async fn a_described_step_has_its_time() {
    let description = json!({
        "name": "g",
        "nodes": [{"name": "stuck", "run": "wait"}],
        "edges": [["START", "stuck"]],
        "step_timeout_ms": 5_000,
    });
    let mut registry = Registry::<()>::new();
    registry.function("wait", async |_: Value, _: Context| std::future::pending::<Result<Value, NodeError>>().await);
    let description = Description::from_json(&description.to_string()).expect("a description");
    let app = description.compile(&registry).expect("right");
    let error = app.run_once(JsonUpdate::new()).await.expect_err("it never ends");
    assert!(matches!(error, RunError::StepTimeout { .. }), "{error}");
}
