//! Spans of `tracing`: a run, below it the attempts of its tasks, below a task those of its subgraph, wherever they run.

#![expect(clippy::unwrap_used, reason = "what a listener cannot do without ends its test at its place")]

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use graphloom_core_graph::{
    Answers, ChildOutcome, Compiled, Context, Node, NodeError, Outcome, Retry, START, Snapshot, StateGraph, Timeout,
};
use tracing::Dispatch;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::layer::{Context as LayerContext, Layer, SubscriberExt};
use tracing_subscriber::registry::{LookupSpan, Registry};

use crate::log::{Build, Noted, Work, note, noted, thread};

const FIRST: Node = Node::named("first");
const LEFT: Node = Node::named("left");
const RIGHT: Node = Node::named("right");
const CHILD: Node = Node::named("child");
const INNER: Node = Node::named("inner");
const DEEP: Node = Node::named("deep");

/// Keeps of each span that ends its way from the root, and how it ended. Listens for as long as it is there.
struct Listener {
    ended: Ended,
    _listens: DefaultGuard,
    _others: [Dispatch; 2],
}

/// Subscribers that no thread has. Where there is only one, a place in the code that a thread without it meets first is taken
/// for one that nobody wants to hear of, on all threads.
fn others() -> [Dispatch; 2] {
    [(); 2].map(|()| Dispatch::new(Registry::default()))
}

#[derive(Clone, Default)]
struct Ended(Arc<Mutex<Vec<String>>>);

/// What is kept of a span that is open.
#[derive(Default)]
struct Kept {
    node: Option<String>,
    outcome: String,
}

impl Visit for Kept {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "graphloom.node.name" => self.node = Some(value.to_owned()),
            "graphloom.node.outcome" | "graphloom.graph.status" | "error.type" => {
                self.outcome = format!("{} {value}", self.outcome).trim().to_owned();
            }
            _ => {}
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}
}

impl<S: tracing::Subscriber + for<'span> LookupSpan<'span>> Layer<S> for Ended {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: LayerContext<'_, S>) {
        let mut kept = Kept::default();
        attributes.record(&mut kept);
        context.span(id).unwrap().extensions_mut().insert(kept);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: LayerContext<'_, S>) {
        values.record(context.span(id).unwrap().extensions_mut().get_mut::<Kept>().unwrap());
    }

    fn on_close(&self, id: Id, context: LayerContext<'_, S>) {
        let span = context.span(&id).unwrap();
        let names = span.scope().from_root().map(|span| {
            let extensions = span.extensions();
            extensions.get::<Kept>().unwrap().node.clone().unwrap_or_else(|| span.name().to_owned())
        });
        let way = names.collect::<Vec<_>>().join("/");
        let outcome = span.extensions().get::<Kept>().unwrap().outcome.clone();
        self.0.lock().unwrap().push(format!("{way}: {outcome}"));
    }
}

impl Listener {
    /// Listens on this thread, which is all that the runtime of these tests has.
    fn listen() -> Self {
        let (ended, others) = (Ended::default(), others());
        let subscriber = Registry::default().with(ended.clone());
        Self { ended, _listens: tracing::subscriber::set_default(subscriber), _others: others }
    }

    /// What has ended so far, in an order of its own.
    fn ended(&self) -> Vec<String> {
        let mut ended = std::mem::take(&mut *self.ended.0.lock().unwrap());
        ended.sort();
        ended
    }
}

/// A node that waits before it leaves a note.
async fn waits(_: Snapshot<Work>) -> Noted {
    tokio::time::sleep(Duration::from_millis(1)).await;
    Ok(noted("waited"))
}

fn compiled(graph: StateGraph<Work>) -> Compiled<Work> {
    graph.built()
}

fn out(child: ChildOutcome<Work>) -> Noted {
    Ok(noted(child.done()?.story()))
}

/// A chain, a fork, and subgraphs in subgraphs.
fn tree() -> StateGraph<Work> {
    let mut deep = StateGraph::<Work>::new("deep");
    deep.add_node(DEEP, waits);
    deep.add_edge(START, DEEP);
    let mut child = StateGraph::<Work>::new("child");
    child.add_node(INNER, note("inner"));
    child.add_subgraph(CHILD, compiled(deep), |_: &Work| Work::update(), out);
    child.add_edge(START, INNER).add_edge(INNER, CHILD);
    let mut graph = StateGraph::<Work>::new("tree");
    graph.add_node(FIRST, note("first"));
    graph.add_node(LEFT, waits);
    graph.add_node(RIGHT, note("right"));
    graph.add_subgraph(CHILD, compiled(child), |_: &Work| Work::update(), out);
    graph.add_edge(START, FIRST).add_edge(FIRST, LEFT).add_edge(FIRST, RIGHT).add_edge(FIRST, CHILD);
    graph
}

