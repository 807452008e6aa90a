//! A list that grows: every turn is a run of the same thread, whose node appends a message of 1 KiB.

use std::sync::Arc;

use futures::FutureExt;
use graphloom_core_graph::checkpoint::Checkpointer;
use graphloom_core_graph::{App, CompileErrors, END, Log, Node, NodeError, START, Snapshot, State, StateGraph};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{check, filled};
use crate::Failure;
use crate::measure::{Floor, Measurements, OnStore, Shape, Store};

/// Letters of a message.
pub(crate) const LETTERS: u64 = 1_024;
const ANSWER: Node = Node::named("answer");

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Chat {
    #[state(append)]
    messages: Log<Message>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct Message {
    role: String,
    content: String,
}

async fn answer(chat: Snapshot<Chat>) -> Result<ChatUpdate, NodeError> {
    let content = filled("", chat.messages.len() as u64, LETTERS as usize);
    Ok(Chat::update().messages([Message { role: "assistant".to_owned(), content }]))
}

fn graph() -> Result<App<Chat>, CompileErrors> {
    let mut graph = StateGraph::<Chat>::new("chat");
    graph.add_node(ANSWER, answer);
    graph.add_edge(START, ANSWER).add_edge(ANSWER, END);
    Ok(graph.compile()?.with_context(()))
}

pub(super) async fn measure(bench: &mut Measurements) -> Result<(), Failure> {
    let shapes: [(_, _, fn(&Chat) -> bool); 2] = [
        ("growth200", 200, |chat| chat.messages.len() == 200),
        ("growth1000", 1_000, |chat| chat.messages.len() == 1_000),
    ];
    for (name, turns, right) in shapes {
        let shape = Shape { name, unit: "turn", units: turns };
        let app = graph()?;
        let on_store: OnStore = Arc::new(move |store: Arc<dyn Checkpointer>| {
            let thread = app.with_shared_checkpointer(store).thread("bench");
            async move {
                for _ in 1..turns {
                    thread.run(Chat::update()).await?;
                }
                check(thread.run(Chat::update()).await?, right)
            }
            .boxed()
        });
        for store in Store::DURABLE {
            bench.durable(shape, store, store == Store::Normal && turns == 200, Floor::None, &on_store).await?;
        }
    }
    Ok(())
}
