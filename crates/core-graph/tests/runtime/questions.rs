//! Questions: checked answers, partial answers, suffixes, swallowed suspensions.

use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_core_graph::{
    Answers, Context, Mode, Node, NodeError, Outcome, Questions, RunError, START, Snapshot, StateGraph, Thread,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::log::{Calls, Noted, Work, done, failed, note, noted, steps, thread, warnings};

const ASK: Node = Node::named("ask");
const OTHER: Node = Node::named("other");
const PLAIN: Node = Node::named("plain");

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Verdict {
    mark: u8,
}

async fn waiting(thread: &Thread<Work>, outcome: Result<Outcome<Work>, RunError>) -> Questions {
    let Outcome::Waiting(questions) = outcome.expect("the run ends") else { panic!("the run waits") };
    assert_eq!(thread.state().await.expect("the thread reads").status, ThreadStatus::Waiting);
    questions
}

fn asking(mode: Mode, calls: &Calls) -> Thread<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(mode);
    for (node, name) in [(ASK, "ask"), (OTHER, "other")] {
        let calls = calls.clone();
        graph
            .add_node(node, move |work: Snapshot<Work>, cx: Context| {
                let calls = calls.clone();
                async move {
                    calls.add(name);
                    let verdict: Verdict = cx.ask("verdict", &work.count).await?;
                    Noted::Ok(noted(format!("{name}={}", verdict.mark)))
                }
            })
            .asks::<Verdict>("verdict");
    }
    let plain = calls.clone();
    graph.add_node(PLAIN, move |_: Snapshot<Work>| {
        plain.add("plain");
        async { Noted::Ok(noted("plain")) }
    });
    graph.add_edge(START, ASK).add_edge(START, OTHER).add_edge(START, PLAIN);
    thread(graph)
}

#[tokio::test]
async fn answers_are_checked_before_anything_runs() {
    let calls = Calls::default();
    let thread = asking(Mode::Barrier, &calls);
    let questions = waiting(&thread, thread.run(Work::update().count(3)).await).await;
    assert_eq!(questions.iter().map(|question| question.payload.clone()).collect::<Vec<_>>(), [3, 3]);
    let ids: Vec<_> = questions.iter().map(|question| question.id.clone()).collect();
    let before = calls.all().len();

    let several = thread.resume(Answers::new().and("verdict", Verdict { mark: 1 }).unwrap()).await.unwrap_err();
    insta::assert_snapshot!(several, @"no open question `verdict`; open: several of that key, answer by id: `ask:1.0?verdict`, `other:1.1?verdict`");
    let unknown = thread.resume(Answers::new().and("nobody", 1).unwrap()).await.unwrap_err();
    insta::assert_snapshot!(unknown, @"no open question `nobody`; open: `verdict`, `verdict`");
    let good_and_bad = Answers::new()
        .and(&ids[0], Verdict { mark: 1 })
        .unwrap()
        .and(&ids[1], serde_json::json!({ "mark": "x" }))
        .unwrap();
    let bad = thread.resume(good_and_bad).await.unwrap_err();
    insta::assert_snapshot!(bad, @r#"the answer to `other:1.1?verdict` does not fit: at `mark`: invalid type: string "x", expected u8"#);
    assert_eq!(calls.all().len(), before, "nothing ran");
    assert_eq!(thread.questions().await.unwrap().len(), 2, "and nothing was answered");
    assert_eq!(thread.state().await.unwrap().status, ThreadStatus::Waiting);
}

#[tokio::test]
async fn some_answers_may_come_later_and_only_answered_tasks_run_again() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let calls = Calls::default();
        let thread = asking(mode, &calls);
        let questions = waiting(&thread, thread.run(Work::update()).await).await;
        let other = questions.iter().find(|question| question.path == ["other"]).unwrap().id.clone();
        let left = waiting(&thread, thread.resume(questions.answer(&other, Verdict { mark: 2 }).unwrap()).await).await;
        assert_eq!(left.iter().map(|question| question.path[0].as_str()).collect::<Vec<_>>(), ["ask"]);
        assert_eq!((calls.count("ask"), calls.count("other"), calls.count("plain")), (1, 2, 1));
        let work = done(thread.resume(left.answer("verdict", Verdict { mark: 1 }).unwrap()).await);
        assert!(work.story().contains("ask=1") && work.story().contains("other=2") && work.story().contains("plain"));
        assert_eq!((calls.count("ask"), calls.count("other"), calls.count("plain")), (2, 2, 1));
        if mode == Mode::Barrier {
            assert_eq!(work.story(), "ask=1 other=2 plain");
            assert_eq!(steps(&thread).await, ["ask other plain"]);
        }
    }
}

#[tokio::test]
async fn several_questions_of_one_task_are_asked_together_with_suffixes() {
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(ASK, |_: Snapshot<Work>, cx: Context| async move {
            let (one, two) = tokio::join!(cx.ask::<u8>("part/1", "1?"), cx.ask::<u8>("part/2", "2?"));
            Noted::Ok(noted(format!("{}{}", one?, two?)))
        })
        .asks::<u8>("part");
    graph.add_edge(START, ASK);
    let thread = thread(graph);
    let questions = waiting(&thread, thread.run(Work::update()).await).await;
    assert_eq!(questions.iter().map(|question| question.key.as_str()).collect::<Vec<_>>(), ["part/1", "part/2"]);
    let left = waiting(&thread, thread.resume(questions.answer("part/2", 2).unwrap()).await).await;
    assert_eq!(left.iter().map(|question| question.key.as_str()).collect::<Vec<_>>(), ["part/1"]);
    assert_eq!(done(thread.resume(left.answer("part/1", 1).unwrap()).await).story(), "12");
}

