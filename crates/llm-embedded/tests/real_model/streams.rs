//! Answers as they are made: pieces, several at once, and those that nobody waits for.

use futures::StreamExt;
use graphloom_llm::{ChatEvent, ChatModel, ChatRequest, FinishReason};

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
