//! A scripted server: wiremock on loopback that plays a strong model, following what each prompt asks for. It is good for
//! control flow only.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

/// Calls of an unbroken run: two for the root, three for each of two searches, one for thinking, two for each of two
/// parts.
pub(crate) const CALLS: usize = 13;

/// The length that [`plan`] shares out.
pub(crate) const LENGTH: &str = "120";

const PARTS: [&str; 2] = ["Say how the log is written", "Say how recovery goes"];

/// The server, which lives as long as this value.
pub(crate) struct Scripted {
    runtime: Runtime,
    server: MockServer,
}

impl Scripted {
    pub(crate) fn start() -> Self {
        Self::answering(Planner)
    }

    /// A server that plays the same model, but answers prompts for which `other` has something to say with that.
    pub(crate) fn but(other: impl Fn(&str) -> Option<ResponseTemplate> + Send + Sync + 'static) -> Self {
        Self::answering(move |request: &Request| other(&prompt_of(request)).unwrap_or_else(|| Planner.respond(request)))
    }

    /// A server that plays the same model, whose replies are changed.
    pub(crate) fn saying(change: impl Fn(String) -> String + Send + Sync + 'static) -> Self {
        Self::answering(move |request: &Request| answer(&change(reply_to(&prompt_of(request)))))
    }

    /// A server that answers every call alike.
    pub(crate) fn answering(answer: impl Respond + 'static) -> Self {
        let runtime = Runtime::new().unwrap();
        let server = runtime.block_on(async {
            let server = MockServer::start().await;
            Mock::given(method("POST")).and(path("/v1/chat/completions")).respond_with(answer).mount(&server).await;
            server
        });
        Self { runtime, server }
    }

    pub(crate) fn model(&self) -> String {
        format!("compatible:planner@{}/v1", self.server.uri())
    }

    /// The requests so far, with their paths.
    pub(crate) fn requests(&self) -> Vec<(String, Value)> {
        let received = self.runtime.block_on(self.server.received_requests()).unwrap();
        received
            .into_iter()
            .map(|request| (request.url.path().to_owned(), serde_json::from_slice(&request.body).unwrap()))
            .collect()
    }
}

struct Planner;

impl Respond for Planner {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        answer(&reply_to(&prompt_of(request)))
    }
}

/// What the model answers.
fn reply_to(prompt: &str) -> String {
    let marks = marks(prompt);
    if prompt.contains("<atomic_task_determination>") {
        // Only tasks that depend on others are asked for a new goal, and those are the parts.
        let verdict = if prompt.contains("<goal_updating>") { "atomic" } else { "complex" };
        format!("<result><atomic_task_determination>{verdict}</atomic_task_determination></result>")
    } else if prompt.contains("<current_turn_search_querys>") {
        let (seen, queries) = match marks.first() {
            Some(mark) => (format!("The log comes first {mark}."), "[]"),
            None => (String::new(), r#"["write-ahead log", "recovery after a power failure"]"#),
        };
        format!(
            "<observation>{seen}</observation><missing_info></missing_info><planning_and_think></planning_and_think><current_turn_query_think></current_turn_query_think><current_turn_search_querys>{queries}</current_turn_search_querys>"
        )
    } else if prompt.contains("You plan for a team") {
        format!("<think>two parts</think><result>{}</result>", plan())
    } else if prompt.contains("<article>") {
        format!("<think>so</think><article>{}</article>", part(prompt, &marks))
    } else {
        format!("<think>so</think><result>The log comes first, then the file {}.</result>", marks.concat())
    }
}

fn prompt_of(request: &Request) -> String {
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    body["messages"].as_array().unwrap().iter().filter_map(|message| message["content"].as_str()).collect()
}

/// A whole reply as the interface sends it.
pub(crate) fn answer(reply: &str) -> ResponseTemplate {
    ended(reply, "stop")
}

/// A reply that ended for this reason.
pub(crate) fn ended(reply: &str, reason: &str) -> ResponseTemplate {
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120});
    ResponseTemplate::new(200).set_body_json(json!({
        "id": "answer", "object": "chat.completion", "created": 1, "model": "planner", "usage": usage,
        "choices": [{"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": reply}}],
    }))
}

/// Two searches at the same time, thinking on both, and two parts on the thinking.
fn plan() -> Value {
    let task = |id: &str, task_type: &str, goal: &str, dependency: Value| {
        let mut task =
            json!({"id": id, "task_type": task_type, "goal": goal, "dependency": dependency, "sub_tasks": []});
        if task_type == "write" {
            task["length"] = json!("60 words");
        }
        task
    };
    json!({"id": "", "task_type": "write", "goal": "g", "dependency": [], "length": "120 words", "sub_tasks": [
        task("1", "search", "Find how the log is written", json!([])),
        task("2", "search", "Find how recovery goes", json!([])),
        task("3", "think", "Order what was found", json!(["1", "2"])),
        task("4", "write", PARTS[0], json!(["3"])),
        task("5", "write", PARTS[1], json!(["3"])),
    ]})
}

/// Sixty words for the part that the outline marks, with every mark that the results carry.
fn part(prompt: &str, marks: &[String]) -> String {
    let number = PARTS.iter().position(|goal| prompt.contains(&format!("{goal} :**You Need To Write**")));
    // A whole that is not planned has no outline.
    let number = number.unwrap_or_default();
    let sentence = format!("Part {} tells in ten plain words what sources say.", ["one", "two"][number]);
    let mut text = [sentence.as_str(); 6].join(" ");
    text.truncate(text.len() - 1);
    format!("{text} {}.", marks.concat())
}

/// The marks of the evidence in a prompt, without the example that explains their form.
pub(crate) fn marks(prompt: &str) -> Vec<String> {
    let found = prompt.match_indices("[reference:").filter_map(|(at, _)| prompt[at..].split_inclusive(']').next());
    let found = found.filter(|mark| mark.contains('#') && !mark.contains("some-name"));
    found.map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect()
}
