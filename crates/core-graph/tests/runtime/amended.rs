//! Answers that come with an update: committed together, refused together, seen by what runs again.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use graphloom_core_graph::checkpoint::{
    CheckpointError, Checkpointer, CheckpointerLayer, Commit, HistoryFilter, Lease, MemoryCheckpointer, Source,
    TaskRecordKind, ThreadStatus,
};
use graphloom_core_graph::{
    Answers, ChildOutcome, Context, Durability, EventKind, Mode, Node, Outcome, Questions, RunError, RunPolicy, START,
    Snapshot, State, StateGraph, Thread,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::log::{Build, Calls, Memory, Noted, Work, done, note, noted, steps, thread};

const ASK: Node = Node::named("ask");
const CHILD: Node = Node::named("child");
const OTHER: Node = Node::named("other");
const PLAIN: Node = Node::named("plain");

/// What a commit brought: whether a checkpoint, and how many answers.
type Seen = (bool, usize);

/// Remembers its commits. Refuses one, before or after it is written.
#[derive(Clone, Default)]
struct Watched {
    store: MemoryCheckpointer,
    commits: Arc<Mutex<Vec<Seen>>>,
    /// Counts down to the commit that fails, and whether it is written all the same.
    fails: Arc<Mutex<Option<(usize, bool)>>>,
}

#[async_trait]
impl CheckpointerLayer for Watched {
    fn inner(&self) -> &dyn Checkpointer {
        &self.store
    }

    async fn commit(&self, lease: &Lease, commit: Commit) -> Result<(), CheckpointError> {
        let answers = commit.tasks.iter().filter(|record| record.kind == TaskRecordKind::Answer).count();
        self.commits.lock().expect("no test panics here").push((commit.checkpoint.is_some(), answers));
        let failing = {
            let mut fails = self.fails.lock().expect("no test panics here");
            let now = fails.filter(|(after, _)| *after == 0);
            *fails = fails.and_then(|(after, written)| Some((after.checked_sub(1)?, written)));
            now
        };
        if let Some((_, false)) = failing {
            return Err(CheckpointError::Full { path: "disk".to_owned(), message: "no room".to_owned() });
        }
        self.store.commit(lease, commit).await?;
        match failing {
            Some(_) => Err(CheckpointError::Full { path: "disk".to_owned(), message: "no room".to_owned() }),
            None => Ok(()),
        }
    }
}

/// Two nodes that ask and say which `last` they saw, and one that does not ask.
fn asking(mode: Mode, calls: &Calls) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(mode);
    for (node, name) in [(ASK, "ask"), (OTHER, "other")] {
        graph
            .add_node(node, move |work: Snapshot<Work>, cx: Context| async move {
                let answer: String = cx.ask("go", name).await?;
                Noted::Ok(noted(format!("{name}:{answer}:{}", work.last)))
            })
            .asks::<String>("go");
    }
    let calls = calls.clone();
    graph.add_node(PLAIN, move |_: Snapshot<Work>| {
        calls.add("plain");
        async { Noted::Ok(noted("plain")) }
    });
    graph.add_edge(START, ASK).add_edge(START, OTHER).add_edge(START, PLAIN);
    graph
}

fn waiting(outcome: Result<Outcome<Work>, RunError>) -> Questions {
    let Outcome::Waiting(questions) = outcome.expect("the run ends") else { panic!("the run waits") };
    questions
}

fn answer(questions: &Questions, node: &str, answer: &str) -> Answers {
    let of_node = questions.iter().find(|question| question.path == [node]).expect("it asks");
    questions.answer(&of_node.id, answer).expect("it fits")
}

#[tokio::test]
async fn what_runs_again_sees_the_update_and_what_finished_stays() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let calls = Calls::default();
        let thread = thread(asking(mode, &calls));
        let asked = waiting(thread.run(Work::update().last("old")).await);
        let update = noted("said").last("new");
        let left = waiting(thread.update_and_resume(update, answer(&asked, "ask", "yes")).await);
        assert_eq!(left.iter().map(|question| question.path[0].as_str()).collect::<Vec<_>>(), ["other"]);
        // An open question of a task that did not run again sees it too, once it is answered.
        let work = done(thread.resume(answer(&left, "other", "no")).await);
        let said: Vec<_> = work.notes.iter().map(String::as_str).collect();
        match mode {
            Mode::Barrier => {
                assert_eq!(said, ["said", "ask:yes:new", "other:no:new", "plain"]);
                assert_eq!(steps(&thread).await, ["ask other plain"], "one super-step, around the update");
            }
            _ => assert_eq!(said, ["plain", "said", "ask:yes:new", "other:no:new"]),
        }
        assert_eq!((work.last.as_str(), calls.count("plain")), ("new", 1), "{mode:?}");
        let made: Vec<_> =
            thread.history(&HistoryFilter::default()).await.unwrap().iter().map(|row| row.source).collect();
        assert_eq!(made.iter().filter(|source| **source == Source::Update).count(), 1, "{mode:?}");
    }
}