#[tokio::test]
async fn a_swallowed_suspension_still_waits_and_warns() {
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(ASK, |_: Snapshot<Work>, cx: Context| async move {
            let answer = cx.ask::<u8>("part", "?").await.unwrap_or(0);
            Noted::Ok(noted(answer.to_string()))
        })
        .asks::<u8>("part");
    graph.add_edge(START, ASK);
    let thread = thread(graph);
    let questions = waiting(&thread, thread.run(Work::update()).await).await;
    assert_eq!(thread.state().await.unwrap().state.story(), "", "its update is discarded");
    assert_eq!(
        warnings(&thread).await,
        ["node `ask` asked a question and did not pass the suspension on with `?`; its result is discarded"]
    );
    assert_eq!(done(thread.resume(questions.answer("part", 4).unwrap()).await).story(), "4");
}

#[tokio::test]
async fn an_undeclared_question_is_an_error() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(ASK, |_: Snapshot<Work>, cx: Context| async move {
        cx.ask::<u8>("age", "?").await?;
        Noted::Ok(noted("-"))
    });
    graph.add_edge(START, ASK);
    insta::assert_snapshot!(failed(thread(graph).run(Work::update()).await), @r#"node `ask` failed: node `ask` asks `age`, which it does not declare; add `.asks::<Answer>("age")` to the node"#);
}

#[tokio::test]
async fn a_question_in_a_loop_is_asked_anew() {
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(ASK, |_: Snapshot<Work>, cx: Context| async move {
            let mark: i64 = cx.ask("mark", "?").await?;
            Noted::Ok(noted(mark.to_string()).count(mark))
        })
        .asks::<i64>("mark");
    graph.add_node(PLAIN, note("plain"));
    graph.add_edge(START, ASK);
    graph.add_conditional_edges(ASK, [ASK, PLAIN], |work: &Work| if work.count < 3 { ASK } else { PLAIN });
    let thread = thread(graph);
    let mut questions = waiting(&thread, thread.run(Work::update()).await).await;
    questions = waiting(&thread, thread.resume(questions.answer("mark", 1).unwrap()).await).await;
    assert_eq!(done(thread.resume(questions.answer("mark", 2).unwrap()).await).story(), "1 2 plain");
}

#[tokio::test]
async fn eager_a_question_does_not_hold_back_other_branches() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(Mode::Eager);
    graph
        .add_node(ASK, |_: Snapshot<Work>, cx: Context| async move {
            let answer: String = cx.ask("name", "?").await?;
            Noted::Ok(noted(answer))
        })
        .asks::<String>("name");
    graph.add_node(OTHER, note("other"));
    graph.add_node(PLAIN, note("plain"));
    graph.add_edge(START, ASK).add_edge(START, OTHER).add_edge(OTHER, PLAIN);
    let thread = thread(graph);
    let questions = waiting(&thread, thread.run(Work::update()).await).await;
    assert_eq!(thread.state().await.unwrap().state.story(), "other plain");
    assert_eq!(done(thread.resume(questions.answer("name", "Ada").unwrap()).await).story(), "other plain Ada");
}

#[tokio::test]
async fn abandoned_questions_leave_nothing_behind() {
    let calls = Calls::default();
    let thread = asking(Mode::Barrier, &calls);
    waiting(&thread, thread.run(Work::update()).await).await;
    let refused = thread.run(Work::update()).await.unwrap_err();
    insta::assert_snapshot!(refused, @"thread `t` is Waiting: answer its questions with `resume`, or drop them with `abandon().run(…)`");
    let questions = waiting(&thread, thread.abandon().run(Work::update()).await).await;
    assert_eq!(questions.len(), 2, "those of the new run");
    assert_eq!(calls.count("plain"), 2);
    let mut answers = Answers::new();
    for question in questions.iter() {
        answers = answers.and(&question.id, Verdict { mark: 5 }).unwrap();
    }
    assert_eq!(done(thread.resume(answers).await).story(), "ask=5 other=5 plain");
}

#[tokio::test]
async fn an_answer_to_a_thread_that_failed_beside_its_question_says_how_it_goes_on() {
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(ASK, |_: Snapshot<Work>, cx: Context| async move {
            let verdict: Verdict = cx.ask("verdict", &()).await?;
            Noted::Ok(noted(format!("ask={}", verdict.mark)))
        })
        .asks::<Verdict>("verdict");
    let fails = calls.clone();
    graph.add_node(PLAIN, move |_: Snapshot<Work>| {
        fails.add("plain");
        let is_first = fails.count("plain") == 1;
        async move { if is_first { Err(NodeError::terminal("not yet")) } else { Noted::Ok(noted("plain")) } }
    });
    graph.add_edge(START, ASK).add_edge(START, PLAIN);
    let thread = thread(graph);
    assert!(failed(thread.run(Work::update()).await).contains("not yet"));
    let state = thread.state().await.unwrap();
    assert_eq!((state.status, state.questions.len()), (ThreadStatus::Failed, 1));
    let answers = state.questions.answer("verdict", Verdict { mark: 1 }).unwrap();
    insta::assert_snapshot!(
        failed(thread.resume(answers.clone()).await),
        @"thread `t` is Failed: its run failed beside the question `verdict`; go on with `continue_()`, which asks it again, and answer it then"
    );
    assert_eq!(waiting(&thread, thread.continue_().await).await, state.questions);
    assert_eq!(done(thread.resume(answers).await).story(), "ask=1 plain");
}
