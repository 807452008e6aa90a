//! States whose fields are known at run time: reducers, checks, storage, and the same thread as a derived state.

use graphloom_core_graph::checkpoint::{Checkpointer, MemoryCheckpointer};
use graphloom_core_graph::json::{JsonField, JsonLayout, JsonReducer, JsonState, JsonUpdate, LayoutErrors};
use graphloom_core_graph::{Context, Mode, Node, NodeError, Outcome, RunError, START, Snapshot, StateGraph, Thread};
use serde_json::{Value, json};

use crate::log::{Build, Work, in_order};
use crate::place::only_in_place;

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const LAST: Node = Node::named("last");

fn field(name: &str, reducer: JsonReducer) -> JsonField {
    JsonField::new(name).reducer(reducer)
}

/// The fields of `Work`, without the fragile one.
fn layout() -> JsonLayout {
    let text = json!({"type": "string"});
    JsonLayout::new([
        field("notes", JsonReducer::Append).schema(json!({"items": text})),
        field("count", JsonReducer::Add).schema(json!({"type": "integer"})),
        field("parts", JsonReducer::Merge).schema(json!({"additionalProperties": text})),
        JsonField::new("last").schema(text.clone()).initial(""),
        JsonField::new("other").schema(text).initial(""),
    ])
    .expect("the layout is right")
}

fn update(changes: Value) -> JsonUpdate {
    JsonUpdate::try_from(changes).expect("an object")
}

/// A node that returns an update.
fn writes(
    changes: Value,
) -> impl Fn(Snapshot<JsonState>) -> std::future::Ready<Result<JsonUpdate, NodeError>> + Send + Sync + 'static {
    move |_| std::future::ready(Ok(update(changes.clone())))
}

/// `a` and `b` beside each other.
fn beside(layout: JsonLayout, a: Value, b: Value) -> StateGraph<JsonState> {
    let mut graph = StateGraph::with_layout("g", layout);
    graph.add_node(A, writes(a));
    graph.add_node(B, writes(b));
    graph.add_edge(START, A).add_edge(START, B);
    graph
}

fn thread(graph: StateGraph<JsonState>) -> Thread<JsonState> {
    graph.built().with_checkpointer(MemoryCheckpointer::new()).thread("t")
}

#[tokio::test]
async fn every_reducer_folds_writes_of_one_step_in_their_order() {
    let cases = [
        (field("f", JsonReducer::Any), json!({"f": 1}), json!({"f": 2}), json!(2)),
        (field("f", JsonReducer::Append), json!({"f": [1]}), json!({"f": [2, 3]}), json!([1, 2, 3])),
        (field("f", JsonReducer::Append), json!({"f": [1]}), json!({"replace_f": []}), json!([])),
        (
            field("f", JsonReducer::Append).initial(json!([0])),
            json!([{"f": [1]}, {"f": [2]}]),
            json!(null),
            json!([0, 1, 2]),
        ),
        (
            field("f", JsonReducer::Merge),
            json!({"f": {"k": 1, "l": 1}}),
            json!({"f": {"k": 2}}),
            json!({"k": 2, "l": 1}),
        ),
        (field("f", JsonReducer::Add), json!({"f": 2}), json!({"f": -3}), json!(-1)),
        (field("f", JsonReducer::Add).initial(10), json!({"f": 0.5}), json!({"f": 1}), json!(11.5)),
        (field("f", JsonReducer::Max), json!({"f": 7}), json!({"f": 3}), json!(7)),
        (field("f", JsonReducer::Max).initial(9), json!({"f": 7}), json!({"f": 3}), json!(9)),
        (field("f", JsonReducer::Max), json!({"f": 7}), json!({"replace_f": null}), json!(null)),
        (field("f", JsonReducer::Min), json!({"f": "b"}), json!({"f": "a"}), json!("a")),
        (field("f", JsonReducer::Last), json!({"f": {"deep": [1]}}), json!({}), json!({"deep": [1]})),
    ];
    for (field, a, b, expected) in cases {
        let shown = format!("{field:?} {a} {b}");
        let layout = JsonLayout::new([field]).expect("a right layout");
        for mode in [Mode::Barrier, Mode::Eager] {
            let mut graph = beside(layout.clone(), a.clone(), b.clone());
            graph.mode(mode);
            let run = in_order(thread(graph));
            let state = run.run(JsonUpdate::new()).await.expect(&shown).done().expect(&shown);
            assert_eq!(state.get("f"), Some(expected.clone()), "{shown}");
            // What the store has is the same.
            assert_eq!(run.state().await.expect("it reads").state, state, "{shown}");
        }
    }
}

