//! Answers, and where a thread goes on, at older checkpoints.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use graphloom_core_graph::{Compiled, Context, Node, START, Snapshot, State, StateGraph};
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Served, each};
use crate::builder::Server;

/// A thread of `approval` that was asked about tea, which was rejected, and is asked about milk: its path, and the state of the
/// question about tea.
async fn tea_and_milk(served: &Served) -> (String, Value) {
    let thread = served.ran("approval", json!({"request": "tea"})).await;
    let tea = served.get(&format!("{thread}/state")).await;
    served.run(&thread, "approval", json!({"command": {"resume": "reject"}})).await;
    served.run(&thread, "approval", json!({"input": {"request": "milk"}})).await;
    (thread, tea)
}

/// Ids of the runs of a thread.
async fn runs(served: &Served, thread: &str) -> Vec<Value> {
    each(&served.get(&format!("{thread}/runs")).await, "/run_id")
}

#[tokio::test]
async fn an_answer_with_a_checkpoint_goes_to_the_question_of_that_checkpoint() {
    let served = Served::start().await;
    let (thread, tea) = tea_and_milk(&served).await;
    let (id, milk) = (&tea["checkpoint_id"], served.get(&format!("{thread}/state")).await);
    let interrupt = tea["interrupts"][0]["id"].as_str().unwrap();
    let forms = [
        json!({"command": {"resume": "approve"}, "checkpoint_id": id}),
        json!({"command": {"resume": {interrupt: "approve"}}, "checkpoint": tea["checkpoint"]}),
        json!({"command": {"resume": "approve"}, "config": {"configurable": {"checkpoint_id": id}}}),
    ];
    for form in forms {
        let values = served.run(&thread, "approval", form.clone()).await;
        assert_eq!((&values["draft"], &values["decision"]), (&json!("Draft for tea"), &json!("approve")), "{form}");
        assert_eq!(values["log"], json!(["draft", "review:approve", "publish"]), "{form}");
        // The question about milk is where it was.
        let at = format!("{thread}/state/{}", milk["checkpoint_id"].as_str().unwrap());
        assert_eq!(served.get(&at).await["interrupts"], milk["interrupts"], "{form}");
    }
    let history = served.get(&format!("{thread}/history?limit=100")).await;
    let branches = each(&history, "/parent_checkpoint_id").iter().filter(|parent| *parent == id).count();
    assert_eq!(branches, 4, "the first run, and a branch for each answer");
}

#[tokio::test]
async fn an_answer_at_a_checkpoint_is_streamed_without_the_question_that_it_answers() {
    let served = Served::start().await;
    let (thread, tea) = tea_and_milk(&served).await;
    let body = json!({
        "assistant_id": "approval", "stream_mode": "updates", "checkpoint_id": tea["checkpoint_id"],
        "command": {"resume": "approve", "update": {"request": "green tea"}},
    });
    let url = format!("http://{}{thread}/runs/stream", served.running.address());
    let told = served.client.post(url).body(body.to_string()).send().await.unwrap().text().await.unwrap();
    let updates: Vec<Value> =
        told.lines().filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok()).collect();
    assert!(updates.iter().all(|update| update.get("__interrupt__").is_none()), "{told}");
    assert!(updates.iter().any(|update| update["publish"]["log"] == json!(["publish"])), "{told}");
    let values = served.get(&format!("{thread}/state")).await["values"].take();
    assert_eq!((&values["request"], &values["draft"]), (&json!("green tea"), &json!("Draft for tea")));
}

#[tokio::test]
async fn an_answer_at_a_checkpoint_reaches_a_graph_inside_and_one_of_several_questions() {
    let served = Served::start().await;
    let nested = served.ran("nested", json!({"text": "hi", "ask": true})).await;
    let asked = served.get(&format!("{nested}/state")).await;
    served.run(&nested, "nested", json!({"command": {"resume": "!"}})).await;
    let again = json!({"command": {"resume": "?"}, "checkpoint_id": asked["checkpoint_id"]});
    assert_eq!(served.run(&nested, "nested", again).await["text"], "<HI?>");

    let several = served.ran("fanout", json!({"names": ["a", "a", "b"], "ask": true})).await;
    let asked = served.get(&format!("{several}/state")).await;
    let ids: Vec<_> = each(&asked["interrupts"], "/id").iter().map(|id| id.as_str().unwrap().to_owned()).collect();
    let all = json!({"command": {"resume": {&ids[0]: 1, &ids[1]: 2, &ids[2]: 3}}});
    served.run(&several, "fanout", all).await;
    let one = json!({"command": {"resume": {&ids[1]: "second"}}, "checkpoint_id": asked["checkpoint_id"]});
    let open = served.run(&several, "fanout", one).await;
    assert_eq!(each(&open["__interrupt__"], "/value/name"), ["a", "b"]);
    let rest = |id: &Value, answer: &str| (id.as_str().unwrap().to_owned(), json!(answer));
    let rest: serde_json::Map<_, _> = each(&open["__interrupt__"], "/id").iter().map(|id| rest(id, "rest")).collect();
    let values = served.run(&several, "fanout", json!({"command": {"resume": rest}})).await;
    assert_eq!(values["results"], json!(["a:rest", "a:second", "b:rest", "total:3"]));
}

