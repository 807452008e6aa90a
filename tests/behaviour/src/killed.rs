//! The graph of the program `victim`, which is killed at any moment and writes down outside its store what it did.
//!
//! A fan-out whose tasks have effects in the world, a question between two effects, a child, and an end; in barrier mode
//! and in eager mode.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

use graphloom_core_graph::{
    ChildOutcome, CompileErrors, Compiled, Context, Mode, Node, NodeError, START, Snapshot, StateGraph, Task,
};

use crate::tally::{Tally, TallyUpdate, all_ran, ran};

/// How many tasks the fan-out has.
pub const PARTS: u64 = 6;

/// The key under which the graph asks; a `u64` is an answer.
pub const QUESTION: &str = "go on";

/// The world outside the store, as one life of the program sees it.
#[derive(Clone, Debug)]
pub struct ExternalEffects {
    /// The file that takes a line for each effect.
    pub effects: PathBuf,
    /// The number of this life.
    pub life: u64,
}

impl ExternalEffects {
    /// Has an effect, once for all attempts and lives, and says so.
    async fn effect(&self, cx: &Context<Self>, key: &str) -> Result<u64, NodeError> {
        let name = format!("{}/{key}", cx.idempotency_key());
        let one = cx
            .once(key, async {
                let mut file = OpenOptions::new().append(true).create(true).open(&self.effects)?;
                file.write_all(format!("{} {name}\n", self.life).as_bytes())?;
                Ok::<u64, NodeError>(1)
            })
            .await?;
        say(&format!("stored {name}"))?;
        Ok(one)
    }
}

/// Writes a line to whoever started the program, at once.
///
/// # Errors
/// Nobody reads any more.
pub fn say(line: &str) -> std::io::Result<()> {
    // In one piece: a reader that finds the end of a line has all of it.
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{line}\n").as_bytes())?;
    out.flush()
}

/// The graph.
///
/// # Errors
/// None: it is the same at every call.
pub fn graph(mode: Mode) -> Result<Compiled<Tally, ExternalEffects>, CompileErrors> {
    let [plan, ask, child, last] = ["plan", "ask", "child", "last"].map(Node::named);
    let part = Task::<u64>::named("part");
    let mut graph = StateGraph::<Tally, ExternalEffects>::new("killed");
    graph.mode(mode);
    graph.add_node(plan.clone(), |_: Snapshot<Tally>| async { Ok::<_, NodeError>(ran("plan")) });
    graph.add_task(part.clone(), |number: u64, _: Snapshot<Tally>, cx: Context<ExternalEffects>| async move {
        for _ in 0..number {
            tokio::task::yield_now().await;
        }
        let effects = cx.resources().effect(&cx, "part").await?;
        Ok::<_, NodeError>(ran("part").effects(effects))
    });
    graph
        .add_node(ask.clone(), |_: Snapshot<Tally>, cx: Context<ExternalEffects>| async move {
            let before = cx.resources().effect(&cx, "before").await?;
            let answer: u64 = cx.ask(QUESTION, "?").await?;
            let after = cx.resources().effect(&cx, "after").await?;
            Ok::<_, NodeError>(ran("ask").effects(before + answer * after))
        })
        .asks::<u64>(QUESTION);
    graph.add_subgraph(child.clone(), inner(mode)?, |_: &Tally| Tally::update(), taken_over);
    graph.add_node(last.clone(), |_: Snapshot<Tally>| async { Ok::<_, NodeError>(ran("last")) });
    graph.add_edge(START, plan.clone()).add_edge(ask, child.clone()).add_edge(child, last);
    let to = part.clone();
    graph.add_sends(plan, part.clone(), move |_: &Tally| (0..PARTS).map(|key| to.send(key, key)).collect());
    graph.add_join(part, Node::named("ask"));
    graph.compile()
}

fn inner(mode: Mode) -> Result<Compiled<Tally, ExternalEffects>, CompileErrors> {
    let [first, second] = ["first", "second"].map(Node::named);
    let mut graph = StateGraph::<Tally, ExternalEffects>::new("inner");
    graph.mode(mode);
    graph.add_node(first.clone(), |_: Snapshot<Tally>, cx: Context<ExternalEffects>| async move {
        let effects = cx.resources().effect(&cx, "first").await?;
        Ok::<_, NodeError>(ran("first").effects(effects))
    });
    graph.add_node(second.clone(), |_: Snapshot<Tally>| async { Ok::<_, NodeError>(ran("second")) });
    graph.add_edge(START, first.clone()).add_edge(first, second);
    graph.compile()
}

fn taken_over(outcome: ChildOutcome<Tally>) -> Result<TallyUpdate, NodeError> {
    let child = outcome.done()?;
    let names: Vec<_> = child.log.iter().cloned().chain(["child".to_owned()]).collect();
    Ok(all_ran(names.clone()).log(names).effects(child.effects))
}

/// How often each node must have run on a thread that is done.
pub fn expected() -> BTreeMap<String, u64> {
    let once = ["plan", "ask", "child", "first", "second", "last"].map(|name| (name.to_owned(), 1));
    once.into_iter().chain([("part".to_owned(), PARTS)]).collect()
}

/// How many results of durable steps the state of a thread that is done counts.
pub const EFFECTS: u64 = PARTS + 3;

/// The thread of a number.
pub fn thread(number: u64) -> String {
    format!("thread-{number}")
}

/// The mode of a thread.
pub fn mode(number: u64) -> Mode {
    if number.is_multiple_of(2) { Mode::Barrier } else { Mode::Eager }
}
