//! Work on a vault: the review is an interrupt with a schema, and what is approved is written.

use std::collections::BTreeMap;
use std::sync::Arc;

use graphloom_agents::Models;
use graphloom_llm::{ChatRequest, ModelError, ResponseFormat, Scripted};
use graphloom_obsius::index::VaultIndex;
use graphloom_obsius::{Config, Resources};
use graphloom_served::obsius;
use graphloom_server::Server;
use graphloom_vault::{Vault, VaultOptions};
use serde_json::json;

use crate::client::ThreadClient;

/// A model that writes one note.
pub(crate) fn scripted_model() -> Scripted {
    Scripted::from_fn(|request: &ChatRequest| {
        let is_plan = matches!(&request.format, ResponseFormat::JsonSchema { name, .. } if name == "plan");
        let answer = if is_plan {
            json!({ "keywords": [], "title": "One", "answer": null, "subtasks": [
                { "goal": "write it", "kind": "create", "depends_on": [], "criteria": [] },
            ] })
        } else {
            let note = json!({ "title": "One", "content": "Written by a run." }).to_string();
            json!({ "answer": null, "actions": [
                { "id": "a", "tool": "create_note", "arguments": note, "depends_on": [], "subtask": "1" },
            ] })
        };
        Ok::<_, ModelError>(answer.to_string())
    })
}

pub(crate) fn resources(place: &std::path::Path) -> Arc<Resources> {
    resources_on(place, Models::new(Arc::new(scripted_model())))
}

pub(crate) fn resources_on(place: &std::path::Path, models: Models) -> Arc<Resources> {
    std::fs::create_dir_all(place.join("notes")).unwrap();
    std::fs::write(place.join("notes/Soup.md"), "Soup is made of water.\n").unwrap();
    let vault = Arc::new(Vault::open(place.join("notes"), VaultOptions::default()).unwrap());
    let index = VaultIndex::open(Arc::clone(&vault), &place.join("index")).unwrap();
    index.refresh().unwrap();
    Arc::new(Resources::new(models, vault, Arc::new(index)).unwrap())
}

#[tokio::test]
async fn a_note_is_written_after_its_review() {
    let place = tempfile::tempdir().unwrap();
    let vaults = BTreeMap::from([("notes".to_owned(), resources(place.path()))]);
    let server = obsius::add_to(Server::new(), vaults, Config::default()).unwrap();
    let talk = ThreadClient::new(server, "obsius").await;
    talk.say("Write one detailed note").await;
    let asked = talk.question().await;
    assert!(asked["value"]["items"][0]["title"].as_str().unwrap().contains("One.md"), "{asked}");
    assert!(asked["response_schema"].to_string().contains("approve"), "{asked}");
    let note = place.path().join("notes/One.md");
    assert!(!note.exists(), "nothing is written before the review");

    let ended = talk.answer(json!("approve")).await;
    assert_eq!(std::fs::read_to_string(note).unwrap(), "Written by a run.\n");
    assert_eq!(ended["changed"], json!(["One.md"]));
    let changes = talk.download("changes.json").await;
    assert_eq!(changes.headers()["content-type"], "application/json");
    assert!(changes.text().await.unwrap().contains("One.md"));
}

#[tokio::test]
async fn a_client_names_no_directory() {
    let place = tempfile::tempdir().unwrap();
    let vaults = BTreeMap::from([("notes".to_owned(), resources(place.path()))]);
    let server = obsius::add_to(Server::new(), vaults, Config::default()).unwrap();
    let talk = ThreadClient::new(server, "obsius").await;
    let order =
        json!({ "assistant_id": "obsius", "input": { "request": "List all notes" }, "context": { "vault": "/etc" } });
    let (_, said) = talk.try_post(&format!("/threads/{}/runs/wait", talk.id), &order).await;
    assert!(said.to_string().contains("there is no vault `/etc`; there are `notes`"), "{said}");
}