#[tokio::test]
async fn a_command_goes_on_at_the_checkpoint_that_it_names() {
    let served = Served::start().await;
    let thread = served.ran("pipeline", json!({"topic": "a"})).await;
    let history = served.get(&format!("{thread}/history")).await;
    let after_plan = &history[2];
    assert_eq!(after_plan["values"]["items"], json!(["plan:a"]));
    let command = json!({"goto": "finish", "update": {"topic": "b"}});
    let order = json!({"command": command, "checkpoint_id": after_plan["checkpoint_id"]});
    let values = served.run(&thread, "pipeline", order).await;
    assert_eq!((&values["items"], &values["topic"]), (&json!(["plan:a", "finish:b"]), &json!("b")));
    let old = served.get(&format!("{thread}/state/{}", history[0]["checkpoint_id"].as_str().unwrap())).await;
    assert_eq!(old["values"], history[0]["values"]);
}

#[tokio::test]
async fn what_cannot_be_answered_is_refused_and_makes_no_run() {
    let served = Served::start().await;
    let (thread, tea) = tea_and_milk(&served).await;
    let milk = served.get(&format!("{thread}/state")).await;
    let (tea_id, milk_id) = (&tea["interrupts"][0]["id"], &milk["interrupts"][0]["id"]);
    let [tea_id, milk_id] = [tea_id, milk_id].map(|id| id.as_str().unwrap());
    let history = served.get(&format!("{thread}/history")).await;
    let before = history.as_array().unwrap().last().unwrap()["checkpoint_id"].clone();
    let zero = "0".repeat(32);
    let refusals = [
        (
            json!({"resume": {&zero: "x"}}),
            Value::Null,
            format!("{zero} is the id of no open interrupt; ids: {milk_id}"),
        ),
        (json!({"resume": {&zero: "x", milk_id: "approve"}}), Value::Null, format!("{zero} is the id of no open")),
        (
            json!({"resume": {milk_id: "approve"}}),
            tea["checkpoint_id"].clone(),
            format!("{milk_id} is the id of no interrupt of this checkpoint; ids: {tea_id}"),
        ),
        (json!({"resume": "approve"}), before.clone(), "there is no interrupt of this checkpoint to answer".to_owned()),
        (json!({"resume": "approve"}), json!(uuid::Uuid::nil()), "is none of this thread".to_owned()),
        (json!({"goto": "publish"}), json!(uuid::Uuid::nil()), "is none of this thread".to_owned()),
    ];
    let made = runs(&served, &thread).await;
    for (command, checkpoint, expected) in refusals {
        let body = json!({"assistant_id": "approval", "command": command, "checkpoint_id": checkpoint});
        for way in ["runs", "runs/wait", "runs/stream"] {
            let (status, detail) = served.refused("POST", &format!("{thread}/{way}"), body.clone()).await;
            assert!(status == 422 && detail.contains(&expected), "{way} {body}: {status} {detail}");
        }
    }
    assert_eq!(runs(&served, &thread).await, made);
    assert_eq!(served.get(&format!("{thread}/state")).await, milk);
    // Where it is said that an unknown id is no error, it is left out.
    let lenient = json!({"command": {"resume": {&zero: "x", milk_id: "approve"}}, "strict_resume": false});
    assert_eq!(served.run(&thread, "approval", lenient).await["draft"], "Draft for milk");
}

/// A node that asks in other words each time.
fn moody() -> Compiled<Moody> {
    const ASK: Node = Node::named("ask");
    let asked = Arc::new(AtomicUsize::new(0));
    let mut graph = StateGraph::new("moody");
    graph
        .add_node(ASK, move |_: Snapshot<Moody>, context: Context| {
            let words = format!("for the {}th time?", asked.fetch_add(1, Ordering::Relaxed));
            async move {
                let answer: String = context.ask("go", &words).await?;
                Ok(Moody::update().answer(answer))
            }
        })
        .asks::<String>("go");
    graph.add_edge(START, ASK);
    graph.compile().unwrap()
}

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Moody {
    answer: Option<String>,
}