#[tokio::test]
async fn what_is_gone_to_with_an_answer_runs_beside_what_stays() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let calls = Calls::default();
        let thread = thread(asking(mode, &calls));
        let asked = waiting(thread.run(Work::update()).await);
        let yes = || answer(&asked, "ask", "yes");
        let unknown = thread.resume_and_send(yes(), [Node::owned("none")], [], noted("said")).await;
        assert!(matches!(unknown, Err(RunError::GraphMismatch { .. })), "{unknown:?}");
        let left = waiting(thread.resume_and_send(yes(), [PLAIN], [], noted("said")).await);
        assert_eq!(left.iter().map(|question| question.path[0].as_str()).collect::<Vec<_>>(), ["other"]);
        assert_eq!(calls.count("plain"), 2, "it runs once more, by itself");
        let work = done(thread.resume(answer(&left, "other", "no")).await);
        let mut said: Vec<_> = work.notes.iter().map(String::as_str).collect();
        said.sort_unstable();
        assert_eq!(said, ["ask:yes:", "other:no:", "plain", "plain", "said"]);
    }
}

#[tokio::test]
async fn both_are_one_commit_of_the_run_that_goes_on() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let store = Watched::default();
        let threads = asking(Mode::Barrier, &Calls::default()).built().with_checkpointer(store.clone());
        let thread = threads.thread("t").policy(RunPolicy::default().durability(durability));
        let asked = waiting(thread.run(Work::update()).await);
        store.commits.lock().unwrap().clear();
        let both = answer(&asked, "ask", "a").and(&asked.iter().nth(1).unwrap().id, "b").unwrap();
        let mut run = thread.update_and_resume(Work::update().last("new"), both);
        let mut told = Vec::new();
        while let Some(event) = run.next().await {
            match event.kind {
                EventKind::RunStarted { how, .. } => told.push(how),
                EventKind::Committed { checkpoint, .. } => told.push(checkpoint.to_string()),
                _ => {}
            }
        }
        assert_eq!(done(run.await).story(), "ask:a:new other:b:new plain");
        assert_eq!(told, ["resume", "2", "3"], "the update is part of the run");
        let commits = store.commits.lock().unwrap().clone();
        assert_eq!(commits[0], (true, 2), "{durability:?}: checkpoint and answers");
        assert!(commits[1..].iter().all(|(_, answers)| *answers == 0), "{durability:?}: {commits:?}");
    }
}

#[tokio::test]
async fn a_crash_leaves_both_or_neither() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        for (after, written) in [(0, false), (0, true), (1, false), (1, true)] {
            let store = Watched::default();
            let threads = asking(Mode::Barrier, &Calls::default()).built().with_checkpointer(store.clone());
            let thread = threads.thread("t").policy(RunPolicy::default().durability(durability));
            let asked = waiting(thread.run(Work::update().last("old")).await);
            let both = || answer(&asked, "ask", "a").and(&asked.iter().nth(1).unwrap().id, "b").unwrap();
            *store.fails.lock().unwrap() = Some((after, written));
            let broken = thread.update_and_resume(Work::update().last("new"), both()).await.unwrap_err();
            assert!(matches!(broken, RunError::Checkpoint(_)), "{broken}");
            *store.fails.lock().unwrap() = None;
            let place = format!("{durability:?}, commit {after}, written {written}");
            let state = thread.state().await.unwrap();
            let neither = (after, written) == (0, false);
            assert_eq!(
                (state.questions.len(), state.state.last.as_str()),
                if neither { (2, "old") } else { (0, "new") }
            );
            let work = if neither {
                assert_eq!(state.status, ThreadStatus::Waiting, "{place}");
                done(thread.update_and_resume(Work::update().last("new"), both()).await)
            } else if state.status == ThreadStatus::Done {
                state.state
            } else {
                assert_eq!(state.status, ThreadStatus::Running, "{place}");
                done(thread.continue_().await)
            };
            assert_eq!(work.story(), "ask:a:new other:b:new plain", "{place}");
        }
    }
}

#[tokio::test]
async fn what_is_refused_changes_nothing() {
    let thread = thread(asking(Mode::Barrier, &Calls::default()));
    let asked = waiting(thread.run(Work::update().last("old")).await);
    let before = thread.state().await.unwrap();
    let good = || answer(&asked, "ask", "a");
    let burst = thread.update_and_resume(Work::update().fragile(13).last("new"), good()).await.unwrap_err();
    insta::assert_snapshot!(burst, @"the update does not fit: its reducer panicked: the reducer dislikes 13");
    assert!(matches!(burst, RunError::BadUpdate { .. }));
    let bad = Answers::new().and(&asked.iter().next().unwrap().id, 7).unwrap();
    let bad = thread.update_and_resume(Work::update().last("new"), bad).await.unwrap_err();
    insta::assert_snapshot!(bad, @"the answer to `ask:1.0?go` does not fit: at `.`: invalid type: integer `7`, expected a string");
    let unknown = Answers::new().and("nobody", 1).unwrap();
    assert!(matches!(
        thread.update_and_resume(Work::update(), unknown).await.unwrap_err(),
        RunError::UnknownQuestion { .. }
    ));
    let after = thread.state().await.unwrap();
    assert_eq!((after.state, after.questions, after.next), (before.state, before.questions, before.next));
    assert_eq!((after.status, after.checkpoint), (ThreadStatus::Waiting, before.checkpoint));
    let left = waiting(thread.update_and_resume(Work::update().last("new"), good()).await);
    done(thread.resume(answer(&left, "other", "b")).await);
    let over = thread.update_and_resume(Work::update(), Answers::new()).await.unwrap_err();
    insta::assert_snapshot!(over, @"thread `t` is Done: no question is open; `questions()` lists open ones");
}

