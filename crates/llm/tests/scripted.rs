//! Script files, streaming and choices of the scripted model.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use futures::StreamExt;
use graphloom_llm::{ChatEvent, ChatModel, ChatRequest, FinishReason, ModelError, Scripted};

fn script(text: &str) -> Result<Scripted, ModelError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script.jsonl");
    std::fs::write(&path, text).unwrap();
    Scripted::open(&path)
}

#[tokio::test]
async fn rules_answer_by_text_and_in_order() {
    let model = script(concat!(
        "// comment\n",
        "{\"when\": [\"outline\", \"sea\"], \"json\": {\"tasks\": []}}\n",
        "{\"when\": \"search\", \"unless\": \"shore\", \"reply\": \"none\", \"times\": 1}\n",
        "{\"reply\": \"first\"}\n",
        "\n",
        "{\"error\": {\"error\": \"rate_limited\", \"model\": \"m\", \"message\": \"slow\", \"retry_after\": null}}\n",
        "{\"reply\": \"cut\", \"finish\": \"length\"}\n",
    ))
    .unwrap();
    let mut answers = Vec::new();
    for prompt in ["search", "the outline of the sea", "search", "anything", "x", "outline: sea", "y"] {
        answers.push(match model.chat(ChatRequest::user(prompt)).await {
            Ok(response) if response.finish == FinishReason::Length => format!("{}, cut off", response.text()),
            Ok(response) => response.text(),
            Err(error) => error.to_string(),
        });
    }
    assert_eq!(
        answers,
        [
            "none",
            r#"{"tasks":[]}"#,
            "first",
            "`m` limits the rate of calls: slow",
            "cut, cut off",
            r#"{"tasks":[]}"#,
            &format!(
                "`{}` rejected the request: no rule of the script answers the request whose last message begins `y`",
                model.id()
            ),
        ]
    );
    assert_eq!(model.calls().len(), 7);
}

#[test]
fn wrong_scripts_name_the_place() {
    let cases = [
        ("", "holds no rule"),
        ("{\"reply\": \"a\"}\n{\"replay\": \"b\"}", "in line 2"),
        ("{\"when\": \"a\"}", "in rule 1: a rule needs exactly one of"),
        ("[{\"reply\": \"a\"}, {\"reply\": 3}]", "in line 1"),
    ];
    for (text, expected) in cases {
        let message = script(text).unwrap_err().to_string();
        assert!(message.contains(expected), "{text}: {message}");
    }
    let message = Scripted::open("/nonexistent/script.jsonl").unwrap_err().to_string();
    assert!(message.starts_with("the script `/nonexistent/script.jsonl` cannot be read"), "{message}");
}

#[tokio::test]
async fn streams_come_in_pieces_and_end_with_the_whole_answer() {
    let model = script("{\"reply\": \"größe ja\", \"piece\": 3}").unwrap();
    let events: Vec<ChatEvent> =
        model.stream(ChatRequest::user("x")).await.unwrap().map(|event| event.unwrap()).collect().await;
    let pieces: Vec<&str> = events
        .iter()
        .filter_map(|event| match event {
            ChatEvent::TextDelta { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(pieces, ["grö", "ße ", "ja"]);
    assert!(matches!(events.last(), Some(ChatEvent::Done(response)) if response.text() == "größe ja"));
}

#[tokio::test]
async fn a_choice_is_one_of_the_options() {
    let options = ["approve".to_owned(), "reject".to_owned()];
    let model = Scripted::from_fn(|_| Ok("{\"choice\": \"Reject\"}"));
    assert_eq!(model.choose(ChatRequest::user("x"), &options).await.unwrap().index, 1);
    let error = model.choose(ChatRequest::user("x"), &[]).await.unwrap_err();
    assert!(matches!(error, ModelError::Invalid { .. }), "{error}");
}
