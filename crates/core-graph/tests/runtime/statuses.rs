//! The table of the thread module, row by row: what each call does to a thread of each status.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_core_graph::{
    Answers, Context, Node, NodeError, RunError, RunPolicy, START, Snapshot, StateGraph, Thread,
};
use tokio::sync::Notify;

use crate::log::{Noted, Work, done, note, noted, threads};

const A: Node = Node::named("a");
const B: Node = Node::named("b");

const GOOD: u8 = 0;
const ASKS: u8 = 1;
const FAILS: u8 = 2;
const HANGS: u8 = 3;

/// A thread brought to a status by what its first node does.
pub(crate) async fn brought_to(status: ThreadStatus) -> Thread<Work> {
    let manner = Arc::new(AtomicU8::new(GOOD));
    let started = Arc::new(Notify::new());
    let (does, tells) = (Arc::clone(&manner), Arc::clone(&started));
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(A, move |_: Snapshot<Work>, cx: Context| {
            let (manner, tells) = (does.load(Ordering::SeqCst), Arc::clone(&tells));
            async move {
                match manner {
                    ASKS => {
                        let name: String = cx.ask("name", "?").await?;
                        return Ok(noted(name));
                    }
                    FAILS => return Err(NodeError::terminal("broken")),
                    HANGS => {
                        tells.notify_one();
                        std::future::pending::<()>().await;
                    }
                    _ => {}
                }
                Noted::Ok(noted("a"))
            }
        })
        .asks::<String>("name");
    graph.add_node(B, note("b"));
    graph.add_edge(START, A).add_edge(A, B);
    let thread = threads(graph).thread("t");
    match status {
        ThreadStatus::New => {}
        ThreadStatus::Done => drop(done(thread.run(Work::update()).await)),
        ThreadStatus::Waiting => {
            manner.store(ASKS, Ordering::SeqCst);
            thread.run(Work::update()).await.expect("the run ends");
            return thread;
        }
        ThreadStatus::Failed => {
            manner.store(FAILS, Ordering::SeqCst);
            thread.run(Work::update()).await.expect_err("the run fails");
        }
        ThreadStatus::BudgetSpent => {
            thread.policy(RunPolicy::default().budget(1)).run(Work::update()).await.expect("the run ends");
        }
        ThreadStatus::Cancelled | ThreadStatus::Running => {
            manner.store(HANGS, Ordering::SeqCst);
            let run = thread.run(Work::update()).start();
            started.notified().await;
            thread.cancel();
            run.await.expect("the run ends");
        }
        _ => {
            manner.store(HANGS, Ordering::SeqCst);
            let run = thread.run(Work::update()).start();
            thread.drain();
            run.await.expect("the run ends");
        }
    }
    manner.store(GOOD, Ordering::SeqCst);
    assert_eq!(thread.state().await.expect("the thread reads").status, status);
    thread
}

/// `ran`, `went on`, or the refusal's remedy.
fn told(outcome: Result<graphloom_core_graph::Outcome<Work>, RunError>) -> String {
    match outcome {
        Ok(outcome) => match outcome.done() {
            Ok(work) => work.story(),
            Err(other) => format!("{other:?}").split([' ', '(']).next().unwrap_or_default().to_owned(),
        },
        Err(RunError::WrongStatus { remedy, .. }) => format!("refused: {remedy}"),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn every_row_of_the_table() {
    const NOTHING: &str = "refused: there is nothing to go on with; `run` it";
    const NO_QUESTION: &str = "refused: no question is open; `questions()` lists open ones";
    const NOTHING_ASKED: &str = "refused: no question is open; go on with `continue_()`";
    const ANSWER: &str = "refused: answer its questions with `resume`, or drop them with `abandon().run(…)`";
    const GO_ON: &str = "refused: go on with `continue_()`, or drop its unfinished tasks with `abandon().run(…)`";
    use ThreadStatus::{BudgetSpent, Cancelled, Done, Drained, Failed, New, Waiting};
    let rows = [
        (New, "a b", "a b", NO_QUESTION, NOTHING),
        (Done, "a b a b", "a b a b", NO_QUESTION, NOTHING),
        (Waiting, ANSWER, "Waiting", "Ada b", "refused: answer its questions with `resume`"),
        (Failed, GO_ON, "a b", NOTHING_ASKED, "a b"),
        (Cancelled, GO_ON, "a b", NOTHING_ASKED, "a b"),
        (Drained, GO_ON, "a b", NOTHING_ASKED, "a b"),
        (BudgetSpent, GO_ON, "a a b", NOTHING_ASKED, "a b"),
    ];
    for (status, run, abandon, resume, continue_) in rows {
        let row = |call: &str| format!("{status:?} {call}");
        assert_eq!(told(brought_to(status).await.run(Work::update()).await), run, "{}", row("run"));
        assert_eq!(told(brought_to(status).await.abandon().run(Work::update()).await), abandon, "{}", row("abandon"));
        let answers = if status == Waiting { Answers::new().and("name", "Ada").unwrap() } else { Answers::new() };
        assert_eq!(told(brought_to(status).await.resume(answers).await), resume, "{}", row("resume"));
        assert_eq!(told(brought_to(status).await.continue_().await), continue_, "{}", row("continue_"));
        let thread = brought_to(status).await;
        thread.update_state(A, noted("edited")).await.unwrap();
        assert!(told(thread.continue_().await).ends_with("edited b"), "{}", row("update_state"));
    }
}