#[tokio::test]
async fn an_update_without_an_answer_asks_again() {
    let thread = thread(asking(Mode::Barrier, &Calls::default()));
    let asked = waiting(thread.run(Work::update()).await);
    let again = waiting(thread.update_and_resume(noted("said").last("new"), Answers::new()).await);
    assert_eq!(again, asked, "the same questions");
    let state = thread.state().await.unwrap();
    assert_eq!((state.state.story().as_str(), state.status), ("said", ThreadStatus::Waiting));
}

#[tokio::test]
async fn a_writer_that_runs_again_does_not_conflict_with_the_update() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(Mode::Eager);
    graph
        .add_node(ASK, |work: Snapshot<Work>, cx: Context| async move {
            let answer: String = cx.ask("go", "?").await?;
            Noted::Ok(Work::update().last(format!("{} {answer}", work.last)))
        })
        .asks::<String>("go");
    graph.add_node(PLAIN, note("plain"));
    graph.add_edge(START, ASK).add_edge(START, PLAIN);
    let thread = thread(graph);
    let asked = waiting(thread.run(Work::update().last("old")).await);
    let work = done(thread.update_and_resume(Work::update().last("new"), answer(&asked, "ask", "yes")).await);
    assert_eq!(work.last, "new yes");
}

/// A state with a field that lives for one step.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Brief {
    #[state(ephemeral)]
    hint: String,
    #[state(ephemeral)]
    whisper: String,
    heard: String,
    after: String,
}

#[tokio::test]
async fn ephemeral_fields_live_to_the_end_of_their_step() {
    for fresh in [false, true] {
        let mut graph = StateGraph::<Brief>::new("g");
        graph
            .add_node(ASK, |brief: Snapshot<Brief>, cx: Context| async move {
                let answer: String = cx.ask("go", "?").await?;
                Ok::<_, graphloom_core_graph::NodeError>(
                    Brief::update().heard(format!("{answer} {} {}", brief.hint, brief.whisper)),
                )
            })
            .asks::<String>("go");
        graph.add_node(PLAIN, |brief: Snapshot<Brief>| async move {
            Ok::<_, graphloom_core_graph::NodeError>(
                Brief::update().after(format!("[{}{}]", brief.hint, brief.whisper)),
            )
        });
        graph.add_edge(START, ASK).add_edge(ASK, PLAIN);
        let store = Watched::default();
        let threads = graph.built().with_checkpointer(store.clone());
        let thread: Thread<Brief> = threads.thread("t");
        let Outcome::Waiting(asked) = thread.run(Brief::update().hint("given")).await.unwrap() else { panic!("asks") };
        // In another process after the commit of the update, or in the run that made it.
        *store.fails.lock().unwrap() = fresh.then_some((1, false));
        let answers = asked.answer("go", "yes").unwrap();
        let ended = thread.update_and_resume(Brief::update().whisper("too"), answers).await;
        let brief = match ended {
            Ok(outcome) => outcome.done().unwrap(),
            Err(_) => thread.continue_().await.unwrap().done().unwrap(),
        };
        assert_eq!(
            (brief.heard.as_str(), brief.after.as_str()),
            ("yes given too", "[]"),
            "in a fresh process: {fresh}"
        );
    }
}

#[tokio::test]
async fn a_subgraph_that_asked_keeps_its_input_and_its_parent_sees_the_update() {
    let mut inner = StateGraph::<Memory>::new("inner");
    inner
        .add_node(ASK, |memory: Snapshot<Memory>, cx: Context| async move {
            let answer: String = cx.ask("go", &memory.topic).await?;
            Ok::<_, graphloom_core_graph::NodeError>(Memory::update().lines([format!("{} {answer}", memory.topic)]))
        })
        .asks::<String>("go");
    inner.add_edge(START, ASK);
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_subgraph(
        CHILD,
        inner.built(),
        |work: &Work| Memory::update().topic(work.last.clone()),
        |child: ChildOutcome<Memory>| Noted::Ok(noted(child.done()?.said())),
    );
    graph.add_node(PLAIN, |work: Snapshot<Work>| async move { Noted::Ok(noted(format!("plain {}", work.last))) });
    graph.add_edge(START, CHILD).add_edge(CHILD, PLAIN);
    let thread = thread(graph);
    let asked = waiting(thread.run(Work::update().last("old")).await);
    let work = done(thread.update_and_resume(Work::update().last("new"), asked.answer("go", "yes").unwrap()).await);
    assert_eq!(work.story(), "old yes plain new");
}
