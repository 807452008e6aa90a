//! Subgraphs: mappings, failure, nesting, questions, and going on after a failure without repeating what is done.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use graphloom_core_graph::{
    Answers, ChildOutcome, Compiled, Context, Log, Mode, Node, NodeError, Outcome, START, Snapshot, State, StateGraph,
    Task,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::log::{Build, Calls, Work, done, failed, note, noted, steps, thread};

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Section {
    title: String,
    #[state(append)]
    lines: Log<String>,
}

const CHILD: Node = Node::named("child");
const FIRST: Node = Node::named("first");
const SECOND: Node = Node::named("second");
const BEFORE: Node = Node::named("before");
const AFTER: Node = Node::named("after");

fn line(text: impl Into<String>) -> Result<SectionUpdate, NodeError> {
    Ok(Section::update().lines([text.into()]))
}

fn lines(section: &Section) -> String {
    section.lines.iter().cloned().collect::<Vec<_>>().join("+")
}

fn out(child: ChildOutcome<Section>) -> Result<crate::log::WorkUpdate, NodeError> {
    Ok(noted(lines(&*child.done()?)))
}

/// Two nodes; the second does what it is told.
fn child<F, Fut>(calls: &Calls, second: F) -> Compiled<Section>
where
    F: Fn(Snapshot<Section>, Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<SectionUpdate, NodeError>> + Send + 'static,
{
    let mut graph = StateGraph::<Section>::new("section");
    let calls = calls.clone();
    graph.add_node(FIRST, move |section: Snapshot<Section>| {
        calls.add("first");
        async move { line(format!("{}-1", section.title)) }
    });
    graph.add_node(SECOND, second).asks::<String>("name");
    graph.add_edge(START, FIRST).add_edge(FIRST, SECOND);
    graph.built()
}

fn parent(child: Compiled<Section>) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("work");
    graph.add_node(BEFORE, note("before"));
    graph.add_node(AFTER, note("after"));
    graph.add_subgraph(CHILD, child, |work: &Work| Section::update().title(format!("t{}", work.notes.len())), out);
    graph.add_edge(START, BEFORE).add_edge(BEFORE, CHILD).add_edge(CHILD, AFTER);
    graph
}

#[tokio::test]
async fn a_child_gets_its_input_and_gives_its_result() {
    let calls = Calls::default();
    let thread = thread(parent(child(&calls, |section: Snapshot<Section>, _: Context| async move {
        line(format!("{}-2", section.title))
    })));
    assert_eq!(done(thread.run(Work::update()).await).story(), "before t1-1+t1-2 after");
    assert_eq!(steps(&thread).await, ["before", "child", "after"]);
}

#[tokio::test]
async fn a_failing_child_fails_its_node_or_is_mapped() {
    let fails =
        || child(&Calls::default(), |_: Snapshot<Section>, _: Context| async { Err(NodeError::terminal("no ink")) });
    let thread_ = thread(parent(fails()));
    insta::assert_snapshot!(failed(thread_.run(Work::update()).await), @"node `child` failed: node `second` failed: no ink");

    let mut graph = StateGraph::<Work>::new("work");
    graph.add_subgraph(
        CHILD,
        fails(),
        |_: &Work| Section::update().title("t".to_owned()),
        |child| match child {
            ChildOutcome::Failed { state, error } => Ok(noted(format!("{} but {error}", lines(&state)))),
            other => out(other),
        },
    );
    graph.add_edge(START, CHILD);
    assert_eq!(done(thread(graph).run(Work::update()).await).story(), "t-1 but node `second` failed: no ink");
}

#[tokio::test]
async fn a_failed_child_goes_on_without_its_finished_nodes() {
    let (calls, broken) = (Calls::default(), Arc::new(AtomicBool::new(true)));
    let fault = Arc::clone(&broken);
    let thread = thread(parent(child(&calls, move |_: Snapshot<Section>, _: Context| {
        let broken = fault.load(Ordering::SeqCst);
        async move { if broken { Err(NodeError::terminal("no ink")) } else { line("second") } }
    })));
    failed(thread.run(Work::update()).await);
    broken.store(false, Ordering::SeqCst);
    assert_eq!(done(thread.continue_().await).story(), "before t1-1+second after");
    assert_eq!(calls.count("first"), 1);
}