#[tokio::test]
async fn a_question_that_is_asked_in_other_words_is_not_answered() {
    let served = Served::of(Server::new().graph("moody", moody(), ())).await;
    let thread = served.ran("moody", json!({})).await;
    let asked = served.get(&format!("{thread}/state")).await;
    served.run(&thread, "moody", json!({"command": {"resume": "first"}})).await;
    let again = json!({"command": {"resume": "second"}, "checkpoint_id": asked["checkpoint_id"]});
    let failure = served.run(&thread, "moody", again).await["__error__"].take();
    let state = served.get(&format!("{thread}/state")).await;
    let open = state["interrupts"][0]["id"].as_str().unwrap();
    assert_eq!(failure["error"], "UnknownInterruptError");
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains("asked in other words") && message.ends_with(open), "{message}");
    assert_eq!(served.get(&thread).await["status"], "interrupted");
    let values = served.run(&thread, "moody", json!({"command": {"resume": {open: "third"}}})).await;
    assert_eq!(values["answer"], "third");
    // An answer of another type is refused before there is a branch.
    let wrong = json!({"assistant_id": "moody", "command": {"resume": 7}, "checkpoint_id": asked["checkpoint_id"]});
    let (status, detail) = served.refused("POST", &format!("{thread}/runs"), wrong).await;
    assert!(status == 422 && detail.contains("the answer to `go` does not fit"), "{status} {detail}");
}

/// What a client does with a thread of `fanout`.
#[derive(Clone, Debug)]
enum Turn {
    /// Begins a turn with so many names, each of which is asked about.
    Ask(usize),
    /// Answers a question that a place of the history lists, by its id or alone, at that place or at the head.
    Answer { place: usize, question: usize, by_id: bool, at_place: bool },
}

fn turn() -> impl Strategy<Value = Turn> {
    let answer = (any::<usize>(), any::<usize>(), prop::bool::weighted(0.8), prop::bool::weighted(0.8));
    prop_oneof![
        1 => (1_usize..4).prop_map(Turn::Ask),
        3 => answer.prop_map(|(place, question, by_id, at_place)| Turn::Answer { place, question, by_id, at_place }),
    ]
}

/// Does it all, and looks where each answer is seen.
async fn does(served: &Served, turns: &[Turn]) {
    let thread = served.thread().await;
    let (mut names, mut answers) = (0, Vec::<Vec<String>>::new());
    for turn in std::iter::once(&Turn::Ask(2)).chain(turns) {
        match turn {
            Turn::Ask(count) => {
                // No name is asked about twice.
                let asked: Vec<_> = (names..names + count).map(|name| format!("n{name}")).collect();
                names += count;
                served.run(&thread, "fanout", json!({"input": {"names": asked, "ask": true}})).await;
            }
            Turn::Answer { place, question, by_id, at_place } => {
                let history = served.get(&format!("{thread}/history?limit=1000")).await;
                let asking: Vec<_> = history.as_array().unwrap().iter().collect();
                let asking: Vec<_> =
                    asking.into_iter().filter(|state| !state["interrupts"].as_array().unwrap().is_empty()).collect();
                let Some(state) = asking.get(place % asking.len().max(1)) else { continue };
                let listed = state["interrupts"].as_array().unwrap();
                let chosen = &listed[question % listed.len()];
                let answer = format!("a{}", answers.len());
                let resume = if *by_id { json!({chosen["id"].as_str().unwrap(): answer}) } else { json!(answer) };
                // What of it may be answered: at the head only what is open there.
                let head = history[0]["interrupts"].as_array().unwrap();
                let list = if *at_place { listed } else { head };
                let may = |one: &&Value| !*by_id || one["id"] == chosen["id"];
                let name = |one: &Value| one["value"]["name"].as_str().unwrap().to_owned();
                let meant: Vec<String> = list.iter().filter(may).map(name).collect();
                let mut body = json!({"assistant_id": "fanout", "command": {"resume": resume}});
                if *at_place {
                    body["checkpoint_id"] = state["checkpoint_id"].clone();
                }
                let (status, told) = served.send("POST", &format!("{thread}/runs/wait"), &body).await;
                let is_one = meant.len() == 1;
                assert_eq!(status == 200, is_one, "{body} of {list:?}: {told}");
                answers.push(if is_one { meant } else { Vec::new() });
                if is_one && told.get("__interrupt__").is_none() {
                    let seen = json!(format!("{}:{answer}", answers.last().unwrap()[0]));
                    assert!(told["results"].as_array().unwrap().contains(&seen), "{body}: {told}");
                }
            }
        }
    }
    for state in served.get(&format!("{thread}/history?limit=1000")).await.as_array().unwrap() {
        for result in state["values"]["results"].as_array().into_iter().flatten() {
            let (name, answer) = result.as_str().unwrap().split_once(':').unwrap();
            let Some(number) = answer.strip_prefix('a') else { continue };
            assert_eq!(answers[number.parse::<usize>().unwrap()], [name], "{result}");
        }
    }
}

/// An answer that is given with a checkpoint is seen by a question that the checkpoint lists, and by no other.
#[test]
fn drawn_answers_at_checkpoints_are_seen_by_questions_of_theirs_alone() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let served = runtime.block_on(Served::start());
    let config = ProptestConfig {
        cases: graphloom_test_support::draws(),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    proptest!(config, |(turns in prop::collection::vec(turn(), 1..8))| {
        runtime.block_on(does(&served, &turns));
    });
}
