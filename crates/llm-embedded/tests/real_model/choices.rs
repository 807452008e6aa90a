//! Choices by likelihood.

use graphloom_llm::{ChatModel, ChatRequest, ModelError};

use crate::model;

fn options(options: &[&str]) -> Vec<String> {
    options.iter().map(|&option| option.to_owned()).collect()
}

fn approval(text: &str) -> ChatRequest {
    ChatRequest::user(format!(
        "Does this feedback on a draft approve it or reject it? Answer with one word, approve or reject.\nFeedback: {text}"
    ))
}

#[tokio::test]
async fn plain_feedback_is_told_apart() {
    let model = model();
    let options = options(&["approve", "reject"]);
    for (text, wanted) in [
        ("Looks good, go ahead.", "approve"),
        ("Perfect, thank you!", "approve"),
        ("This is terrible, do it again.", "reject"),
        ("Remove the last chapter, it is wrong.", "reject"),
    ] {
        let choice = model.choose(approval(text), &options).await.unwrap();
        assert_eq!(options[choice.index], wanted, "{text}: {:?}", choice.scores);
        assert_eq!(choice.scores.len(), 2);
        let again = model.choose(approval(text), &options).await.unwrap();
        assert_eq!(choice.scores, again.scores);
    }
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
