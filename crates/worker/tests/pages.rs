//! A graph whose tasks write down that they were executed, and by which process.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use graphloom_core_graph::{
    App, Compiled, Context, Log, Node, NodeError, Retry, START, Snapshot, State, StateGraph, Task,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) const PLAN: Node = Node::named("plan");
pub(crate) const PART: Task<u64> = Task::named("part");
pub(crate) const LAST: Node = Node::named("last");

#[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Page {
    pub(crate) parts: u64,
    #[state(append)]
    pub(crate) lines: Log<String>,
}

/// What a process writes its executions to, and how long a part takes.
#[derive(Debug)]
pub(crate) struct Notes {
    pub(crate) file: PathBuf,
    pub(crate) pause: Pause,
}

/// How long a part takes.
#[derive(Clone, Debug)]
pub(crate) enum Pause {
    None,
    /// Until this file is there.
    Until(PathBuf),
    Forever,
}

impl Pause {
    async fn wait(&self) {
        match self {
            Self::None => {}
            Self::Until(file) => {
                while !file.exists() {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            }
            Self::Forever => std::future::pending().await,
        }
    }
}

impl Notes {
    pub(crate) fn note(&self, what: &str, part: u64) {
        let mut file = OpenOptions::new().append(true).create(true).open(&self.file).expect("the notes open");
        // One write, so that lines of processes do not mix.
        let line = format!("{what} {part} {}\n", std::process::id());
        file.write_all(line.as_bytes()).expect("a note is written");
    }
}

/// How often something was noted of a part, whoever did it.
pub(crate) fn noted(file: &Path, what: &str, part: u64) -> usize {
    let begin = format!("{what} {part} ");
    lines(file).iter().filter(|line| line.starts_with(&begin)).count()
}

pub(crate) fn lines(file: &Path) -> Vec<String> {
    fs::read_to_string(file).unwrap_or_default().lines().map(str::to_owned).collect()
}

/// Parts of a page, each with a durable step that is noted when it is executed and when its result is kept, and a pause.
pub(crate) fn graph() -> Compiled<Page, Notes> {
    graph_of(1)
}

/// The same in a version.
pub(crate) fn graph_of(version: u32) -> Compiled<Page, Notes> {
    let mut graph = StateGraph::<Page, Notes>::new("page");
    graph.versions(version, 1);
    graph.add_node(PLAN, |_: Snapshot<Page>| async { Ok::<_, NodeError>(Page::update().lines(["plan".to_owned()])) });
    graph
        .add_task(PART, |part: u64, _: Snapshot<Page>, cx: Context<Notes>| async move {
            cx.resources().note("began", part);
            let draft = cx
                .once("draft", async {
                    cx.resources().note("draft", part);
                    Ok(format!("part {part}"))
                })
                .await?;
            // The result of the step is stored.
            cx.resources().note("kept", part);
            cx.emit("drafted", part).await;
            cx.resources().pause.wait().await;
            cx.resources().note("ended", part);
            Ok::<_, NodeError>(Page::update().lines([draft]))
        })
        .retry(Retry::exponential(3));
    graph
        .add_node(LAST, |page: Snapshot<Page>, cx: Context<Notes>| async move {
            let title = cx.ask::<String>("title", &page.lines.len()).await?;
            Ok::<_, NodeError>(Page::update().lines([title]))
        })
        .asks::<String>("title");
    graph.add_edge(START, PLAN);
    graph.add_sends(PLAN, PART, |page: &Page| (0..page.parts).map(|part| PART.send(part, part)).collect());
    graph.add_edge(PART, LAST);
    graph.compile().expect("the graph is right")
}

pub(crate) fn app(file: &Path, pause: Pause) -> App<Page, Notes> {
    graph().with_context(Notes { file: file.to_owned(), pause })
}

/// Waits until something holds.
pub(crate) async fn until(mut holds: impl FnMut() -> bool) {
    while !holds() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// What a page of so many parts has before it is asked for its title.
pub(crate) fn drafted(parts: u64) -> Vec<String> {
    std::iter::once("plan".to_owned()).chain((0..parts).map(|part| format!("part {part}"))).collect()
}
