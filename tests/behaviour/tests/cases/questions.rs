//! Questions: asked, answered in part, by id, wrongly, late, twice.

use graphloom_core_graph::checkpoint::{HistoryFilter, ThreadStatus};
use graphloom_core_graph::{Answers, ChildOutcome, Context, Node, RunError, START, Snapshot, StateGraph, Task, Thread};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::case_store::{CaseStore, on_every_store};
use crate::work::{Calls, Work, Worked, add_nodes, done, line, says, status, steps, waiting};

on_every_store!(
    case_38_a_question_waits_and_its_answer_goes_on,
    case_40_some_answers_come_later_and_only_what_was_answered_runs_again,
    case_41_many_children_ask_and_one_resume_answers_all,
    case_43_every_json_value_is_an_answer,
    case_43_an_answer_to_nothing_is_an_error,
    case_43_another_answer_at_the_same_place_is_another_branch,
    case_44_an_invalid_answer_changes_nothing,
    case_46_an_input_drops_open_questions_only_when_told_to,
    case_46_an_update_as_the_asking_node_takes_its_question_back,
    case_47_a_child_that_asks_goes_on_where_it_was,
);

const A: Node = Node::named("a");
const ASK: Node = Node::named("ask");
const B: Node = Node::named("b");
const JOINED: Node = Node::named("j");

/// A node that asks under a key and logs `name got answer`.
fn add_asking(graph: &mut StateGraph<Work>, node: Node, calls: &Calls) {
    let (calls, name) = (calls.clone(), node.as_str().to_owned());
    graph
        .add_node(node, move |_: Snapshot<Work>, cx: Context| {
            let (calls, name) = (calls.clone(), name.clone());
            async move {
                calls.add(&*name);
                let answer: String = cx.ask("go", &format!("{name}?")).await?;
                Worked::Ok(line(format!("{name} got {answer}")))
            }
        })
        .asks::<String>("go");
}

fn chain(calls: &Calls) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[A, B]);
    add_asking(&mut graph, ASK, calls);
    graph.add_edge(START, A).add_edge(A, ASK).add_edge(ASK, B);
    graph
}

fn log(work: &Work) -> Vec<&str> {
    work.log.iter().map(String::as_str).collect()
}

async fn case_38_a_question_waits_and_its_answer_goes_on(case_store: &CaseStore) {
    let calls = Calls::default();
    let thread = case_store.thread(chain(&calls));
    let asked = waiting(thread.run(Work::update()).await);
    assert_eq!(asked.len(), 1);
    let question = asked.iter().next().unwrap();
    assert_eq!((question.key.as_str(), &question.payload), ("go", &json!("ask?")));
    let state = thread.state().await.unwrap();
    assert_eq!(
        (state.status, log(&state.state), state.next.as_slice()),
        (ThreadStatus::Waiting, vec!["a"], &["ask".to_owned()][..])
    );
    assert_eq!(state.questions, asked, "the same question, with the same id");
    let refused = thread.continue_().await.unwrap_err();
    assert!(matches!(refused, RunError::WrongStatus { status: ThreadStatus::Waiting, .. }), "{refused}");
    let again = waiting(thread.resume(Answers::new()).await);
    assert_eq!(again, asked, "no answer, the same question");
    assert_eq!(log(&done(thread.resume(asked.answer("go", "yes").unwrap()).await)), ["a", "ask got yes", "b"]);
    let steps: Vec<_> = thread.history(&HistoryFilter::default()).await.unwrap().iter().map(|row| row.step).collect();
    // A pause leaves no checkpoint of its own, but with `Exit` it ends a call, which leaves one.
    let expected: &[u64] = if case_store.keeps_steps() { &[3, 2, 1, 0] } else { &[3, 1] };
    assert_eq!(steps, expected);
    assert_eq!(calls.count("ask"), 2, "once to ask, once with the answer");
}

async fn case_40_some_answers_come_later_and_only_what_was_answered_runs_again(case_store: &CaseStore) {
    let (p, q, r) = (Node::named("p"), Node::named("q"), Node::named("r"));
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    add_asking(&mut graph, p.clone(), &calls);
    add_asking(&mut graph, q.clone(), &calls);
    let plain = calls.clone();
    graph.add_node(r.clone(), move |_: Snapshot<Work>| {
        plain.add("r");
        async { Worked::Ok(line("r")) }
    });
    graph.add_node(JOINED, says("j"));
    for node in [&p, &q, &r] {
        graph.add_edge(START, node.clone());
    }
    graph.add_join([p, q, r], JOINED);
    let thread = case_store.thread(graph);
    let asked = waiting(thread.run(Work::update()).await);
    assert_eq!(asked.len(), 2);
    let ambiguous = thread.resume(Answers::new().and("go", "yes").unwrap()).await.unwrap_err();
    assert!(matches!(&ambiguous, RunError::UnknownQuestion { key, .. } if key == "go"), "{ambiguous}");
    let of = |name: &str| asked.iter().find(|question| question.path == [name]).unwrap().id.clone();
    let left = waiting(thread.resume(Answers::new().and(&of("p"), "P").unwrap()).await);
    assert_eq!(left.iter().map(|question| question.id.clone()).collect::<Vec<_>>(), [of("q")]);
    let work = done(thread.resume(left.answer("go", "Q").unwrap()).await);
    assert_eq!(log(&work), ["p got P", "q got Q", "r", "j"]);
    assert_eq!((calls.count("p"), calls.count("q"), calls.count("r")), (2, 2, 1));
    assert_eq!(steps(&thread).await, ["p q r", "j"]);
}

