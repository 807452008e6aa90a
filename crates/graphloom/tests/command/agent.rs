//! `graphloom agent`: an agent with the tools of published servers and with skills, what a person is asked, and going on.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use graphloom::agents::react::{ReactResources, ReactState, graph};
use graphloom::agents::{Prompts, Risk, Tool, ToolError, ToolOutput, ToolRegistry};
use graphloom::llm::scripted::Reply;
use graphloom::llm::{Message, Scripted, ToolCall, ToolSpec};
use graphloom::sqlite::SqliteCheckpointer;
use graphloom_test_support::mcp::{program, published, saying};
use serde_json::{Value, json};

use crate::{graphloom, result, run, told};

/// The rules of a scripted model, one a line.
fn script(place: &Path, rules: &[Value]) {
    let lines: Vec<String> = rules.iter().map(Value::to_string).collect();
    std::fs::write(place.join("script.jsonl"), lines.join("\n")).unwrap();
}

fn call(name: &str, arguments: &Value) -> Value {
    json!({"tool_calls": [{"id": format!("call-{name}"), "name": name, "arguments": arguments}]})
}

fn skill(place: &Path) {
    std::fs::create_dir_all(place.join("skills/sums")).unwrap();
    let text = "---\nname: sums\ndescription: Adds numbers.\n---\nUse `get-sum` and say the sum twice.\n";
    std::fs::write(place.join("skills/sums/SKILL.md"), text).unwrap();
}

#[test]
fn an_agent_uses_servers_and_skills() {
    let Some(everything) = published("everything") else { return };
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let servers = json!({"mcpServers": {"all": {"command": program("node"), "args": [everything]}}});
    std::fs::write(place.join("servers.json"), servers.to_string()).unwrap();
    skill(place);
    script(
        place,
        &[
            call("load_skill", &json!({"name": "sums"})),
            call("get-sum", &json!({"a": 40, "b": 2})),
            json!({"reply": "It is 42, I say 42."}),
        ],
    );
    let line = ["agent", "What is 40 and 2?", "--model", "scripted:script.jsonl", "--skills", "skills"];
    let line = [&line[..], &["--mcp-config", "servers.json", "--thread", "sum"]].concat();
    let (status, text, notes) = run(place, &line);
    assert_eq!((status, text.trim()), (0, "It is 42, I say 42."), "{notes}");
    assert!(notes.contains("called `load_skill`") && notes.contains("called `get-sum`"), "{notes}");

    // The run is there, whole, and done.
    let (status, text, _) = run(place, &["resume", "sum", "--json"]);
    let value = result(&text)["result"].clone();
    assert_eq!((status, value["stop"].as_str()), (0, Some("answered")));
    assert_eq!(value["calls"][0]["content"], "Use `get-sum` and say the sum twice.");
    assert_eq!(value["calls"][1]["content"], "The sum of 40 and 2 is 42.");
    assert!(run(place, &["runs", "list"]).1.contains("sum  react  done"));
}

