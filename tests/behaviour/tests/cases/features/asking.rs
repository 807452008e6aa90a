//! Questions that go wrong.

use graphloom_core_graph::{Answers, Context, Node, RunError, START, Snapshot, StateGraph};

use crate::case_store::{CaseStore, on_every_store};
use crate::work::{Calls, Work, Worked, done, line, steps, waiting, warnings};

on_every_store!(
    feature_answers_come_with_an_update,
    feature_a_question_that_is_swallowed_waits_all_the_same,
    feature_a_vanished_node_with_a_question_is_told,
);

const B: Node = Node::named("b");
const ASK: Node = Node::named("ask");

/// A node that asks under `go` and logs the answer.
fn add_asking(graph: &mut StateGraph<Work>, node: Node) {
    graph
        .add_node(node, |_: Snapshot<Work>, cx: Context| async move {
            let answer: String = cx.ask("go", &()).await?;
            Worked::Ok(line(answer))
        })
        .asks::<String>("go");
}

async fn feature_answers_come_with_an_update(case_store: &CaseStore) {
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(ASK, |work: Snapshot<Work>, cx: Context| async move {
            let answer: String = cx.ask("go", &()).await?;
            Worked::Ok(line(format!("{answer} {}", work.x)))
        })
        .asks::<String>("go");
    let seen = calls.clone();
    graph.add_node(B, move |_: Snapshot<Work>| {
        seen.add("b");
        async { Worked::Ok(line("b")) }
    });
    graph.add_edge(START, ASK).add_edge(START, B);
    let thread = case_store.thread(graph);
    let questions = waiting(thread.run(Work::update().x(1)).await);
    let answer = || questions.answer("go", "yes").unwrap();
    let before = thread.state().await.unwrap();
    let useless = Answers::new().and("go", 7).unwrap();
    assert!(thread.update_and_resume(Work::update().x(2), useless).await.is_err());
    let after = thread.state().await.unwrap();
    assert_eq!((after.state, after.questions, after.checkpoint), (before.state, before.questions, before.checkpoint));
    let work = done(thread.update_and_resume(line("said").x(2), answer()).await);
    assert_eq!(work.log.iter().collect::<Vec<_>>(), ["said", "yes 2", "b"]);
    assert_eq!((work.x, calls.count("b")), (2, 1));
    assert_eq!(steps(&thread).await, ["ask b"]);
}

async fn feature_a_question_that_is_swallowed_waits_all_the_same(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(ASK, |_: Snapshot<Work>, cx: Context| async move {
            let answer = cx.ask::<String>("go", &()).await.unwrap_or_else(|_| "swallowed".to_owned());
            Worked::Ok(line(answer))
        })
        .asks::<String>("go");
    graph.add_edge(START, ASK);
    let thread = case_store.thread(graph);
    let questions = waiting(thread.run(Work::update()).await);
    assert_eq!(thread.state().await.unwrap().state.story(), "");
    assert!(warnings(&thread).await[0].starts_with("node `ask` asked a question and did not pass the suspension on"));
    assert_eq!(done(thread.resume(questions.answer("go", "yes").unwrap()).await).story(), "yes");
}

async fn feature_a_vanished_node_with_a_question_is_told(case_store: &CaseStore) {
    let graph = |node: Node| {
        let mut graph = StateGraph::<Work>::new("g");
        add_asking(&mut graph, node.clone());
        graph.add_edge(START, node);
        graph
    };
    let id = case_store.id();
    let questions = waiting(case_store.threads(graph(ASK)).thread(id.clone()).run(Work::update()).await);
    let renamed = case_store.threads(graph(B)).thread(id.clone());
    let error = renamed.resume(questions.answer("go", "yes").unwrap()).await.unwrap_err();
    assert!(matches!(error, RunError::GraphMismatch { .. }), "{error}");
    assert!(error.to_string().contains("a task waits at node `ask`, which the graph no longer has"), "{error}");
    let again = case_store.threads(graph(ASK)).thread(id);
    assert_eq!(done(again.resume(questions.answer("go", "yes").unwrap()).await).story(), "yes");
}
