//! Research: questions before it, with the schema of their answer.

use std::sync::Arc;

use graphloom_agents::Models;
use graphloom_deepsearch::search::Engines;
use graphloom_deepsearch::{Config, Resources};
use graphloom_llm::scripted::Reply;
use graphloom_llm::{ChatRequest, ModelError, Scripted, ToolCall};
use graphloom_served::deepsearch;
use graphloom_server::Server;
use serde_json::json;

use crate::client::{ThreadClient, last_text};

/// A model that names the language of a request, asks three questions and makes an outline.
pub(crate) fn scripted_model() -> Scripted {
    Scripted::from_fn(|request: &ChatRequest| {
        let outline = json!({
            "language": "en", "thought": "so", "title": "All about storks",
            "sections": [{
                "id": "1", "title": "Where they nest", "description": "first", "is_core_section": true,
                "parent_ids": [], "relationships": [],
            }],
        });
        Ok::<_, ModelError>(match request.tools.first().map(|tool| tool.name.as_str()) {
            Some("generate_outline") => {
                Reply::tools([ToolCall { id: "1".into(), name: "generate_outline".into(), arguments: outline }])
            }
            Some(_) => Reply::text(r#"{"query_title": "Storks", "language": "en"}"#),
            None => Reply::text("1. Which storks?\n2. Which years?\n3. For whom?"),
        })
    })
}

pub(crate) async fn research() -> ThreadClient {
    research_on(Models::new(Arc::new(scripted_model()))).await
}

pub(crate) async fn research_on(models: Models) -> ThreadClient {
    let resources = Resources::new(models, Engines::default()).unwrap();
    ThreadClient::new(deepsearch::add_to(Server::new(), resources, Config::default()).unwrap(), "deepsearch").await
}

#[tokio::test]
async fn questions_and_outline_are_interrupts_with_the_schema_of_their_answer() {
    let talk = research().await;
    talk.say("How common are storks?").await;
    let asked = talk.question().await;
    assert!(asked["value"]["questions"].as_str().unwrap().starts_with("1. Which storks?"), "{asked}");
    assert_eq!(asked["response_schema"]["required"], json!(["feedback"]));

    talk.answer(json!({ "feedback": "white storks" })).await;
    let shown = talk.question().await;
    assert_eq!(shown["value"]["outline"]["title"], "All about storks", "{shown}");
    let actions = &shown["response_schema"]["properties"]["interrupt_feedback"]["enum"];
    assert_eq!(actions[0], "accepted");
    assert_ne!(shown["id"], asked["id"]);

    let ended = talk.answer(json!({ "interrupt_feedback": "cancel" })).await;
    assert_eq!(last_text(&ended), "The research ended without a report.");
    assert_eq!(ended["artifacts"], json!([]), "nothing was made: {ended}");
}

#[tokio::test]
async fn a_person_in_a_chat_answers_in_words() {
    let talk = research().await;
    talk.say("How common are storks?").await;
    talk.answer(json!("white storks")).await;
    assert_eq!(talk.question().await["value"]["outline"]["title"], "All about storks");
    let ended = talk.answer(json!("cancel")).await;
    assert_eq!(last_text(&ended), "The research ended without a report.");
    assert_eq!(ended["notices"], json!([]), "no payload was misread");
}

#[tokio::test]
async fn a_context_that_does_not_fit_runs_nothing() {
    let talk = research().await;
    for (config, part) in [
        (json!({ "outliner_max_section_num": 99 }), "outliner_max_section_num"),
        (json!({ "llm_config": {} }), "is set where the server is started"),
    ] {
        let order =
            json!({ "assistant_id": "deepsearch", "input": { "query": "storks" }, "context": { "config": config } });
        let (_, said) = talk.try_post(&format!("/threads/{}/runs/wait", talk.id), &order).await;
        assert!(said.to_string().contains(part), "{said}");
    }
}