async fn case_41_many_children_ask_and_one_resume_answers_all(case_store: &CaseStore) {
    const PART: Task<u64> = Task::named("part");
    let calls = Calls::default();
    let mut inner = StateGraph::<Work>::new("inner");
    inner
        .add_node(ASK, |work: Snapshot<Work>, cx: Context| async move {
            let answer: String = cx.ask("go", &work.x).await?;
            Worked::Ok(line(format!("{}{answer}", work.x)))
        })
        .asks::<String>("go");
    inner.add_edge(START, ASK);
    let mut graph = StateGraph::<Work>::new("g");
    add_asking(&mut graph, ASK, &calls);
    graph.add_subgraph_task(
        PART,
        inner.compile().unwrap(),
        |number: u64, _: &Work| Work::update().x(number as i64),
        |child: ChildOutcome<Work>| Worked::Ok(line(child.done()?.story())),
    );
    graph.add_edge(ASK, graphloom_core_graph::END);
    graph.add_sends(START, PART, |_: &Work| (0..5).map(|at| PART.send(at, at)).collect());
    graph.add_join(PART, B);
    graph.add_node(B, says("b"));
    graph.add_conditional_edges(B, [ASK, graphloom_core_graph::END], |_: &Work| graphloom_core_graph::END);
    let thread = case_store.thread(graph);
    let asked = waiting(thread.run(Work::update()).await);
    assert_eq!(asked.len(), 5);
    let mut answers = Answers::new();
    for question in asked.iter() {
        answers = answers.and(&question.id, format!("={}", question.payload)).unwrap();
    }
    assert_eq!(done(thread.resume(answers).await).story(), "0=0 1=1 2=2 3=3 4=4 b");
}

/// Asks for anything and keeps it as text.
fn asking_anything() -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(ASK, |_: Snapshot<Work>, cx: Context| async move {
            let answer: Value = cx.ask("go", &()).await?;
            Worked::Ok(line(answer.to_string()))
        })
        .asks::<Value>("go");
    graph.add_edge(START, ASK);
    graph
}

async fn case_43_every_json_value_is_an_answer(case_store: &CaseStore) {
    for answer in [json!(0), json!(""), json!(false), json!([]), json!(null), json!({})] {
        let thread = case_store.thread(asking_anything());
        waiting(thread.run(Work::update()).await);
        let work = done(thread.resume(Answers::new().and("go", &answer).unwrap()).await);
        assert_eq!(log(&work), [answer.to_string()]);
    }
}

async fn case_43_an_answer_to_nothing_is_an_error(case_store: &CaseStore) {
    let thread = case_store.thread(asking_anything());
    let answers = Answers::new().and("nobody", 1).unwrap();
    let refused = thread.resume(answers.clone()).await.unwrap_err();
    assert!(matches!(refused, RunError::WrongStatus { status: ThreadStatus::New, .. }), "{refused}");
    let asked = waiting(thread.run(Work::update()).await);
    let unknown = thread.resume(answers.clone()).await.unwrap_err();
    assert_eq!(unknown.to_string(), "no open question `nobody`; open: `go`");
    assert_eq!(status(&thread).await, ThreadStatus::Waiting);
    done(thread.resume(asked.answer("go", 1).unwrap()).await);
    let late = thread.resume(answers).await.unwrap_err();
    assert!(matches!(late, RunError::WrongStatus { status: ThreadStatus::Done, .. }), "{late}");
}