#[test]
fn a_server_that_answers_nearly_right_is_used() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let tools = json!([
        {"name": "tides", "annotations": {"readOnlyHint": true}},
        {"name": "broken", "inputSchema": [], "annotations": {"readOnlyHint": true}},
    ]);
    let blocks =
        json!([{"type": "text", "text": "High water at six."}, {"type": "chart"}, {"type": "text", "text": null}]);
    let results = [
        Some(json!({"capabilities": {"tools": {}}})),
        None,
        Some(json!({ "tools": tools })),
        Some(json!({"content": blocks, "structuredContent": {"metres": 3}})),
    ];
    let answers =
        results.map(|result| result.map_or_else(String::new, |result| format!("{{\"id\":@ID@,\"result\":{result}}}")));
    let (program, args) = saying(&place.join("answers"), answers.iter().map(String::as_str));
    let servers = json!({"mcpServers": {"odd": {"command": program, "args": args}}});
    std::fs::write(place.join("servers.json"), servers.to_string()).unwrap();
    script(place, &[call("tides", &json!({"place": "Faro"})), json!({"reply": "At six, three metres."})]);
    let line = ["agent", "When is high water?", "--model", "scripted:script.jsonl", "--mcp-config", "servers.json"];
    let (status, text, notes) = run(place, &[&line[..], &["--thread", "tides"]].concat());
    assert_eq!((status, text.trim()), (0, "At six, three metres."), "{notes}");
    for part in [
        "MCP server `odd`, `broken`: it was left out: its `inputSchema` is a list, and no object",
        "MCP server `odd`, `tides`: in an answer: content of the kind `chart`, which is not known here",
        "MCP server `odd`, `tides`: in an answer: a text has no words",
    ] {
        assert_eq!(notes.matches(part).count(), 1, "{part}: {notes}");
    }
    let (_, text, _) = run(place, &["resume", "tides", "--json"]);
    let content = result(&text)["result"]["calls"][0]["content"].as_str().unwrap().to_owned();
    assert!(content.contains("High water at six.") && content.contains(r#"{"metres":3}"#), "{content}");
}

#[test]
fn what_can_change_something_waits_for_a_person() {
    let Some(memory) = published("memory") else { return };
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let file = place.join("memory.jsonl");
    let server = json!({"command": program("node"), "args": [memory], "env": {"MEMORY_FILE_PATH": file}});
    std::fs::write(place.join("servers.json"), json!({"mcpServers": {"memory": server}}).to_string()).unwrap();
    let entities = json!({"entities": [{"name": "Lisbon", "entityType": "city", "observations": ["has tides"]}]});
    script(
        place,
        &[
            json!({"when": "The tool answered", "reply": "It is kept."}),
            json!({"when": "The tool failed", "reply": "It is not kept."}),
            call("create_entities", &entities),
        ],
    );
    let line =
        ["agent", "Keep that Lisbon has tides.", "--model", "scripted:script.jsonl", "--mcp-config", "servers.json"];
    for (id, answer, kept) in
        [("no", r#"approval={"deny":{"reason":"not on a Sunday"}}"#, false), ("yes", r#"approval="allow""#, true)]
    {
        let (status, text, notes) = run(place, &[&line[..], &["--thread", id, "--no-input"]].concat());
        assert_eq!(status, 3, "{notes}");
        assert!(text.contains("create_entities") && text.contains("has tides"), "{text}");
        assert!(text.contains(&format!("graphloom resume {id}")) && text.contains("--answer 'approval=…'"), "{text}");
        assert!(!file.exists());
        // Models and servers are those that the run began with.
        let (status, text, notes) = run(place, &["resume", id, "--answer", answer]);
        let expected = if kept { "It is kept." } else { "It is not kept." };
        assert_eq!((status, text.trim()), (0, expected), "{notes}");
        assert_eq!(file.exists(), kept);
    }
    std::fs::remove_file(&file).unwrap();
    let (status, text, notes) = run(place, &[&line[..], &["--yes"]].concat());
    assert_eq!((status, text.trim(), file.exists()), (0, "It is kept.", true), "{notes}");
}

#[test]
fn an_agent_that_is_stopped_by_its_turns_says_so() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    skill(place);
    script(
        place,
        &[
            json!({"when": "No more tools", "reply": "This is all."}),
            json!({"when": "Go", "tool_calls": [
            {"id": "1", "name": "load_skill", "arguments": {"name": "sums"}}]}),
        ],
    );
    let line = ["agent", "Go.", "--model", "scripted:script.jsonl", "--skills", "skills", "--max-turns", "2"];
    let (status, text, notes) = run(place, &line);
    assert_eq!((status, text.trim()), (4, "This is all."), "{notes}");
    assert!(notes.contains("the turns were used up"), "{notes}");
    // Without any tools the model is asked all the same, and a person is told.
    script(place, &[json!({"reply": "Hello."})]);
    let (status, text, notes) = run(place, &["agent", "Say hello.", "--model", "scripted:script.jsonl"]);
    assert_eq!((status, text.trim()), (0, "Hello."));
    assert!(notes.contains("the agent has no tools"), "{notes}");
    let (status, _, notes) = run(place, &["agent", " ", "--model", "scripted:script.jsonl"]);
    assert!(status == 2 && notes.contains("the task is empty"), "{notes}");
    let (status, _, notes) = run(place, &["resume", "absent"]);
    assert!(status != 0 && notes.contains("`absent`"), "{notes}");
}

/// The built-in model reads and answers; what it says is its own affair.
#[cfg(feature = "embedded")]
#[test]
fn the_built_in_model_works_as_an_agent() {
    // The weights are those of the machine: where they are not there, the program fetches them.
    let cache = Path::new(&std::env::var_os("HOME").unwrap_or_default()).join(".cache");
    let place = tempfile::tempdir().unwrap();
    skill(place.path());
    let line = ["agent", "Say hello.", "--model", "embedded", "--skills", "skills", "--max-turns", "3", "--json"];
    let mut command = graphloom(place.path(), &line);
    let (status, text, notes) = told(command.env("XDG_CACHE_HOME", cache).output().unwrap());
    let value = result(&text)["result"].clone();
    assert!([0, 4].contains(&status), "{status}: {notes}");
    assert!(value["answer"].as_str().is_some_and(|answer| !answer.trim().is_empty()), "{value}");
    assert!(value["turns"].as_u64().unwrap() <= 3 && value["usage"]["output"].as_u64().unwrap() > 0, "{value}");
    for call in value["calls"].as_array().unwrap() {
        assert!(["load_skill", "read_skill_file"].contains(&call["tool"].as_str().unwrap()), "{call}");
    }
}

/// A tool that waits for a person.
struct Post(ToolSpec);

#[async_trait]
impl Tool for Post {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn risk(&self) -> Risk {
        Risk::Write
    }

    async fn call(&self, _: Value) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::new("posted"))
    }
}

/// A run `asked` of an agent that waits for a person, and a script that ends it.
pub(crate) fn write_agent(place: &Path) {
    script(place, &[json!({"reply": "It is done."})]);
    let parameters = json!({"type": "object", "properties": {}});
    let post = ToolSpec { name: "post".into(), description: "Posts.".into(), parameters, strict: false };
    let mut tools = ToolRegistry::new(Risk::Write);
    tools.register(Arc::new(Post(post))).unwrap();
    let model = Scripted::from_fn(|_| {
        Ok(Reply::tools([ToolCall { id: "1".into(), name: "post".into(), arguments: json!({}) }]))
    });
    let resources = ReactResources::new(Arc::new(model), tools, Arc::new(Prompts::new(&[]).unwrap()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = SqliteCheckpointer::open(place.join("home/threads.db")).unwrap();
        let threads = graph().with_context(resources).with_checkpointer(store);
        let origin = json!({"model": "scripted:script.jsonl"});
        let opening = ReactState::update().opening([Message::user("Post it.")]).origin(origin);
        threads.thread("asked").run(opening).await.unwrap();
    });
}
