//! Choices by likelihood.

use graphloom_llm::{ChatModel, ChatRequest, Message, ModelError};

use crate::model;

fn options(options: &[&str]) -> Vec<String> {
    options.iter().map(|&option| option.to_owned()).collect()
}

/// A remark on a draft, after a few examples.
fn approval(text: &str) -> ChatRequest {
    let mut messages = vec![Message::system("Classify the user's feedback on a draft as approve or reject.")];
    for (example, label) in [
        ("No, this is wrong, start again.", "reject"),
        ("Great work, publish it.", "approve"),
        ("The second part is bad, change it.", "reject"),
        ("I like it, please continue.", "approve"),
    ] {
        messages.push(Message::user(example));
        messages.push(Message::assistant(label));
    }
    messages.push(Message::user(text));
    ChatRequest { messages, ..ChatRequest::default() }
}

#[tokio::test]
async fn most_plain_feedback_is_told_apart() {
    let model = model();
    let options = options(&["approve", "reject"]);
    let mut right = 0;
    let remarks = [
        ("Looks good, go ahead.", 0),
        ("Perfect, thank you!", 0),
        ("Yes, please publish.", 0),
        ("Excellent plan, continue.", 0),
        ("Remove the last chapter, it is wrong.", 1),
        ("Too long and boring, cut it.", 1),
        ("I disagree with the conclusion.", 1),
        ("Stop, this is not what I asked for.", 1),
    ];
    for (text, wanted) in remarks {
        let choice = model.choose(approval(text), &options).await.unwrap();
        assert!(choice.scores.len() == 2 && choice.scores.iter().all(|score| *score < 0.0), "{:?}", choice.scores);
        assert!(choice.scores[choice.index] >= choice.scores[1 - choice.index]);
        let again = model.choose(approval(text), &options).await.unwrap();
        assert_eq!(choice.scores, again.scores, "{text}");
        assert!(again.usage.cache_read > 0);
        right += usize::from(choice.index == wanted);
    }
    // A model of this size errs; kernels of other processors may turn a close case.
    assert!(right >= 7, "{right} of {}", remarks.len());
}

#[tokio::test]
async fn options_of_many_tokens_are_compared_whole() {
    let question = ChatRequest::user("Which city is the capital of France? Answer with its name.");
    let options = options(&["The capital of France is Berlin.", "The capital of France is Paris."]);
    let choice = model().choose(question.clone(), &options).await.unwrap();
    assert_eq!(choice.index, 1, "{:?}", choice.scores);
    let turned: Vec<String> = options.iter().rev().cloned().collect();
    assert_eq!(model().choose(question, &turned).await.unwrap().index, 0);
}

#[tokio::test]
async fn no_option_is_an_error() {
    let error = model().choose(ChatRequest::user("Well?"), &[]).await.unwrap_err();
    assert!(matches!(error, ModelError::Invalid { .. }), "{error:?}");
}
