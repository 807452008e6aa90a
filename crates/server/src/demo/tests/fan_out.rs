//! `fanout`.

use graphloom_core_graph::Answers;
use serde_json::{Value, json};

use super::{asked, play, steps, thread};
use crate::demo::fanout::{self, Fanout};

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[tokio::test]
async fn results_are_in_the_order_of_the_names() {
    let thread = thread(&fanout::graph().unwrap());
    // More than ten: places compare as numbers. A name that is there twice is worked on twice.
    let many = names(&["k", "b", "c", "d", "e", "f", "g", "h", "i", "j", "a", "b"]);
    let values = play(thread.run(Fanout::update().names(many.clone()))).await.values();
    let mut results: Vec<_> = many.iter().map(|name| format!("{name}:ok")).collect();
    results.push("total:12".to_owned());
    assert_eq!(values, json!({ "names": many, "ask": null, "results": results }));
    assert_eq!(steps(&thread).await, ["split".to_owned(), ["worker"; 12].join(" "), "join".to_owned()]);
}

#[tokio::test]
async fn no_names_are_no_tasks_and_no_total() {
    let thread = thread(&fanout::graph().unwrap());
    let values = play(thread.run(Fanout::update().names(Vec::new()))).await.values();
    assert_eq!(values["results"], json!([]));
    assert_eq!(steps(&thread).await, ["split"]);
}

#[tokio::test]
async fn each_task_asks_and_answers_may_come_in_any_order() {
    let thread = thread(&fanout::graph().unwrap());
    let questions = play(thread.run(Fanout::update().names(names(&["a", "b", "c"])).ask(true))).await.waiting();
    assert_eq!(asked(&questions), ["a", "b", "c"].map(|name| json!({ "name": name })));
    let ids: Vec<_> = questions.iter().map(|question| question.id.clone()).collect();

    let last = Answers::new().and(&ids[2], "three").unwrap();
    let left = play(thread.resume(last)).await.waiting();
    assert_eq!(asked(&left), ["a", "b"].map(|name| json!({ "name": name })), "the others still wait");
    assert!(thread.state().await.unwrap().state.results.is_empty());

    let both = Answers::new().and(&ids[1], json!(["two"])).unwrap().and(&ids[0], Value::Null).unwrap();
    let values = play(thread.resume(both)).await.values();
    assert_eq!(values["results"], json!(["a:null", r#"b:["two"]"#, "c:three", "total:3"]));
}