#[tokio::test]
async fn a_wrong_update_fails_its_node_and_names_the_place() {
    let cases = [
        (
            json!({"note": ["x"]}),
            "field `note` cannot be updated: it is no field; did you mean `notes`?; fields: `notes`, `count`, `parts`, `last`, `other`",
        ),
        (json!({"notes": ["x", 2]}), "field `notes` cannot be updated: at `[1]`: expected string, found a number `2`"),
        (json!({"notes": "x"}), "field `notes` cannot be updated: expected an array of entries, found a string"),
        (
            json!({"replace_notes": 1}),
            "field `replace_notes` cannot be updated: expected an array of entries, found a number",
        ),
        (json!({"count": 1.5}), "field `count` cannot be updated: expected integer, found a number `1.5`"),
        (json!({"parts": {"p": null}}), "field `parts` cannot be updated: at `p`: expected string, found null"),
        (json!({"last": null}), "field `last` cannot be updated: expected string, found null"),
    ];
    for (changes, expected) in cases {
        for durable in [true, false] {
            let mut graph = StateGraph::<JsonState>::with_layout("g", layout());
            graph.add_node(A, writes(changes.clone()));
            graph.add_edge(START, A);
            let app = graph.built();
            let run = if durable {
                app.with_checkpointer(MemoryCheckpointer::new()).thread("t").run(JsonUpdate::new()).await
            } else {
                app.run_once(JsonUpdate::new()).await
            };
            match run {
                Err(RunError::TaskFailed { node, message, .. }) => {
                    assert_eq!((node.as_str(), message.as_str()), ("a", expected));
                }
                other => panic!("{changes}: {other:?}"),
            }
            let refused = app.run_once(update(changes.clone())).await.expect_err("the input is refused as well");
            assert_eq!(refused.to_string(), expected);
        }
    }
    assert!(JsonUpdate::try_from(json!("x")).unwrap_err().to_string().contains("an object of fields, not a string"));
}

#[tokio::test]
async fn two_writers_of_a_last_value_are_named() {
    let graph = beside(layout(), json!({"last": "x"}), json!({"last": "y"}));
    let error = thread(graph).run(JsonUpdate::new()).await.expect_err("a conflict");
    assert!(error.to_string().starts_with("nodes `a` and `b` both wrote `last`"), "{error}");
}

#[tokio::test]
async fn ephemeral_and_untracked_fields_are_what_their_names_say() {
    if only_in_place("the state has a field that is never stored") {
        return;
    }
    let layout = JsonLayout::new([
        JsonField::new("hint").initial("none").ephemeral(),
        field("topic", JsonReducer::Append).ephemeral(),
        JsonField::new("cache").untracked(),
        field("seen", JsonReducer::Append),
    ])
    .expect("a right layout");
    let mut graph = StateGraph::<JsonState>::with_layout("g", layout);
    graph.add_node(A, writes(json!({"hint": "h", "topic": [1, 2], "cache": "c"})));
    let sees = |state: Snapshot<JsonState>| async move {
        let seen: Vec<_> = ["hint", "topic", "cache"].iter().filter_map(|name| state.get(name)).collect();
        Ok::<_, NodeError>(JsonUpdate::new().with("seen", json!([seen])))
    };
    graph.add_node(B, sees);
    graph
        .add_node(LAST, move |state: Snapshot<JsonState>, cx: Context| async move {
            let _: bool = cx.ask("go", "on?").await?;
            sees(state).await
        })
        .asks::<bool>("go");
    graph.add_edge(START, A).add_edge(A, B).add_edge(B, LAST);
    let thread = thread(graph);
    let Outcome::Waiting(questions) = thread.run(JsonUpdate::new()).await.expect("it waits") else { panic!("it asks") };
    let outcome = thread.resume(questions.answer("go", true).expect("an answer")).await.expect("it goes on");
    let state = outcome.done().expect("it is done");
    // The list of a step is gone after it, as LangGraph's `Topic` is; what is untracked is gone after the resume.
    assert_eq!(state.get("seen"), Some(json!([["h", [1, 2], "c"], ["none", [], null]])));
}

#[test]
fn a_layout_with_mistakes_is_refused_whole() {
    let cases = [
        (JsonField::new(""), "its name is empty"),
        (JsonField::new("a.b"), "`.`, `#` and control characters are reserved"),
        (JsonField::new("twin"), "two fields have this name; rename one"),
        (JsonField::new("replace_twin"), "an update of this name replaces `twin`; rename one"),
        (JsonField::new("f").schema(json!({"pattern": "x"})), "`pattern` of the schema is not checked here"),
        (
            field("f", JsonReducer::Append).initial(json!({})),
            "its initial value does not fit: expected an array of entries",
        ),
        (
            JsonField::new("f").schema(json!({"type": "string"})).initial(1),
            "its initial value does not fit: expected string",
        ),
        (JsonField::new("f").ephemeral().untracked(), "it is `ephemeral` and `untracked`; it can be one of them"),
    ];
    for (wrong, expected) in cases {
        let LayoutErrors { errors } =
            JsonLayout::new([JsonField::new("twin"), wrong.clone()]).expect_err("a wrong layout");
        let [error] = &errors[..] else { panic!("{wrong:?}: {errors:?}") };
        assert_eq!(error.field, wrong.name);
        assert!(error.reason.starts_with(expected), "{error}");
    }
}

