//! `writehere`: a request in, a report or a story out.
//!
//! ```text
//! START ─► take ─► write (WriteHERE's own graph) ─► deliver ─► END
//! ```

use std::sync::Arc;

use graphloom_core_graph::{
    ChildOutcome, CompileErrors, Compiled, Context, END, FromRef, Node, NodeError, START, Shared, Snapshot, State,
    StateGraph,
};
use graphloom_server::Server;
use graphloom_server::artifacts::Artifact;
use graphloom_server::messages::{Messages, add_messages};
use graphloom_writehere::picture::tree_picture;
use graphloom_writehere::{Mode, Request, Resources, Review, Writing, WritingUpdate, answers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{Delivery, Document, MARKDOWN, keep_all};
use crate::request::{said, wanted};
use crate::today::today;

/// The name under which it is served.
pub const NAME: &str = "writehere";

/// The longest text that may be asked for, in words.
const MOST_WORDS: u32 = 100_000;

/// A text that is written.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Text {
    /// What was said: requests, and texts.
    #[state(reduce_with = add_messages, stored = deltas)]
    pub messages: Messages,
    /// What shall be written, in the place of a message.
    pub request: Option<String>,
    /// What is written now.
    pub task: Option<Shared<Request>>,
    /// `done`, `partial`, `failed` or `stuck`, once the text is written.
    pub status: Option<String>,
    /// Words of the text, without citations and references.
    pub words: Option<u64>,
    /// What should be known of the text, in order.
    pub notes: Vec<String>,
    /// The documents: the text, its sources, and the tree of tasks that it was written by.
    pub artifacts: Vec<Artifact>,
    /// What is to be delivered.
    pub delivery: Option<Shared<Delivery>>,
}

/// What a run may be told beside its input.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TextContext {
    /// The kind of text: `report` or `story`.
    pub mode: Mode,
    /// The length in words, up to 100,000; as the application sees fit unless given.
    pub words: Option<u32>,
    /// Tasks at this layer and deeper are carried out without planning.
    pub max_depth: Option<usize>,
    /// A tree of this many tasks is not planned further.
    pub max_nodes: Option<usize>,
    /// Which plans are reviewed before they are carried out: `none`, that of the `whole` text, or `all`.
    pub review: Review,
    /// The seed of samplers.
    pub seed: u64,
}

/// What the application works with, for either kind of text.
#[derive(Debug)]
pub struct Writers {
    /// For reports.
    pub report: Resources,
    /// For stories.
    pub story: Resources,
}

/// What the nodes of a run work with.
#[derive(Debug)]
pub struct TextResources {
    resources: Arc<Resources>,
    context: TextContext,
}

impl FromRef<TextResources> for Resources {
    fn from_ref(resources: &Arc<TextResources>) -> Arc<Self> {
        Arc::clone(&resources.resources)
    }
}

const TAKE: Node = Node::named("take");
const WRITE: Node = Node::named("write");
const DELIVER: Node = Node::named("deliver");

/// Serves WriteHERE as `writehere`.
///
/// # Errors
/// A graph that does not compile, which is a fault of this crate.
pub fn add_to(server: Server, writers: Writers) -> Result<Server, CompileErrors> {
    let (report, story) = (Arc::new(writers.report), Arc::new(writers.story));
    let make = move |context: TextContext| {
        if context.words.is_some_and(|words| words == 0 || words > MOST_WORDS) {
            return Err(format!("`words` is to be between 1 and {MOST_WORDS}"));
        }
        let resources = Arc::clone(if context.mode == Mode::Report { &report } else { &story });
        Ok(TextResources { resources, context })
    };
    let server = server
        .configured_graph(NAME, graph()?, make)
        .described(NAME, "Writes a long report that cites its sources, or a story")
        .takes(NAME, ["request", "messages"]);
    Ok(server.answers(NAME, answers()).picture(NAME, &[WRITE.as_str()], tree_picture))
}

/// The graph of a text, around WriteHERE's own.
///
/// # Errors
/// A graph that does not compile, which is a fault of this crate.
pub fn graph() -> Result<Compiled<Text, TextResources>, CompileErrors> {
    let mut graph = StateGraph::<Text, TextResources>::new(NAME);
    graph.add_node(TAKE, take);
    graph.add_subgraph(WRITE, graphloom_writehere::graph(), begin, end);
    graph.add_node(DELIVER, deliver);
    graph.add_edge(START, TAKE).add_edge(TAKE, WRITE).add_edge(WRITE, DELIVER).add_edge(DELIVER, END);
    graph.compile()
}

/// Takes the request.
async fn take(text: Snapshot<Text>, cx: Context<TextResources>) -> Result<TextUpdate, NodeError> {
    let (goal, message) = wanted(&text.messages, text.request.as_ref(), "request")?;
    let TextContext { mode, words, max_depth, max_nodes, review, seed } = cx.resources().context;
    let mut task = Request::default();
    (task.goal, task.mode, task.words, task.seed) = (goal, mode, words, seed);
    (task.max_depth, task.max_nodes) = (max_depth, max_nodes);
    task.review = review;
    task.today = today(&cx).await?;
    Ok(Text::update()
        .messages(message.into_iter().collect::<Messages>())
        .request(None::<String>)
        .task(Some(Shared::new(task)))
        .status(None::<String>))
}

fn begin(text: &Text) -> WritingUpdate {
    Writing::update().request(text.task.as_deref().cloned().unwrap_or_default())
}

fn end(ended: ChildOutcome<Writing>) -> Result<TextUpdate, NodeError> {
    let writing = ended.done()?;
    let Some(finished) = &writing.finished else {
        return Err(NodeError::terminal("the run ended without a text"));
    };
    let mut delivery = Delivery::default();
    let text = finished.text.trim();
    if text.is_empty() {
        let why = if finished.explanation.is_empty() { "no word was written" } else { &finished.explanation };
        delivery.said.push(format!("There is no text: {why}"));
    } else {
        delivery.said.push(text.to_owned());
        delivery.documents.push(Document::new("report.md", MARKDOWN, format!("{text}\n")));
        delivery.documents.push(Document::json("references.json", &finished.references)?);
        if !finished.explanation.is_empty() {
            delivery.said.push(format!("The text is not complete: {}", finished.explanation));
        }
    }
    delivery.documents.push(Document::json("tree.json", &writing.tree.to_json())?);
    delivery.documents.push(Document::new("tree.mmd", "text/vnd.mermaid", writing.tree.to_mermaid()));
    Ok(Text::update()
        .status(Some(finished.status.clone()))
        .words(Some(finished.words as u64))
        .notes(writing.notes.iter().cloned().collect::<Vec<_>>())
        .delivery(Some(Shared::new(delivery))))
}

async fn deliver(text: Snapshot<Text>, cx: Context<TextResources>) -> Result<TextUpdate, NodeError> {
    let delivery = text.delivery.as_deref().cloned().unwrap_or_default();
    let artifacts = keep_all(&cx, &text.artifacts, &delivery.documents).await?;
    Ok(Text::update().messages(said(&delivery.said)).artifacts(artifacts).delivery(None::<Shared<Delivery>>))
}
