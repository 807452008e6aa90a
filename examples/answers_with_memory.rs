//! Answers from documents, with a long-term memory of the one who asks that outlives threads.
//!
//! `cargo run -p graphloom-examples --example answers_with_memory`
#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::error::Error;
use std::sync::Arc;

use graphloom_checkpoint_sqlite::SqliteCheckpointer;
use graphloom_core_graph::store::{Namespace, PutOptions, Query, Store};
use graphloom_core_graph::{Context, Node, NodeError, START, Snapshot, State, StateGraph};
use graphloom_llm::{ChatModel, ChatRequest, Message, Scripted, fence};
use graphloom_retrieval::{Corpus, CorpusOptions, SearchOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Chat {
    user: String,
    message: String,
    passages: Vec<String>,
    reply: String,
}

struct Resources {
    model: Arc<dyn ChatModel>,
    corpus: Corpus,
}

const REMEMBER: Node = Node::named("remember");
const RETRIEVE: Node = Node::named("retrieve");
const REPLY: Node = Node::named("reply");

fn memory_of(user: &str) -> Result<Namespace, NodeError> {
    Ok(Namespace::new(["users", user])?)
}

/// What begins with `Remember:` is put into the store; it is there in every later thread of this person.
async fn remember(chat: Snapshot<Chat>, cx: Context<Resources>) -> Result<(), NodeError> {
    let Some(fact) = chat.message.strip_prefix("Remember: ") else { return Ok(()) };
    let store = cx.store().ok_or_else(|| NodeError::terminal("these threads have no store"))?;
    store.put(&memory_of(&chat.user)?, fact, json!({ "fact": fact }), PutOptions::default()).await?;
    Ok(())
}

async fn retrieve(chat: Snapshot<Chat>, cx: Context<Resources>) -> Result<ChatUpdate, NodeError> {
    let hits = cx.resources().corpus.search(&chat.message, &SearchOptions::with_limit(2).per_document(1))?;
    Ok(Chat::update().passages(hits.into_iter().map(|hit| hit.snippet).collect::<Vec<_>>()))
}

/// Text from outside goes into a fence, so that a model can tell it from instructions.
async fn reply(chat: Snapshot<Chat>, cx: Context<Resources>) -> Result<ChatUpdate, NodeError> {
    let store = cx.store().ok_or_else(|| NodeError::terminal("these threads have no store"))?;
    let known = store.query(&Query::below(memory_of(&chat.user)?).limit(10)).await?;
    let facts: Vec<&str> = known.iter().filter_map(|item| item.value["fact"].as_str()).collect();
    let prompt = format!(
        "{}\n{}\n{}",
        fence::fenced(&facts.join("\n"), "what is known of the person"),
        fence::fenced(&chat.passages.join("\n"), "the passages"),
        chat.message
    );
    let request = ChatRequest { messages: vec![Message::user(prompt)], ..ChatRequest::default() };
    let text = async { Ok(cx.resources().model.chat(request).await?.text()) };
    let text: String = cx.once("reply", text).await?;
    Ok(Chat::update().reply(text))
}

/// A scripted model in the place of a real one: it repeats the first sentence of the passages, in the form that the person
/// likes, and thanks for what it is told.
fn model() -> Scripted {
    Scripted::from_fn(|request| {
        let prompt = request.messages.iter().map(Message::joined_text).collect::<String>();
        let from = |origin| fence::text_from(&prompt, origin).unwrap_or_default();
        let sentence = from("the passages").split(". ").next().unwrap_or_default().trim_end_matches('.');
        Ok(match from("what is known of the person") {
            known if prompt.contains("Remember: ") => format!("I will keep in mind: {known}"),
            known if known.contains("upper case") => sentence.to_uppercase(),
            _ => sentence.to_owned(),
        })
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let place = tempfile::tempdir()?;
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");
    let corpus = Corpus::open(&place.path().join("index"), &[docs.into()], CorpusOptions::default())?;
    corpus.refresh()?;

    let mut graph = StateGraph::<Chat, Resources>::new("chat");
    graph.add_node(REMEMBER, remember);
    graph.add_node(RETRIEVE, retrieve);
    graph.add_node(REPLY, reply);
    graph.add_edge(START, REMEMBER).add_edge(REMEMBER, RETRIEVE).add_edge(RETRIEVE, REPLY);
    // Threads and memory are in the same file.
    let file = SqliteCheckpointer::open(place.path().join("chats.db"))?;
    let memory: Arc<dyn Store> = Arc::new(file.store());
    let app = graph.compile()?.with_context(Resources { model: Arc::new(model()), corpus });
    let threads = app.with_checkpointer(file).with_store(memory);

    let mut replies = Vec::new();
    for (thread, user, message) in [
        ("monday", "ada", "Remember: I like upper case"),
        ("tuesday", "ada", "What is a super-step?"),
        ("tuesday of ben", "ben", "What is a super-step?"),
    ] {
        let chat = threads.thread(thread).run(Chat::update().user(user).message(message)).await?.done()?;
        println!("{user}: {message}\n  {}", chat.reply);
        replies.push(chat.reply.clone());
    }
    assert_eq!(replies[1], replies[2].to_uppercase(), "one person's wish holds for that person alone");
    Ok(())
}
