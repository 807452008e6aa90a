//! Free text: an answer comes, and the same request gets the same one.

use graphloom_llm::{ChatModel, ChatRequest, FinishReason, Message, Params, StructuredSupport};

use crate::{ask, model, short};

#[tokio::test]
async fn a_question_gets_an_answer() {
    let model = model();
    let params = Params { temperature: Some(0.0), ..short(24) };
    let answer = model.chat(ask("Which city is the capital of France? Answer with its name.", params)).await.unwrap();
    assert!(answer.text().contains("Paris"), "{}", answer.text());
    assert_eq!(answer.finish, FinishReason::Stop);
    assert_eq!(answer.model, "smollm2-135m-instruct-q4_1");
    assert!(answer.usage.input > 20 && answer.usage.output > 3, "{:?}", answer.usage);
}

#[tokio::test]
async fn the_same_request_gets_the_same_answer() {
    let model = model();
    let request = || ask("Describe a lighthouse.", short(24));
    let first = model.chat(request()).await.unwrap();
    // Another conversation in between changes what the model has at hand.
    model.chat(ask("Describe a lemon.", short(3))).await.unwrap();
    let second = model.chat(request()).await.unwrap();
    assert!(!first.text().trim().is_empty());
    assert_eq!(first.text(), second.text());
    assert!(second.usage.cache_read > 0, "{:?}", second.usage);

    let seeded = |seed| ask("Describe a lighthouse.", Params { seed: Some(seed), ..short(24) });
    let one = model.chat(seeded(1)).await.unwrap().text();
    assert_eq!(one, model.chat(seeded(1)).await.unwrap().text());
    assert_ne!(one, model.chat(seeded(2)).await.unwrap().text());
}

#[tokio::test]
async fn an_answer_does_not_depend_on_the_conversations_before() {
    let model = model();
    let history = |last: &str| ChatRequest {
        messages: vec![
            Message::system("You answer in one short sentence. Be plain, be kind, and never use a list or a table."),
            Message::user("What is bread made of? Please answer for a child who has never seen an oven."),
            Message::assistant("Bread is made of flour, water, salt and yeast, and it is baked until it is brown."),
            Message::user(last),
        ],
        params: short(16),
        ..ChatRequest::default()
    };
    let fresh = model.chat(history("And what is butter made of?")).await.unwrap();
    model.chat(history("And what is a cake made of, and who eats it?")).await.unwrap();
    let reused = model.chat(history("And what is butter made of?")).await.unwrap();
    assert!(reused.usage.cache_read >= 64, "{:?}", reused.usage);
    assert_eq!(fresh.text(), reused.text());
}

#[tokio::test]
async fn a_limit_of_tokens_is_a_finish_of_its_own() {
    let answer = model().chat(ask("Write a long story about the sea.", short(5))).await.unwrap();
    assert_eq!((&answer.finish, answer.usage.output), (&FinishReason::Length, 5));
}

#[tokio::test]
async fn a_stop_text_ends_the_answer_and_is_not_in_it() {
    let params = Params { temperature: Some(0.0), stop: vec!["Paris".to_owned()], ..short(24) };
    let answer = model().chat(ask("Which city is the capital of France? Answer with its name.", params)).await.unwrap();
    assert_eq!((&answer.finish, answer.text().as_str()), (&FinishReason::Stop, "The capital of France is "));
}

#[test]
fn the_model_says_what_it_can_do() {
    let model = model();
    assert_eq!(model.id().to_string(), "embedded:smollm2-135m-instruct-q4_1");
    let capabilities = model.capabilities();
    assert_eq!(capabilities.structured, StructuredSupport::Constrained);
    assert_eq!(capabilities.context, Some(8192));
    assert!(capabilities.local && capabilities.sampling && !capabilities.tools && !capabilities.images);
}
