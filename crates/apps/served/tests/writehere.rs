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

/// A model that plans two parts and writes a sentence for each.
fn planning_model() -> Scripted {
    const PLAN: &str = r#"<result>{"sub_tasks": [
        {"id": "1", "task_type": "write", "goal": "The moon", "dependency": [], "length": "25 words", "atom": true},
        {"id": "2", "task_type": "write", "goal": "The sun", "dependency": ["1"], "length": "25 words", "atom": true}
    ]}</result>"#;
    Scripted::from_fn(|request: &ChatRequest| {
        let prompt = rendered(request);
        Ok::<_, ModelError>(if prompt.contains("<atomic_task_determination>") {
            let verdict = if prompt.contains("<goal_updating>") { "atomic" } else { "complex" };
            format!("<result><atomic_task_determination>{verdict}</atomic_task_determination></result>")
        } else if prompt.contains("You plan for a team") {
            PLAN.to_owned()
        } else {
            "<think>so</think>\n<article>\nIt pulls the water.\n</article>".to_owned()
        })
    })
}

#[tokio::test]
async fn a_plan_is_reviewed_by_whoever_asked_for_the_text() {
    let talk = texts_on(Models::new(Arc::new(planning_model()))).await;
    let order =
        json!({ "input": { "request": "Tides" }, "context": { "words": 50, "mode": "story", "review": "whole" } });
    talk.run(order).await;
    let asked = talk.question().await;
    assert_eq!((&asked["value"]["review"], &asked["value"]["node"]), (&json!("plan"), &json!("root")), "{asked}");
    let goals = |asked: &serde_json::Value| -> Vec<String> {
        let tasks = asked["value"]["tasks"].as_array().unwrap();
        tasks.iter().map(|task| task["goal"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(goals(&asked), ["The moon", "The sun"]);
    assert!(asked["response_schema"]["properties"]["decision"].is_object(), "{asked}");
    let mut tasks = asked["value"]["tasks"].clone();
    tasks[1]["goal"] = json!("The wind");
    tasks[1]["length"] = json!("500 words");
    talk.answer(json!({ "decision": "change", "tasks": tasks })).await;
    let again = talk.question().await;
    assert_eq!(
        (&again["value"]["round"], goals(&again)),
        (&json!(2), vec!["The moon".to_owned(), "The wind".to_owned()])
    );
    assert!(again["value"]["put_right"].to_string().contains("525 words"), "{again}");
    let ended = talk.answer(json!({ "decision": "accept" })).await;
    assert_eq!(ended["status"], "done", "{ended}");
    let tree = talk.download("tree.json").await.text().await.unwrap();
    assert!(tree.contains("The wind") && !tree.contains("The sun\"\n"), "{tree}");
}

#[tokio::test]
async fn a_form_asks_for_what_a_run_begins_with_and_nothing_else() {
    let talk = texts().await;
    let schemas = talk.of_graph("schemas").await;
    let names =
        |schema: &str| -> Vec<String> { schemas[schema]["properties"].as_object().unwrap().keys().cloned().collect() };
    assert_eq!(names("input_schema"), ["request", "messages"]);
    assert!(names("state_schema").contains(&"task".to_owned()), "{schemas}");
}