#[test]
fn a_state_is_read_by_path() {
    let state: JsonState =
        serde_json::from_value(json!({"plan": {"chapters": [{"title": "x"}]}, "n": 3})).expect("an object");
    assert_eq!(state.at("plan.chapters.0.title").as_deref(), Some(&json!("x")));
    assert_eq!(state.at("plan.chapters.1"), None);
    assert_eq!(state.at("nothing"), None);
    assert_eq!(state.read::<u8>("n").expect("a number"), 3);
    assert_eq!(
        state.read::<std::collections::BTreeMap<String, Vec<String>>>("plan").unwrap_err().to_string(),
        "field `plan` cannot be read: at `chapters[0]`: invalid type: map, expected a string",
    );
    assert!(state.read::<u8>("m").unwrap_err().to_string().contains("did you mean `n`?"));
    assert_eq!(serde_json::to_value(&state).expect("JSON"), state.to_value());
}

/// The same graph over the derived state and over the fields of it: `a`, then `b` asks.
fn derived() -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("same");
    graph.add_node(A, |_: Snapshot<Work>| async {
        Ok::<_, NodeError>(Work::update().notes(["a"]).count(2).parts([(7, "seven")]).last("a"))
    });
    graph
        .add_node(B, |work: Snapshot<Work>, cx: Context| async move {
            let answer: String = cx.ask("b", &work.count).await?;
            Ok::<_, NodeError>(Work::update().notes([answer]).count(work.count).parts([(8, "eight")]))
        })
        .asks::<String>("b");
    graph.add_edge(START, A).add_edge(A, B);
    graph
}

fn dynamic() -> StateGraph<JsonState> {
    let mut graph = StateGraph::<JsonState>::with_layout("same", layout());
    graph.add_node(A, writes(json!({"notes": ["a"], "count": 2, "parts": {"7": "seven"}, "last": "a"})));
    graph
        .add_node(B, |state: Snapshot<JsonState>, cx: Context| async move {
            let count: i64 = state.read("count")?;
            let answer: String = cx.ask("b", &count).await?;
            Ok::<_, NodeError>(update(json!({"notes": [answer], "count": count, "parts": {"8": "eight"}})))
        })
        .asks::<String>("b");
    graph.add_edge(START, A).add_edge(A, B);
    graph
}

async fn ids(store: &dyn Checkpointer) -> Vec<(u64, String)> {
    let rows = store.checkpoints("t", "", &Default::default()).await.expect("it reads");
    rows.into_iter().map(|row| (row.number, row.id.to_string())).collect()
}

#[tokio::test]
async fn a_derived_and_a_dynamic_state_of_the_same_fields_run_the_same() {
    let one = derived().built().with_checkpointer(MemoryCheckpointer::new());
    let other = dynamic().built().with_checkpointer(MemoryCheckpointer::new());
    let (derived, dynamic) = (one.thread("t"), other.thread("t"));
    let Outcome::Waiting(asked) = derived.run(Work::update().count(1)).await.expect("it waits") else { panic!() };
    let input = JsonUpdate::new().with("count", 1);
    let Outcome::Waiting(also) = dynamic.run(input).await.expect("it waits") else { panic!() };
    assert_eq!(asked, also);
    let done = derived.resume(asked.answer("b", "yes").expect("fits")).await.expect("done").done().expect("done");
    let also_done = dynamic.resume(also.answer("b", "yes").expect("fits")).await.expect("done").done().expect("done");
    let mut expected = serde_json::to_value(&*done).expect("JSON");
    expected.as_object_mut().expect("an object").remove("fragile");
    assert_eq!(also_done.to_value(), expected);
    assert_eq!(ids(&**one.checkpointer()).await.len(), ids(&**other.checkpointer()).await.len());
}

#[tokio::test]
async fn a_thread_of_a_derived_state_can_be_continued_by_a_dynamic_one() {
    let store = std::sync::Arc::new(MemoryCheckpointer::new());
    let shared = || std::sync::Arc::clone(&store) as std::sync::Arc<dyn Checkpointer>;
    let derived = derived().built().with_shared_checkpointer(shared());
    let Outcome::Waiting(asked) = derived.thread("t").run(Work::update().count(1)).await.expect("it waits") else {
        panic!("it asks")
    };
    // Integer keys of a typed table are numbers in the store, which no JSON object has: leave that field out.
    let fields = layout().fields().iter().filter(|field| field.name != "parts").cloned().collect::<Vec<_>>();
    let mut graph = StateGraph::<JsonState>::with_layout("same", JsonLayout::new(fields).expect("right"));
    graph.add_node(A, writes(json!({})));
    graph
        .add_node(B, |state: Snapshot<JsonState>, cx: Context| async move {
            let answer: String = cx.ask("b", &()).await?;
            let count: i64 = state.read("count")?;
            Ok::<_, NodeError>(JsonUpdate::new().with("notes", json!([answer])).with("count", count))
        })
        .asks::<String>("b");
    graph.add_edge(START, A).add_edge(A, B);
    let dynamic = graph.built().with_shared_checkpointer(shared()).thread("t");
    let done = dynamic.resume(asked.answer("b", "yes").expect("fits")).await.expect("done").done().expect("done");
    assert_eq!(done.to_value(), json!({"notes": ["a", "yes"], "count": 6, "last": "a", "other": ""}));
}
