//! `pocketflow`: a research conversation, turn by turn.
//!
//! ```text
//! START ─► receive ─► converse (the conversation's own graph, up to the end of the turn) ─► say ─► END
//! ```
//!
//! The conversation waits for its next message by ending the run, not by a question: for a chat page it is a chat. Its
//! session is in the state, so that a thread that is forked, copied or taken back goes on from where it stands.

use std::sync::Arc;

use graphloom_core_graph::{
    ChildOutcome, CompileErrors, Compiled, Context, END, FromRef, GraphOptions, Node, NodeError, START, Shared,
    Snapshot, State, StateGraph, Step,
};
use graphloom_pocketflow::session::{self, Question, Session};
use graphloom_pocketflow::{Conversation, LISTEN, NAME, Resources, Turn, export, graph_with};
use graphloom_server::Server;
use graphloom_server::artifacts::Artifact;
use graphloom_server::messages::{Messages, add_messages};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{Delivery, Document, MARKDOWN, keep_all};
use crate::request::{said, wanted};

/// A conversation.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Chat {
    /// What was said.
    #[state(reduce_with = add_messages, stored = deltas)]
    pub messages: Messages,
    /// What the person says, in the place of a message.
    pub message: Option<String>,
    /// The name of the question that it is about, from [`asked`](Self::asked); unless given the one that was asked last.
    pub about: Option<String>,
    /// What the conversation asks now.
    pub asked: Option<Question>,
    /// What the conversation keeps between turns.
    pub session: Option<Shared<Session>>,
    /// The documents: the proposal and its references, once there is one.
    pub artifacts: Vec<Artifact>,
    /// The turn that is under way.
    pub turn: Option<Shared<Turn>>,
    /// What the turn has led to and is to be said.
    pub delivery: Option<Shared<Delivery>>,
}

/// What the nodes of a conversation work with.
#[derive(Debug)]
pub struct ChatResources(Arc<Resources>);

impl FromRef<ChatResources> for Resources {
    fn from_ref(resources: &Arc<ChatResources>) -> Arc<Self> {
        Arc::clone(&resources.0)
    }
}

const RECEIVE: Node = Node::named("receive");
const CONVERSE: Node = Node::named("converse");
const SAY: Node = Node::named("say");

/// Serves conversations as `pocketflow`.
///
/// # Errors
/// A graph that does not compile, which is a fault of this crate.
pub fn add_to(server: Server, resources: Resources) -> Result<Server, CompileErrors> {
    let server = server.graph(NAME, graph()?, ChatResources(Arc::new(resources)));
    let what = "A research conversation: queries, literature, gap and proposal, with your approval in between";
    Ok(server.described(NAME, what).takes(NAME, ["message", "about", "messages"]))
}

/// The graph of a conversation, around its own.
///
/// # Errors
/// A graph that does not compile, which is a fault of this crate.
pub fn graph() -> Result<Compiled<Chat, ChatResources>, CompileErrors> {
    let turn_ends = async |_: Snapshot<Conversation>| Ok::<_, NodeError>(Step::<Conversation>::goto(END));
    let conversation = graph_with(GraphOptions::new().replace(LISTEN, turn_ends))?;
    let mut graph = StateGraph::<Chat, ChatResources>::new(NAME);
    graph.add_node(RECEIVE, receive);
    graph.add_subgraph(CONVERSE, conversation, begin_turn, end_turn);
    graph.add_node(SAY, say);
    graph.add_edge(START, RECEIVE).add_edge(RECEIVE, CONVERSE).add_edge(CONVERSE, SAY).add_edge(SAY, END);
    graph.compile()
}

/// Takes the message, and sees to it that the conversation stands where the thread does.
async fn receive(chat: Snapshot<Chat>, cx: Context<ChatResources>) -> Result<ChatUpdate, NodeError> {
    let (text, message) = wanted(&chat.messages, chat.message.as_ref(), "message")?;
    let id = cx.task().thread.to_string();
    let store = &*cx.resources().0.store;
    let mut own = chat.session.as_deref().cloned().unwrap_or_else(|| Session::new(&*id));
    own.conversation_id.clone_from(&id);
    // A session of a newer program is left as it is: the conversation says so.
    if session::load(store, &id).await.is_ok_and(|stored| stored.session != own) {
        session::restore(store, &own).await?;
    }
    let about = match chat.about.as_deref().map(str::trim) {
        None | Some("") => chat.asked.clone(),
        Some(name) => {
            let unknown =
                || NodeError::terminal(format!("`{name}` is no name of a question; `asked` has that of the open one"));
            Some(Question::named(name).ok_or_else(unknown)?)
        }
    };
    let turn = Turn::new(id, text).about(about);
    Ok(Chat::update()
        .messages(message.into_iter().collect::<Messages>())
        .message(None::<String>)
        .about(None::<String>)
        .turn(Some(Shared::new(turn))))
}

fn begin_turn(chat: &Chat) -> graphloom_pocketflow::ConversationUpdate {
    Conversation::update().turn(chat.turn.as_deref().cloned().unwrap_or_default())
}

fn end_turn(ended: ChildOutcome<Conversation>) -> Result<ChatUpdate, NodeError> {
    let conversation = ended.done()?;
    let Conversation { turn, session } = &*conversation;
    let mut documents = Vec::new();
    if let Some(proposal) = session.artifacts.proposal.as_ref().map(|proposal| &proposal.value) {
        documents.push(Document::new("proposal.md", MARKDOWN, export::markdown(proposal)));
        documents.push(Document::json("proposal.json", &export::json(session))?);
        documents.push(Document::new("references.bib", "application/x-bibtex", export::bibtex(proposal)));
        documents.push(Document::json("references.csl.json", &export::csl_json(proposal))?);
    }
    let update = Chat::update().turn(None::<Shared<Turn>>);
    let update = match turn.asked.clone() {
        Some(asked) => update.asked(Some(asked)).session(Some(Shared::new(session.clone()))),
        // Nothing was saved: the conversation stands where it stood.
        None => update,
    };
    Ok(update.delivery(Some(Shared::new(Delivery { said: turn.chat.clone(), documents }))))
}

async fn say(chat: Snapshot<Chat>, cx: Context<ChatResources>) -> Result<ChatUpdate, NodeError> {
    let delivery = chat.delivery.as_deref().cloned().unwrap_or_default();
    let artifacts = keep_all(&cx, &chat.artifacts, &delivery.documents).await?;
    Ok(Chat::update().messages(said(&delivery.said)).artifacts(artifacts).delivery(None::<Shared<Delivery>>))
}
