//! Messages as a field of a state, and their pieces as events.

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{Context, EventKind, Node, NodeError, START, Snapshot, State, StateGraph};
use graphloom_server::messages::{
    MESSAGE_EVENT, Message, MessageChunk, Messages, ToolCallChunk, Usage, add_messages, emit_chunk,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Chat {
    #[state(reduce_with = add_messages, stored = deltas)]
    messages: Messages,
}

const ANSWER: Node = Node::named("answer");

fn last_piece() -> MessageChunk {
    MessageChunk {
        reasoning: Some("why".to_owned()),
        tool_calls: vec![ToolCallChunk {
            id: Some("c1".to_owned()),
            name: Some("add".to_owned()),
            ..Default::default()
        }],
        is_last: true,
        usage: Some(Usage { input_tokens: 2, output_tokens: 1, total_tokens: 3 }),
        ..MessageChunk::text("answer", "done")
    }
}

async fn answer(chat: Snapshot<Chat>, context: Context) -> Result<ChatUpdate, NodeError> {
    emit_chunk(&context, MessageChunk::text("answer", "almost ")).await;
    emit_chunk(&context, last_piece()).await;
    let text = format!("answer {}", chat.messages.len());
    Ok(Chat::update().messages([Message::ai(text).with_id("answer"), Message::remove("first")].into()))
}

#[tokio::test]
async fn a_thread_keeps_messages_by_id_in_every_checkpoint() {
    let mut graph = StateGraph::<Chat>::new("chat");
    graph.add_node(ANSWER, answer);
    graph.add_edge(START, ANSWER);
    let threads = graph.compile().unwrap().with_checkpointer(MemoryCheckpointer::new());
    let thread = threads.thread("t");
    for text in ["one", "two", "three"] {
        let question = Message::human(text);
        thread.run(Chat::update().messages([Message::system("s").with_id("first"), question].into())).await.unwrap();
    }
    let state = thread.state().await.unwrap().state;
    let texts: Vec<_> = state.messages.iter().map(Message::text).collect();
    assert_eq!(texts, ["one", "answer 5", "two", "three"]);

    // What a store gives back is the same, ids included.
    let bytes = state.save(&(), 0).unwrap();
    let mut read = Chat::default();
    read.load(&(), 0, &bytes).unwrap();
    assert_eq!(read.messages, state.messages);
    let update = Chat::update().messages(json_messages(json!(["hi", { "type": "remove", "id": "x" }])));
    let changes = Chat::encode_update(&(), &update).unwrap();
    let decoded = Chat::decode_update(&(), &changes).unwrap();
    assert_eq!(serde_json::to_value(&decoded).unwrap(), serde_json::to_value(&update).unwrap(), "a new id stays");
}

fn json_messages(value: serde_json::Value) -> Messages {
    serde_json::from_value(value).expect("messages")
}

#[tokio::test]
async fn pieces_are_events_that_a_reader_recognises() {
    let mut graph = StateGraph::<Chat>::new("chat");
    graph.add_node(ANSWER, answer);
    graph.add_edge(START, ANSWER);
    let mut run = graph.compile().unwrap().run_once(Chat::update());
    let mut chunks = Vec::new();
    while let Some(event) = run.next().await {
        if let EventKind::Custom { name, payload } = event.kind {
            assert_eq!(name, MESSAGE_EVENT);
            chunks.push(payload.get::<MessageChunk>().unwrap().clone());
            let again: MessageChunk = serde_json::from_value(payload.json()).unwrap();
            assert_eq!(Some(&again), chunks.last(), "its JSON form says the same");
        }
    }
    assert_eq!(chunks, [MessageChunk::text("answer", "almost "), last_piece()]);
}
