//! The same run on an OpenAI-compatible server: wiremock on loopback answers with the wire's own bodies.

use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use crate::support::{Desk, QUESTION, assert_report, text};

/// Answers each of the planner's prompts by what it asks for, in the words of a strong model.
struct Planner;

impl Respond for Planner {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let prompt = body["messages"].to_string();
        let part_of_id = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '#');
        let mut ids = prompt
            .match_indices("logging")
            .map(|(at, _)| prompt[at..].chars().take_while(part_of_id).collect::<String>());
        let mark = ids.find(|id| id.contains('#'));
        let content = if prompt.contains("atomic_task_determination") {
            "<think>small</think><result><atomic_task_determination>complex</atomic_task_determination></result>"
                .to_owned()
        } else if prompt.contains("current_turn_search_querys") && !prompt.contains("logging.md") {
            "<observation></observation><missing_info>all</missing_info><planning_and_think>look</planning_and_think><current_turn_query_think>log</current_turn_query_think><current_turn_search_querys>[\"write-ahead log recovery\"]</current_turn_search_querys>".to_owned()
        } else if prompt.contains("current_turn_search_querys") {
            "<observation>The log is replayed.</observation><missing_info></missing_info><planning_and_think></planning_and_think><current_turn_query_think></current_turn_query_think><current_turn_search_querys>[]</current_turn_search_querys>".to_owned()
        } else if prompt.contains("<article>") {
            let mark = mark.unwrap_or_default();
            format!(
                "<think>ok</think><article>The log holds every change before the file does, and recovery replays whole frames up to the last commit record, while later frames are ignored because their transaction never finished and a checksum tells a torn frame from a whole one, so nothing that was acknowledged is lost [reference:{mark}].</article>"
            )
        } else if prompt.contains("sub_tasks") {
            json!({"id": "", "goal": "x", "task_type": "write", "dependency": [], "length": "90 words", "sub_tasks": [
                {"id": "1", "goal": "Find how recovery works", "task_type": "search", "dependency": []},
                {"id": "2", "goal": "Write it", "task_type": "write", "length": "90 words", "dependency": ["1"]},
            ]})
            .to_string()
        } else {
            format!("<think>ok</think><result>The log is replayed [reference:{}].</result>", mark.unwrap_or_default())
        };
        let content =
            if content.starts_with('{') { format!("<think>plan</think><result>{content}</result>") } else { content };
        ResponseTemplate::new(200).set_body_json(json!({
            "id": "c1", "object": "chat.completion", "created": 1, "model": "planner",
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compatible_server_writes_the_report() {
    let server = MockServer::start().await;
    Mock::given(method("POST")).and(path("/v1/chat/completions")).respond_with(Planner).mount(&server).await;
    let model = format!("compatible:planner@{}/v1", server.uri());
    let desk = Desk::new();
    let mut command = desk.command(&[
        "report",
        QUESTION,
        "--corpus",
        "corpus",
        "--length",
        "90",
        "--max-depth",
        "1",
        "--model",
        &model,
        "--out",
        "out",
    ]);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_report(&desk.path("out"));
}
