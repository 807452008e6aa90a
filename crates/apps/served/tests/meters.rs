//! What runs use of models: what their calls tell is what the ledger counts, and nobody sees it who did not ask for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use graphloom_agents::Models;
use graphloom_llm::layers::{Budgeted, Ledger, Priced};
use graphloom_llm::prices::Price;
use graphloom_llm::{Capabilities, ChatModel, Scripted};
use graphloom_obsius::Config;
use graphloom_served::obsius;
use graphloom_server::Server;
use serde_json::{Value, json};

use crate::client::{JsonValue, ThreadClient};
use crate::{deepsearch, obsius as vault, pocketflow, writehere};

/// A model behind a server that costs a dollar for a million tokens in and two for those out, under a budget.
fn paid(model: Scripted) -> (Models, Arc<Ledger>) {
    let capabilities = Capabilities { local: false, ..model.capabilities().clone() };
    let model = Arc::new(model.with_capabilities(capabilities));
    let priced = Arc::new(Priced::new(model, Some(Price::new(1_000_000, 2_000_000))));
    let ledger = Ledger::new("calls=1000,usd=5,price=1/2".parse().unwrap());
    (Models::new(Arc::new(Budgeted::new(priced, Arc::clone(&ledger)).unwrap())), ledger)
}

/// The events of a thread on a channel, until as many runs as it has have ended.
async fn events(talk: &ThreadClient, channel: &str) -> Vec<Value> {
    let runs = talk.get(&format!("/threads/{}/runs", talk.id)).await.json_value().await;
    let mut left = runs.as_array().unwrap().len();
    let body = json!({ "channels": [channel, "lifecycle"] });
    let mut stream = talk.send(&format!("/threads/{}/stream/events", talk.id), &body).await;
    let (mut bytes, mut events) = (Vec::new(), Vec::new());
    while left > 0 {
        bytes.extend_from_slice(&stream.chunk().await.unwrap().unwrap());
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = bytes.drain(..=end).collect();
            let Some(data) = line.strip_prefix(b"data: ") else { continue };
            let event: Value = serde_json::from_slice(data).unwrap();
            let params = &event["params"];
            if event["method"] == "lifecycle" {
                let is_end = params["namespace"] == json!([]) && params["data"]["event"] != "running";
                left -= usize::from(is_end);
            } else {
                events.push(event);
            }
        }
    }
    events
}

/// The calls of a thread, as its events tell them.
async fn calls(talk: &ThreadClient) -> Vec<Value> {
    let mut traced = events(talk, "trace").await;
    traced.retain(|event| event["params"]["data"]["kind"] == "model_call");
    traced
}

fn sum(calls: &[&Value], field: &str) -> u64 {
    calls.iter().map(|call| call.pointer(field).and_then(Value::as_u64).unwrap_or_default()).sum()
}

/// What is told adds up to what the ledger counts, and so does what the server lists of the runs.
async fn adds_up(talk: &ThreadClient, ledger: &Ledger, app: &str) {
    let told = calls(talk).await;
    let made: Vec<&Value> =
        told.iter().map(|event| &event["params"]["data"]).filter(|call| call["source"] == "model").collect();
    let spent = ledger.spent();
    assert!(spent.calls > 0 && spent.usd_micros > 0, "{app}: {spent:?}");
    assert_eq!(made.len() as u64, spent.calls, "{app}: {told:#?}");
    assert_eq!(sum(&made, "/usage/input") + sum(&made, "/usage/output"), spent.tokens, "{app}");
    assert_eq!(sum(&made, "/usage/cost"), spent.usd_micros, "{app}");
    for event in &told {
        let call = &event["params"]["data"];
        assert_eq!((&event["params"]["task"], &event["params"]["node"]), (&call["id"], &call["name"]), "{app}");
        assert!(call["millis"].is_u64() && ["chat", "choose"].contains(&call["call"].as_str().unwrap()), "{call}");
    }
    let last = &told.last().unwrap()["params"]["data"]["budget"];
    assert_eq!(last[0], json!({ "unit": "calls", "spent": spent.calls, "limit": 1000 }), "{app}");
    assert_eq!(last[1], json!({ "unit": "usd_micros", "spent": spent.usd_micros, "limit": 5_000_000 }), "{app}");

    let listed = talk.post("/runs/search", &json!({ "thread_id": talk.id, "limit": 100 })).await;
    let used: Vec<&Value> = listed.as_array().unwrap().iter().map(|run| &run["usage"]).collect();
    assert_eq!(sum(&used, "/calls"), spent.calls, "{app}: {listed}");
    assert_eq!(sum(&used, "/input_tokens") + sum(&used, "/output_tokens"), spent.tokens, "{app}");
    assert_eq!((sum(&used, "/cost_usd_micros"), sum(&used, "/unpriced")), (spent.usd_micros, 0), "{app}");
    let custom = events(talk, "custom").await;
    assert!(custom.iter().all(|event| !event.to_string().contains("model_call")), "{app}: {custom:?}");
}

