//! A conversation, turn by turn on one thread.

use std::sync::Arc;

use async_trait::async_trait;
use graphloom_agents::Models;
use graphloom_core_graph::store::{MemoryStore, Store};
use graphloom_llm::scripted::rendered;
use graphloom_llm::{ChatRequest, ModelError, Scripted};
use graphloom_pocketflow::Resources;
use graphloom_pocketflow::research::Record;
use graphloom_retrieval::{Hit, Search, SearchAnswer};
use graphloom_served::pocketflow;
use graphloom_server::Server;
use serde_json::{Value, json};

use crate::client::{ThreadClient, last_text};

struct ScriptedSource;

#[async_trait]
impl Search for ScriptedSource {
    fn engines(&self) -> Vec<String> {
        vec!["scripted".to_owned()]
    }

    async fn search(&self, query: &str, _: usize) -> SearchAnswer {
        let mut record = Record::new(format!("On {query}"));
        record.id = format!("r-{query}");
        record.abstract_text = Some(format!("Words on {query} were measured at the coast for many years."));
        SearchAnswer::of("scripted", query, vec![Hit::new(record.evidence(), 1.0, "").by("scripted").of_work(record)])
    }
}

/// A model that answers each prompt of a conversation.
pub(crate) fn scripted_model() -> Scripted {
    Scripted::from_fn(|request: &ChatRequest| {
        let prompt = rendered(request);
        let answers = [
            (
                "You plan literature searches",
                json!({ "queries": [{ "text": "spring tides", "rationale": "", "aspect": "" }] }),
            ),
            ("You read scientific material", json!({ "claim": "Tides were measured.", "limits": "Once only." })),
            (
                "You summarise what several records say",
                json!({ "themes": [{ "name": "Measuring", "summary": "It is measured.", "records": [1] }] }),
            ),
            (
                "You find what research leaves open",
                json!({ "summary": "Little.", "gap": "The long run.", "why": "It matters.", "evidence": [1] }),
            ),
            (
                "You write research proposals",
                json!({ "title": "On tides", "sections": [{ "heading": "Method", "text": "Measure longer [1]." }] }),
            ),
        ];
        let answer = answers.into_iter().find(|(words, _)| prompt.contains(words));
        answer.map(|(_, answer)| answer.to_string()).ok_or(ModelError::Setup { message: prompt })
    })
}

pub(crate) async fn conversation() -> ThreadClient {
    conversation_on(Models::new(Arc::new(scripted_model()))).await
}

pub(crate) async fn conversation_on(models: Models) -> ThreadClient {
    let memory: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let resources = Resources::new(models, Arc::new(ScriptedSource), Arc::clone(&memory)).unwrap();
    ThreadClient::new(pocketflow::add_to(Server::new().store(memory), resources).unwrap(), "pocketflow").await
}

#[tokio::test]
async fn messages_are_turns_of_one_conversation_and_none_is_an_interrupt() {
    let talk = conversation().await;
    let first = talk.say("tides").await;
    assert!(last_text(&first).contains("1. spring tides"), "{first}");
    let thread = talk.get(&format!("/threads/{}", talk.id)).await;
    let thread: Value = serde_json::from_str(&thread.text().await.unwrap()).unwrap();
    assert_eq!((&thread["status"], &thread["interrupts"]), (&json!("idle"), &json!({})));

    let second = talk.say("approve").await;
    assert!(last_text(&second).contains("# On tides"), "{second}");
    // A plain field is as good as a message, and may say which question it is about.
    let late = talk.run(json!({ "input": { "message": "approve", "about": first["asked"]["id"] } })).await;
    assert!(!last_text(&late).contains("The proposal is done"), "it was about the queries: {late}");
    let third = talk.run(json!({ "input": { "message": "approve" } })).await;
    assert!(last_text(&third).contains("The proposal is done"), "{third}");
    let kinds: Vec<&str> =
        third["messages"].as_array().unwrap().iter().map(|message| message["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["human", "ai"].repeat(4));

    let proposal = talk.download("proposal.md").await;
    assert_eq!(proposal.headers()["content-type"], "text/markdown; charset=utf-8");
    assert!(proposal.text().await.unwrap().starts_with("# On tides\n"));
    assert!(talk.download("references.bib").await.text().await.unwrap().contains("On spring tides"));
}

#[tokio::test]
async fn a_copy_of_a_thread_goes_on_from_where_it_stood() {
    let talk = conversation().await;
    talk.say("tides").await;
    let copy = talk.post(&format!("/threads/{}/copy", talk.id), &json!({})).await;
    let copy = talk.of_thread(copy["thread_id"].as_str().unwrap());
    assert!(last_text(&talk.say("approve").await).contains("# On tides"));
    let gone = copy.say("cancel").await;
    assert!(!last_text(&gone).contains("# On tides"), "{gone}");
    let done = talk.say("approve").await;
    assert!(last_text(&done).contains("The proposal is done"), "the copy changed nothing here: {done}");
}

#[tokio::test]
async fn who_says_nothing_is_told_what_to_say() {
    let talk = conversation().await;
    let order = json!({ "assistant_id": "pocketflow", "input": { "messages": [] } });
    let (_, said) = talk.try_post(&format!("/threads/{}/runs/wait", talk.id), &order).await;
    assert!(said.to_string().contains("the field `message`"), "{said}");
}
