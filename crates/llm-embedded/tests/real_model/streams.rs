//! Answers as they are made: pieces, several at once, and those that nobody waits for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::StreamExt;
use graphloom_llm::{ChatEvent, ChatModel, ChatRequest, FinishReason, Message, ResponseFormat};
use serde_json::json;

use crate::{ask, model, short};

/// The pieces of an answer and its whole text.
async fn collect(request: ChatRequest) -> (Vec<String>, String) {
    let mut stream = model().stream(request).await.unwrap();
    let mut pieces = Vec::new();
    while let Some(event) = stream.next().await {
        match event.unwrap() {
            ChatEvent::TextDelta { text } => pieces.push(text),
            ChatEvent::Done(response) => {
                assert!(stream.next().await.is_none());
                return (pieces, response.text());
            }
            other => panic!("{other:?}"),
        }
    }
    panic!("no end after {pieces:?}")
}

#[tokio::test]
async fn the_pieces_are_the_answer() {
    let (pieces, text) = collect(ask("Write about 日本 and an emoji 😀.", short(24))).await;
    assert!(pieces.len() > 3);
    assert_eq!(pieces.concat(), text);
}

#[tokio::test]
async fn two_at_once_get_what_each_gets_alone() {
    let (apples, pears) = (|| ask("Describe apples.", short(12)), || ask("Describe pears.", short(12)));
    let (first, second) = tokio::join!(collect(apples()), collect(pears()));
    assert_ne!(first.1, second.1);
    assert_eq!(first, collect(apples()).await);
    assert_eq!(second, collect(pears()).await);
}

#[tokio::test]
async fn a_long_answer_holds_no_short_one_up() {
    let text = json!({"type": "string", "minLength": 390, "maxLength": 400});
    let schema = json!({"type": "object", "properties": {"text": text}, "required": ["text"]});
    let format = ResponseFormat::JsonSchema { name: "long".to_owned(), schema };
    let long = ChatRequest { format, ..ask("Write about the sea.", short(2000)) };
    let mut stream = model().stream(long).await.unwrap();
    assert!(matches!(stream.next().await, Some(Ok(ChatEvent::TextDelta { .. }))));
    let ended = Arc::new(AtomicBool::new(false));
    let rest = tokio::spawn({
        let ended = Arc::clone(&ended);
        async move {
            while stream.next().await.is_some() {}
            ended.store(true, Ordering::SeqCst);
        }
    });
    model().chat(ask("Say hello.", short(2))).await.unwrap();
    assert!(!ended.load(Ordering::SeqCst), "the short answer came after the long one");
    rest.await.unwrap();
}

#[tokio::test]
async fn what_calls_begin_with_alike_is_read_once() {
    let system = "You know the sea and its lighthouses, ".repeat(40);
    let ask = |text: &str| {
        let messages = vec![Message::system(system.as_str()), Message::user(text)];
        let request = ChatRequest { messages, params: short(2), ..ChatRequest::default() };
        async move { model().chat(request).await.unwrap().usage }
    };
    let (first, second) = tokio::join!(ask("Name a tower."), ask("Name a ship."));
    let read = [first, second].map(|usage| (usage.input, usage.cache_read));
    assert!(read.iter().any(|(input, reused)| *input > 200 && input - reused < 64), "{read:?}");
}

#[tokio::test]
async fn a_dropped_stream_frees_the_model() {
    let model = model();
    let mut stream = model.stream(ask("Write a very long story about the sea.", short(6000))).await.unwrap();
    assert!(matches!(stream.next().await, Some(Ok(ChatEvent::TextDelta { .. }))));
    drop(stream);
    let future = model.chat(ask("Write a very long poem about the sea.", short(6000)));
    drop(future);
    // Thousands of tokens would take minutes; this is answered because the others were given up.
    let answer = model.chat(ask("Say hello.", short(3))).await.unwrap();
    assert!(matches!(answer.finish, FinishReason::Length | FinishReason::Stop));
}
