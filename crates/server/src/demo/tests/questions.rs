//! `approval` and `nested`: what they ask, and where answers lead.

use graphloom_core_graph::diagram::EdgeKind;
use serde_json::{Value, json};

use super::{asked, play, steps, thread};
use crate::demo::approval::{self, Approval};
use crate::demo::nested::{self, Nested};

#[tokio::test]
async fn an_answer_decides_where_an_approval_goes() {
    let answers = [
        (json!("approve"), "approve", "publish"),
        (json!({ "decision": "approve" }), "approve", "publish"),
        (json!("reject"), "reject", "discard"),
        (json!({ "decision": "later" }), "later", "discard"),
        (json!({}), "reject", "discard"),
        (json!({ "decision": 1 }), "reject", "discard"),
        (json!(null), "reject", "discard"),
        (json!(true), "reject", "discard"),
    ];
    for (answer, decision, end) in answers {
        let thread = thread(&approval::graph().unwrap());
        let questions = play(thread.run(Approval::update().request("tea".to_owned()))).await.waiting();
        assert_eq!(asked(&questions), [json!({ "question": "Approve?", "draft": "Draft for tea" })]);
        let values = play(thread.resume(questions.answer("approve", &answer).unwrap())).await.values();
        let log = ["draft".to_owned(), format!("review:{decision}"), end.to_owned()];
        let expected = json!({ "request": "tea", "draft": "Draft for tea", "decision": decision, "log": log });
        assert_eq!(values, expected, "{answer}");
        assert_eq!(steps(&thread).await, ["draft", "review", end]);
    }
}

#[test]
fn an_approval_draws_both_ends_of_its_review() {
    let graph = approval::graph().unwrap();
    let ends: Vec<_> = graph.diagram().edges.iter().filter(|edge| edge.from == "review").collect();
    let mut names: Vec<_> = ends.iter().map(|edge| edge.to.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["discard", "publish"]);
    assert!(ends.iter().all(|edge| edge.kind == EdgeKind::Goto), "they depend on the answer");
}

#[tokio::test]
async fn a_nested_graph_gives_back_its_own_trail() {
    let thread = thread(&nested::graph().unwrap());
    let values = play(thread.run(Nested::update().text("  quiet ".to_owned()))).await.values();
    let trail = ["prepare", "child.upper", "child.confirm", "wrap"];
    assert_eq!(values, json!({ "text": "<QUIET>", "trail": trail, "ask": null }));
    assert_eq!(steps(&thread).await, ["prepare", "child", "wrap"]);
}

#[tokio::test]
async fn a_nested_graph_asks_from_inside_and_goes_on_there() {
    for (answer, text) in [(json!("!"), "<QUIET!>"), (json!(7), "<QUIET7>")] {
        let thread = thread(&nested::graph().unwrap());
        let questions = play(thread.run(Nested::update().text("quiet".to_owned()).ask(true))).await.waiting();
        assert_eq!(asked(&questions), [json!({ "question": "Keep?", "text": "QUIET" })]);
        assert_eq!(questions.iter().next().unwrap().path, ["child", "confirm"]);
        let trail: Value = serde_json::to_value(&thread.state().await.unwrap().state.trail).unwrap();
        assert_eq!(trail, json!(["prepare"]), "the child's trail comes with its end");

        let values = play(thread.resume(questions.answer("keep", &answer).unwrap())).await.values();
        let trail = ["prepare", "child.upper", "child.confirm", "wrap"];
        assert_eq!(values, json!({ "text": text, "trail": trail, "ask": true }));
    }
}

#[test]
fn a_nested_graph_draws_its_child() {
    let graph = nested::graph().unwrap();
    let child = graph.diagram().nodes.iter().find(|node| node.name == "child").unwrap();
    let inner = child.inner.as_ref().unwrap();
    let nodes: Vec<_> = inner.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(inner.name, "child");
    assert!(["upper", "confirm"].iter().all(|name| nodes.contains(name)), "{nodes:?}");
}
