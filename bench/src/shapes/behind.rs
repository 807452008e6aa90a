//! What lies behind a thread is to cost nothing: turns of a long conversation, and tasks that were dispatched on states of
//! their own and are resumed.

use futures::future::BoxFuture;
use graphloom_core_graph::{
    Answers, App, CompileErrors, Context, END, Log, Mode, Node, NodeError, Outcome, RunPolicy, START, Shared, Snapshot,
    State, StateGraph, Task,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{filled, flat};
use crate::Failure;
use crate::measure::{Clock, Cost, Measurements, Place, Store, median};

const TURNS: &str = "turns behind";
const TURNS_SQLITE: &str = "turns behind, SQLite";
const VERSIONS: &str = "dispatch versions";

/// The names of the shapes.
pub(super) const NAMES: [&str; 3] = [TURNS, TURNS_SQLITE, VERSIONS];

/// Letters of a message.
const LETTERS: usize = 1_024;
/// Turns that are measured.
const MEASURED: u64 = 100;
/// Tasks that go on, each of which was dispatched on another state.
const TASKS: u64 = 1_000;

const ANSWER: Node = Node::named("answer");
const BEGIN: Node = Node::named("begin");
const NEXT: Task<u64> = Task::named("next");
const WAIT: Task<u64> = Task::named("wait");

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Chat {
    /// So many messages are to be there when a run ends.
    until: u64,
    #[state(append)]
    messages: Log<String>,
}

/// A node that appends a message, and follows itself until there are enough.
fn chat() -> Result<App<Chat>, CompileErrors> {
    let mut graph = StateGraph::<Chat>::new("chat");
    graph.add_node(ANSWER, |chat: Snapshot<Chat>| async move {
        Ok::<_, NodeError>(Chat::update().messages([filled("", chat.messages.len() as u64, LETTERS)]))
    });
    graph.add_edge(START, ANSWER);
    let is_long = |chat: &Chat| chat.messages.len() as u64 >= chat.until;
    graph.add_conditional_edges(ANSWER, (ANSWER, END), move |chat: &Chat| if is_long(chat) { END } else { ANSWER });
    Ok(graph.compile()?.with_context(()))
}

/// What a turn costs of a thread that has so many behind it: its state is read, and it is run again.
pub(super) async fn turns(bench: &Measurements, turns: u64, store: Store, policy: RunPolicy) -> Result<Cost, Failure> {
    let (app, file) = (chat()?, bench.file());
    let run: BoxFuture<'static, Result<_, Failure>> = Box::pin(async move {
        let thread = app.with_shared_checkpointer(Place::open(store, &file)?).thread("bench").policy(policy);
        thread.run(Chat::update().until(turns)).await?.done()?;
        // The first reading after the turns is of all that they wrote.
        thread.state().await?;
        let clock = Clock::start();
        for _ in 0..MEASURED {
            thread.run(Chat::update()).await?.done()?;
            thread.state().await?;
        }
        Ok(clock.cost(MEASURED))
    });
    tokio::spawn(run).await?
}

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Large {
    #[state(append)]
    found: Log<u64>,
    document: Shared<String>,
}

/// Tasks of a chain, each of which sends one that asks.
fn versions() -> Result<App<Large>, CompileErrors> {
    let mut graph = StateGraph::<Large>::new("versions");
    graph.mode(Mode::Eager);
    graph.add_node(BEGIN, |_: Snapshot<Large>| async { Ok::<_, NodeError>(Large::update()) });
    let found = |at: u64| Ok::<_, NodeError>(Large::update().found([at]));
    graph.add_task(NEXT, move |at: u64, _: Snapshot<Large>| async move { found(at) });
    let wait = graph.add_task(WAIT, move |at: u64, _: Snapshot<Large>, cx: Context| async move {
        let more: u64 = cx.ask("go", &at).await?;
        found(at + more)
    });
    wait.asks::<u64>("go");
    graph.add_edge(START, BEGIN);
    graph.add_sends(BEGIN, NEXT, |_: &Large| vec![NEXT.send(0, 0)]);
    let newest = |large: &Large| large.found.len() as u64;
    graph.add_sends(NEXT, WAIT, move |large: &Large| vec![WAIT.send(newest(large), newest(large))]);
    graph.add_sends(NEXT, NEXT, move |large: &Large| {
        let at = newest(large);
        if at < TASKS { vec![NEXT.send(at, at)] } else { Vec::new() }
    });
    Ok(graph.compile()?.with_context(()))
}

/// What a task costs of a run that goes on with so many, each of which was dispatched on another state, all of which share
/// a document of so many letters.
async fn resume(bench: &Measurements, letters: u64) -> Result<Cost, Failure> {
    let (app, file) = (versions()?, bench.file());
    let run: BoxFuture<'static, Result<_, Failure>> = Box::pin(async move {
        let thread = app.with_shared_checkpointer(Place::open(Store::Memory, &file)?).thread("bench");
        let input = Large::update().document("x".repeat(usize::try_from(letters)?));
        let Outcome::Waiting(questions) = thread.run(input).await? else { return Err("nothing was asked".into()) };
        let mut answers = Answers::new();
        for question in questions.iter() {
            answers = answers.and(&question.id, 1)?;
        }
        let clock = Clock::start();
        let large = thread.resume(answers).await?.done()?;
        if large.found.len() as u64 != 2 * TASKS {
            return Err(format!("{} tasks ended", large.found.len()).into());
        }
        Ok(clock.cost(TASKS))
    });
    tokio::spawn(run).await?
}

/// Measures the shapes that are wanted.
pub(super) async fn measure(bench: &mut Measurements) -> Result<(), Failure> {
    let stores = [(TURNS, Store::Memory), (TURNS_SQLITE, Store::Normal)];
    for (name, store) in stores {
        if bench.wants(&format!("flat {name}"), true) {
            let mut points = Vec::new();
            for size in [500, 4_000, 32_000] {
                let mut costs = Vec::new();
                for _ in 0..if size > 10_000 { 3 } else { 9 } {
                    costs.push(turns(bench, size, store, RunPolicy::default()).await?);
                }
                points.push((size, median(&costs).ok_or("nothing was measured")?.cpu));
            }
            flat::tell(bench, name, &points);
        }
    }
    if bench.wants(&format!("flat {VERSIONS}"), true) {
        let mut points = Vec::new();
        for size in [10_000, 1_000_000, 10_000_000] {
            let mut costs = Vec::new();
            for _ in 0..5 {
                costs.push(resume(bench, size).await?);
            }
            points.push((size, median(&costs).ok_or("nothing was measured")?.cpu));
        }
        flat::tell(bench, VERSIONS, &points);
    }
    Ok(())
}