async fn case_43_another_answer_at_the_same_place_is_another_branch(case_store: &CaseStore) {
    let thread = case_store.thread(asking_anything());
    let asked = waiting(thread.run(Work::update()).await);
    let place = thread.state().await.unwrap().checkpoint.unwrap().number;
    assert_eq!(log(&done(thread.resume(asked.answer("go", 1).unwrap()).await)), ["1"]);
    let end = thread.state().await.unwrap().checkpoint.unwrap().number;
    thread.at(place).fork().await.unwrap();
    let again = waiting(thread.continue_().await);
    assert_eq!(log(&done(thread.resume(again.answer("go", 2).unwrap()).await)), ["2"]);
    assert_eq!(log(&thread.at(end).state().await.unwrap().state), ["1"], "the first branch is as it was");
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Verdict {
    mark: u8,
}

async fn case_44_an_invalid_answer_changes_nothing(case_store: &CaseStore) {
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    let seen = calls.clone();
    graph
        .add_node(ASK, move |_: Snapshot<Work>, cx: Context| {
            seen.add("ask");
            async move {
                let verdict: Verdict = cx.ask("verdict", &()).await?;
                Worked::Ok(Work::update().x(i64::from(verdict.mark)))
            }
        })
        .asks::<Verdict>("verdict");
    graph.add_edge(START, ASK);
    let thread = case_store.thread(graph);
    let asked = waiting(thread.run(Work::update()).await);
    let before = thread.state().await.unwrap().checkpoint;
    let wrong = thread.resume(Answers::new().and("verdict", json!({"mark": "x"})).unwrap()).await.unwrap_err();
    assert_eq!(
        wrong.to_string(),
        r#"the answer to `verdict` does not fit: at `mark`: invalid type: string "x", expected u8"#
    );
    let after = thread.state().await.unwrap();
    assert_eq!((after.status, after.checkpoint, &after.questions), (ThreadStatus::Waiting, before, &asked));
    assert_eq!(calls.count("ask"), 1, "nothing ran");
    assert_eq!(done(thread.resume(asked.answer("verdict", Verdict { mark: 7 }).unwrap()).await).x, 7);
}

async fn case_46_an_input_drops_open_questions_only_when_told_to(case_store: &CaseStore) {
    let calls = Calls::default();
    let thread = case_store.thread(chain(&calls));
    let first = waiting(thread.run(Work::update()).await);
    let refused = thread.run(line("in")).await.unwrap_err();
    assert!(matches!(refused, RunError::WrongStatus { status: ThreadStatus::Waiting, .. }), "{refused}");
    let second = waiting(thread.abandon().run(line("in")).await);
    assert_eq!(second.len(), 1);
    assert_ne!(second, first, "the question of the second turn");
    let stale = thread.resume(Answers::new().and(&first.iter().next().unwrap().id, "late").unwrap()).await;
    assert!(matches!(stale, Err(RunError::UnknownQuestion { .. })), "{stale:?}");
    assert_eq!(log(&done(thread.resume(second.answer("go", "2").unwrap()).await)), ["a", "in", "a", "ask got 2", "b"]);
}

async fn case_46_an_update_as_the_asking_node_takes_its_question_back(case_store: &CaseStore) {
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    add_asking(&mut graph, ASK, &calls);
    graph.add_edge(START, ASK);
    let thread = case_store.thread(graph);
    waiting(thread.run(Work::update()).await);
    thread.update_state(ASK, line("decided")).await.unwrap();
    let state = thread.state().await.unwrap();
    assert_eq!((state.status, state.next.len(), state.questions.len()), (ThreadStatus::Done, 0, 0));
    assert_eq!(log(&state.state), ["decided"]);
}

async fn case_47_a_child_that_asks_goes_on_where_it_was(case_store: &CaseStore) {
    let calls = Calls::default();
    let mut inner = StateGraph::<Work>::new("inner");
    let first = calls.clone();
    inner.add_node(A, move |_: Snapshot<Work>| {
        first.add("s1");
        async { Worked::Ok(line("s1")) }
    });
    inner
        .add_node(ASK, |_: Snapshot<Work>, cx: Context| async move {
            let answer: String = cx.ask("go", &()).await?;
            Worked::Ok(line(format!("s2:{answer}")))
        })
        .asks::<String>("go");
    inner.add_edge(START, A).add_edge(A, ASK);
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_subgraph(
        B,
        inner.compile().unwrap(),
        |_: &Work| Work::update(),
        |child: ChildOutcome<Work>| {
            Worked::Ok(Work::update().log(child.done()?.log.iter().cloned().collect::<Vec<_>>()))
        },
    );
    graph.add_edge(START, B);
    let thread: Thread<Work> = case_store.thread(graph);
    let asked = waiting(thread.run(Work::update()).await);
    assert_eq!(asked.iter().next().unwrap().path, ["b", "ask"]);
    let spaces = case_store.store().namespaces(thread.id()).await.unwrap();
    assert_eq!(spaces.len(), 2, "the child's state is stored while it waits: {spaces:?}");
    assert_eq!(log(&done(thread.resume(asked.answer("go", "R").unwrap()).await)), ["s1", "s2:R"]);
    assert_eq!(calls.count("s1"), 1);
}