const TREE: [&str; 7] = [
    "graph/child/child/deep: done",
    "graph/child/child: done",
    "graph/child/inner: done",
    "graph/child: done",
    "graph/first: done",
    "graph/left: done",
    "graph/right: done",
];

#[tokio::test(start_paused = true)]
async fn tasks_are_below_what_calls_them() {
    let stored = thread(tree());
    let unread = compiled(tree()).with_context(());
    let listener = Listener::listen();
    let outcome = stored.run(Work::update()).await.unwrap();
    assert!(matches!(outcome, Outcome::Done(_)));
    let expected: Vec<_> = TREE.into_iter().map(str::to_owned).chain(["graph: done".to_owned()]).collect();
    assert_eq!(listener.ended(), expected);
    // Subgraphs run inline where nothing is stored or told.
    unread.run_once(Work::update()).await.unwrap();
    assert_eq!(listener.ended(), expected);
}

#[tokio::test(start_paused = true)]
async fn a_run_is_below_the_span_of_its_caller() {
    let graph = compiled(tree()).with_context(());
    let listener = Listener::listen();
    let caller = tracing::info_span!("caller");
    let run = caller.in_scope(|| graph.run_once(Work::update()).start());
    drop(caller);
    run.await.unwrap();
    let ended = listener.ended();
    assert_eq!(ended.len(), TREE.len() + 2);
    assert!(ended.iter().all(|way| way.starts_with("caller")), "{ended:?}");
}

#[tokio::test(start_paused = true)]
async fn a_span_tells_how_its_attempt_ended() {
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(FIRST, |_: Snapshot<Work>, cx: Context| async move {
            match cx.task().attempt {
                1 => Err(NodeError::retryable("not yet")),
                2 => std::future::pending::<Noted>().await,
                _ => Ok(noted(format!("told {}", cx.ask::<String>("name", "who?").await?))),
            }
        })
        .asks::<String>("name")
        .timeout(Timeout::attempt(Duration::from_secs(1)))
        .retry(Retry::immediate(3));
    graph.add_edge(START, FIRST);
    let thread = thread(graph);
    let listener = Listener::listen();
    let Outcome::Waiting(questions) = thread.run(Work::update()).await.unwrap() else { panic!("nothing is asked") };
    let first = "graph/first:";
    assert_eq!(
        listener.ended(),
        [
            format!("{first} failed retryable"),
            format!("{first} stopped"),
            format!("{first} waiting"),
            "graph: waiting".to_owned(),
        ]
    );
    let id = questions.iter().next().unwrap().id.clone();
    thread.resume(Answers::new().and(&id, "me").unwrap()).await.unwrap();
    assert_eq!(listener.ended(), [format!("{first} done"), "graph: done".to_owned()]);
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_a_failure_wherever_it_happens() {
    let failed = ["graph/first: failed panic", "graph: failed"];
    let mut at_once = StateGraph::<Work>::new("g");
    at_once.add_node(FIRST, |_: Snapshot<Work>| -> std::future::Ready<Noted> { panic!("at once") });
    let mut later = StateGraph::<Work>::new("g");
    later.add_node(FIRST, |work: Snapshot<Work>| async move {
        assert!(waits(work).await.is_err(), "later");
        Noted::Ok(noted("never"))
    });
    for mut graph in [at_once, later] {
        graph.add_edge(START, FIRST);
        let thread = thread(graph);
        let listener = Listener::listen();
        thread.run(Work::update()).await.unwrap_err();
        assert_eq!(listener.ended(), failed);
    }
}

#[tokio::test(start_paused = true)]
async fn a_subscriber_of_warnings_is_told_of_no_span() {
    let graph = compiled(tree()).with_context(());
    let (ended, _others) = (Ended::default(), others());
    let quiet = ended.clone().with_filter(tracing_subscriber::filter::LevelFilter::WARN);
    let _listens = tracing::subscriber::set_default(Registry::default().with(quiet));
    graph.run_once(Work::update()).await.unwrap();
    assert_eq!(*ended.0.lock().unwrap(), Vec::<String>::new());
}
