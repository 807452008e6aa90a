//! A text: a request, the finished Markdown, and its download.

use std::sync::Arc;

use graphloom_agents::Models;
use graphloom_llm::scripted::rendered;
use graphloom_llm::{ChatRequest, ModelError, Scripted};
use graphloom_served::writehere::{self, Writers};
use graphloom_server::Server;
use graphloom_writehere::Resources;
use serde_json::json;

use crate::client::{ThreadClient, http, last_text};

/// A model that plans nothing and writes one paragraph.
pub(crate) fn scripted_model() -> Scripted {
    Scripted::from_fn(|request: &ChatRequest| {
        let prompt = rendered(request);
        Ok::<_, ModelError>(if prompt.contains("<atomic_task_determination>") {
            "<result><atomic_task_determination>atomic</atomic_task_determination></result>"
        } else {
            "<think>so</think>\n<article>\nThe moon pulls the water, twice a day.\n</article>"
        })
    })
}

pub(crate) async fn texts() -> ThreadClient {
    texts_on(Models::new(Arc::new(scripted_model()))).await
}

pub(crate) async fn texts_on(models: Models) -> ThreadClient {
    let writers =
        Writers { report: Resources::report(models.clone()).unwrap(), story: Resources::story(models).unwrap() };
    ThreadClient::new(writehere::add_to(Server::new(), writers).unwrap(), "writehere").await
}

#[tokio::test]
async fn a_request_becomes_a_text_that_can_be_downloaded() {
    let talk = texts().await;
    let ended = talk
        .run(json!({
            "input": { "messages": [{ "role": "user", "content": "A report on tides" }] },
            "context": { "words": 50, "mode": "story" },
        }))
        .await;
    let whole = "# A report on tides\n\nThe moon pulls the water, twice a day.";
    assert_eq!(last_text(&ended), whole);
    assert_eq!((&ended["status"], &ended["task"]["mode"]), (&json!("done"), &json!("story")), "{ended}");
    let listed = ended["artifacts"].as_array().unwrap();
    let report = listed.iter().find(|one| one["name"] == "report.md").unwrap();
    assert_eq!(report["path"], "artifacts/report.md");

    let download = talk.download("report.md").await;
    assert_eq!(
        download.headers()["content-disposition"],
        r#"attachment; filename="report.md"; filename*=UTF-8''report.md"#
    );
    assert_eq!(download.headers()["x-content-type-options"], "nosniff");
    let text = download.text().await.unwrap();
    assert_eq!((text.len() as u64, text.as_str()), (report["size"].as_u64().unwrap(), &*format!("{whole}\n")));
    for name in ["other.md", "..%2Freport.md", "..%2F..%2Fstate", "%2Fetc%2Fpasswd"] {
        assert_eq!(talk.download(name).await.status(), 404, "{name}");
    }
}

#[tokio::test]
async fn documents_go_with_their_thread() {
    let talk = texts().await;
    talk.run(json!({ "input": { "request": "A report on tides" } })).await;
    let copy = talk.post(&format!("/threads/{}/copy", talk.id), &json!({})).await;
    let copy = talk.of_thread(copy["thread_id"].as_str().unwrap());
    let deleted = http().delete(talk.get(&format!("/threads/{}", talk.id)).await.url().clone()).send().await;
    assert!(deleted.unwrap().status().is_success());
    assert_eq!(talk.download("report.md").await.status(), 404);
    assert!(copy.download("report.md").await.text().await.unwrap().contains("The moon"));
}
