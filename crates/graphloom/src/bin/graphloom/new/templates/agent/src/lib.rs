//! An agent: a model that uses tools until it can answer, as a node of a durable graph.

mod files;
mod script;

use std::path::PathBuf;
use std::sync::Arc;

use graphloom::agents::{
    AgentError, Conversation, Prompts, Risk, ToolRegistry, Transcript, converse, typed,
};
use graphloom::graph::{
    CompileErrors, Compiled, Context, Node, NodeError, START, Snapshot, State, StateGraph,
};
use graphloom::llm::{ChatModel, Message};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use files::{ListFiles, ReadFile};
pub use script::script;

/// What the graph works on.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[state(crate = graphloom::graph)]
pub struct Talk {
    pub question: String,
    pub transcript: Option<Transcript>,
}

/// What nodes use but no checkpoint holds.
pub struct Resources {
    pub model: Arc<dyn ChatModel>,
    pub tools: ToolRegistry,
    pub prompts: Prompts,
}

impl Resources {
    /// A model, and tools that read the files of a folder.
    pub fn new(model: Arc<dyn ChatModel>, folder: impl Into<PathBuf>) -> Result<Self, AgentError> {
        let folder = folder.into();
        let mut tools = ToolRegistry::new(Risk::Read);
        tools.register(typed(ListFiles {
            folder: folder.clone(),
        }))?;
        tools.register(typed(ReadFile { folder }))?;
        Ok(Self {
            model,
            tools,
            prompts: Prompts::new(&[])?,
        })
    }
}

const ANSWER: Node = Node::named("answer");

/// Each turn of the conversation is a durable step: after a crash no turn is asked for again.
async fn answer(talk: Snapshot<Talk>, cx: Context<Resources>) -> Result<TalkUpdate, NodeError> {
    let resources = cx.resources();
    let asked = vec![Message::user(talk.question.clone())];
    let conversation = Conversation::new(
        &*resources.model,
        &resources.tools,
        &resources.prompts,
        asked,
    );
    Ok(Talk::update().transcript(converse(conversation, &cx).await?))
}

/// The graph: nodes, then edges.
pub fn graph() -> Result<Compiled<Talk, Resources>, CompileErrors> {
    let mut graph = StateGraph::<Talk, Resources>::new("talk");
    graph.add_node(ANSWER, answer);
    graph.add_edge(START, ANSWER);
    graph.compile()
}