#[tokio::test]
async fn calls_of_each_application_add_up_to_what_the_ledger_counts() {
    let (models, ledger) = paid(writehere::scripted_model());
    let talk = writehere::texts_on(models).await;
    talk.run(json!({ "input": { "request": "A report on tides" } })).await;
    adds_up(&talk, &ledger, "writehere").await;

    let (models, ledger) = paid(deepsearch::scripted_model());
    let talk = deepsearch::research_on(models).await;
    talk.say("How common are storks?").await;
    talk.answer(json!({ "feedback": "white storks" })).await;
    talk.answer(json!({ "interrupt_feedback": "cancel" })).await;
    adds_up(&talk, &ledger, "deepsearch").await;

    let (models, ledger) = paid(pocketflow::scripted_model());
    let talk = pocketflow::conversation_on(models).await;
    for said in ["tides", "approve", "approve"] {
        talk.say(said).await;
    }
    adds_up(&talk, &ledger, "pocketflow").await;

    for request in ["Write one detailed note", "List all notes"] {
        let (models, ledger) = paid(vault::scripted_model());
        let place = tempfile::tempdir().unwrap();
        let vaults = BTreeMap::from([("notes".to_owned(), vault::resources_on(place.path(), models))]);
        let talk = ThreadClient::new(obsius::add_to(Server::new(), vaults, Config::default()).unwrap(), "obsius").await;
        talk.say(request).await;
        adds_up(&talk, &ledger, request).await;
    }
}

#[tokio::test]
async fn a_price_that_is_not_known_is_not_zero() {
    let model = deepsearch::scripted_model();
    let capabilities = Capabilities { local: false, ..model.capabilities().clone() };
    let talk = deepsearch::research_on(Models::new(Arc::new(model.with_capabilities(capabilities)))).await;
    talk.say("How common are storks?").await;
    let told = calls(&talk).await;
    assert!(!told.is_empty());
    for event in &told {
        let call = &event["params"]["data"];
        assert!(call["usage"]["input"].as_u64() > Some(0) && call["usage"].get("cost").is_none(), "{call}");
        assert!(call.get("budget").is_none(), "no budget, none told: {call}");
    }
    let listed = talk.post("/runs/search", &json!({ "thread_id": talk.id })).await;
    let usage = &listed[0]["usage"];
    assert_eq!((&usage["unpriced"], &usage["calls"]), (&json!(told.len()), &json!(told.len())), "{usage}");
    assert_eq!(usage["models"].as_object().unwrap().len(), 1, "{usage}");
}

#[tokio::test]
async fn streams_and_conversations_of_clients_show_no_calls() {
    let talk = writehere::texts().await;
    let order = json!({
        "assistant_id": "writehere", "input": { "request": "A report on tides" },
        "stream_mode": ["custom", "messages-tuple", "debug", "updates", "events"], "stream_subgraphs": true,
    });
    let stream = talk.send(&format!("/threads/{}/runs/stream", talk.id), &order).await.text().await.unwrap();
    assert!(stream.contains("event: updates") && !stream.contains("model_call"), "{stream}");
    let body = json!({
        "model": "writehere", "stream": true, "messages": [{ "role": "user", "content": "A report on tides" }],
    });
    let said = talk.send("/v1/chat/completions", &body).await.text().await.unwrap();
    assert!(said.contains("The moon") && !said.contains("model_call") && !said.contains("millis"), "{said}");
}