#[tokio::test]
async fn questions_of_a_child_surface_and_its_finished_nodes_do_not_run_again() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let calls = Calls::default();
        let mut graph = parent(child(&calls, |_: Snapshot<Section>, cx: Context| async move {
            let name: String = cx.ask("name", "who?").await?;
            line(name)
        }));
        graph.mode(mode);
        let thread = thread(graph);
        let Outcome::Waiting(questions) = thread.run(Work::update()).await.unwrap() else { panic!("it waits") };
        let question = questions.iter().next().unwrap();
        assert_eq!((question.key.as_str(), question.path.join("/").as_str()), ("name", "child/second"));
        assert_eq!(question.payload, "who?");
        let wrong = questions.answer("name", 7).unwrap_err();
        insta::allow_duplicates! {
            insta::assert_snapshot!(wrong, @"the answer to `name` does not fit: at `.`: invalid type: integer `7`, expected a string");
        }
        let work = done(thread.resume(questions.answer("name", "Ada").unwrap()).await);
        assert_eq!(work.story(), "before t1-1+Ada after");
        assert_eq!(calls.count("first"), 1);
    }
}

#[tokio::test]
async fn three_levels() {
    let asks = child(&Calls::default(), |_: Snapshot<Section>, cx: Context| async move {
        let name: String = cx.ask("name", &()).await?;
        line(name)
    });
    let mut middle = StateGraph::<Section>::new("middle");
    middle.add_subgraph(
        CHILD,
        asks,
        |section: &Section| Section::update().title(format!("{}!", section.title)),
        |child| Ok(Section::update().lines(child.done()?.lines.iter().cloned().collect::<Vec<_>>())),
    );
    middle.add_edge(START, CHILD);
    let thread = thread(parent(middle.built()));
    let Outcome::Waiting(questions) = thread.run(Work::update()).await.unwrap() else { panic!("it waits") };
    assert_eq!(questions.iter().next().unwrap().path, ["child", "child", "second"]);
    let again = thread.questions().await.unwrap();
    assert_eq!(again, questions, "read from the store");
    assert!(again.answer("name", 7).is_err(), "checked by the innermost declaration");
    let work = done(thread.resume(Answers::new().and("name", "Eve").unwrap()).await);
    assert_eq!(work.story(), "before t1!-1+Eve after");
}

#[tokio::test]
async fn a_subgraph_is_a_target_of_sends() {
    const PART: Task<String> = Task::named("part");
    for mode in [Mode::Barrier, Mode::Eager] {
        let calls = Calls::default();
        let mut graph = StateGraph::<Work>::new("work");
        graph.mode(mode);
        let inner =
            child(&calls, |section: Snapshot<Section>, _: Context| async move { line(format!("{}-2", section.title)) });
        graph.add_node(BEFORE, note("before"));
        graph.add_subgraph_task(PART, inner, |title: String, _: &Work| Section::update().title(title), out);
        graph.add_node(AFTER, note("after"));
        graph.add_edge(START, BEFORE);
        graph.add_sends(BEFORE, PART, |_: &Work| {
            ["x", "y", "z"].map(|title| PART.send(title, title.to_owned())).to_vec()
        });
        graph.add_join(PART, AFTER);
        let story = done(thread(graph).run(Work::update()).await).story();
        let mut parts: Vec<_> = story.split(' ').collect();
        assert_eq!((parts.remove(0), parts.pop()), ("before", Some("after")));
        parts.sort_unstable();
        assert_eq!(parts, ["x-1+x-2", "y-1+y-2", "z-1+z-2"]);
        assert_eq!(calls.count("first"), 3);
    }
}

#[tokio::test]
async fn children_write_their_own_namespace() {
    let thread = thread(parent(child(&Calls::default(), |_: Snapshot<Section>, _: Context| async { line("2") })));
    done(thread.run(Work::update()).await);
    let events = thread.journal(0, usize::MAX).await.unwrap();
    let inner: Vec<_> = events.iter().filter(|event| !event.ns.is_empty()).collect();
    assert!(inner.iter().all(|event| event.ns.starts_with("child:")));
    assert_eq!(inner.len(), 3, "an input and two steps");
}
