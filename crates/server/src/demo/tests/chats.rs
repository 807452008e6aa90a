//! `echo_chat` and `chat_review`.

use serde_json::{Value, json};

use super::{asked, play, steps, thread, values};
use crate::demo::chat_review::{self, ChatReview};
use crate::demo::echo_chat::{self, EchoChat};
use crate::messages::{Message, MessageKind, Messages};

fn said(messages: &Messages) -> Vec<(MessageKind, String)> {
    messages.iter().map(|message| (message.kind(), message.text())).collect()
}

#[tokio::test]
async fn an_echo_comes_in_words_and_spaces_under_one_id() {
    let thread = thread(&echo_chat::graph().unwrap());
    let played = play(thread.run(EchoChat::update().messages(Message::human("hi there").into()))).await;
    let pieces: Vec<_> = played.chunks.iter().map(|chunk| chunk.content.as_str()).collect();
    assert_eq!(pieces, ["Echo:", " ", "hi", " ", "there"]);
    let last: Vec<_> = played.chunks.iter().map(|chunk| chunk.is_last).collect();
    assert_eq!(last, [false, false, false, false, true]);

    let id = played.chunks[0].id.clone();
    assert!(played.chunks.iter().all(|chunk| chunk.id == id));
    let chat = played.done();
    assert_eq!(chat.messages.last().unwrap().id(), id, "the kept message has the id of its pieces");
    let texts = [(MessageKind::Human, "hi there".to_owned()), (MessageKind::Ai, "Echo: hi there".to_owned())];
    assert_eq!(said(&chat.messages), texts);
    assert_eq!(steps(&thread).await, ["model"]);
}

#[tokio::test]
async fn spaces_at_the_edges_and_in_a_row_are_pieces_of_their_own() {
    let graph = echo_chat::graph().unwrap();
    for (text, pieces) in [
        ("", vec!["Echo:", " "]),
        (" a  b ", vec!["Echo:", " ", " ", "a", " ", " ", "b", " "]),
        ("two\nlines", vec!["Echo:", " ", "two\nlines"]),
    ] {
        let played = play(graph.run_once(EchoChat::update().messages(Message::human(text).into()))).await;
        let told: Vec<_> = played.chunks.iter().map(|chunk| chunk.content.clone()).collect();
        assert_eq!(told, pieces, "{text:?}");
        let kept = played.done().messages.last().unwrap().text();
        assert_eq!(kept, told.concat(), "the pieces make up what is kept");
    }
}

#[tokio::test]
async fn a_conversation_goes_on_and_a_message_of_the_same_id_is_replaced() {
    let thread = thread(&echo_chat::graph().unwrap());
    play(thread.run(EchoChat::update().messages(Message::human("one").with_id("m1").into()))).await.done();
    play(thread.run(EchoChat::update().messages(Message::human("two").with_id("m2").into()))).await.done();
    let chat = play(thread.run(EchoChat::update().messages(Message::human("uno").with_id("m1").into()))).await.done();
    let texts: Vec<_> = chat.messages.iter().map(Message::text).collect();
    assert_eq!(texts, ["uno", "Echo: one", "two", "Echo: two", "Echo: Echo: two"]);
}

#[tokio::test]
async fn an_echo_of_nothing_fails_and_names_what_is_missing() {
    let error = play(echo_chat::graph().unwrap().run_once(EchoChat::update())).await.failed();
    assert_eq!(error.to_string(), "node `model` failed: the state has no `messages`; give it in the input");
}

#[tokio::test]
async fn a_reply_is_sent_as_it_is_or_as_a_person_writes_it() {
    for (answer, sent) in
        [(json!("send"), "Reply to Hello"), (json!("Good bye"), "Good bye"), (json!({ "to": 1 }), r#"{"to":1}"#)]
    {
        let thread = thread(&chat_review::graph().unwrap());
        let asked_for = Message::human("Hello").with_id("m1");
        let questions = play(thread.run(ChatReview::update().messages(asked_for.into()))).await.waiting();
        assert_eq!(asked(&questions), [json!({ "question": "Send?", "reply": "Reply to Hello" })]);
        assert_eq!(thread.state().await.unwrap().state.reply.as_deref(), Some("Reply to Hello"));

        let chat = play(thread.resume(questions.answer("send", &answer).unwrap())).await.done();
        let texts = [(MessageKind::Human, "Hello".to_owned()), (MessageKind::Ai, sent.to_owned())];
        assert_eq!(said(&chat.messages), texts, "{answer}");
        assert_eq!(values(&*chat)["reply"], Value::from("Reply to Hello"));
        assert_eq!(steps(&thread).await, ["compose", "confirm_reply"]);
    }
}
