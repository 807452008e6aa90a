//! All wires against a server that somebody else wrote: `@copilotkit/aimock`, which plays `OpenAI`, `Anthropic`, `Gemini`, `Ollama`
//! and `OpenRouter` with their limits and failures.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use graphloom_llm::layers::{Retry, RetryPolicy};
use graphloom_llm::providers::{ApiKey, Provider, Remote, RemoteConfig, RemoteEmbedder};
use graphloom_llm::{
    ChatEvent, ChatModel, ChatRequest, ChatResponse, Embedder, EmbeddingPurpose, FinishReason, Message, ModelError,
    Part, Role, StructuredOptions, ToolResult, ToolSpec, structured,
};
use serde_json::json;

/// The variable that names the program: the file `dist/cli.js` of the package.
const PROGRAM: &str = "AIMOCK";

/// Every wire with the path of its base address there.
const WIRES: [(&str, &str); 6] = [
    ("openai-chat", "/v1"),
    ("openai", "/v1"),
    ("anthropic", ""),
    ("gemini", "/v1beta"),
    ("ollama", ""),
    ("openrouter", "/api/v1"),
];

const TEXT: &str = "größe 日本 \u{1f30a}, and some more words so that there are pieces";

/// The server; the process that was started ends with it.
struct Peer {
    child: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Peer {
    fn start(options: &[&str]) -> Self {
        let program = std::env::var_os(PROGRAM).expect(
            "`AIMOCK` must name `dist/cli.js` of the npm package `@copilotkit/aimock`, as `.ci/run` installs it",
        );
        let calls = json!([
            {"name": "tide", "arguments": {"place": "Brest"}},
            {"name": "tide", "arguments": {"place": "Dover"}}]);
        let usage = json!({"prompt_tokens": 5, "completion_tokens": 3, "input_tokens": 5, "output_tokens": 3,
            "promptTokenCount": 5, "candidatesTokenCount": 3});
        let fixtures = json!({"fixtures": [
            {"match": {"userMessage": "hello"}, "response": {"content": TEXT, "usage": usage}},
            {"match": {"userMessage": "tides", "hasToolResult": false}, "response": {"toolCalls": calls}},
            {"match": {"userMessage": "tides", "hasToolResult": true}, "response": {"content": "6 m and 5 m."}},
            {"match": {"userMessage": "think"}, "response": {"content": "391", "reasoning": "17 times 23."}},
            {"match": {"userMessage": "number"}, "response": {"content": "{\"n\": 4}"}},
            {"match": {"userMessage": "long"}, "response": {"content": "half", "finishReason": "length"}},
            {"match": {"userMessage": "key"}, "response": {"error": {"message": "no such key", "type": "authentication_error"}, "status": 401}},
            {"match": {"userMessage": "busy"}, "response": {"error": {"message": "slow down", "type": "rate_limit_error"}, "status": 429}},
            {"match": {"userMessage": "down"}, "response": {"error": {"message": "overloaded", "type": "overloaded_error"}, "status": 529}},
        ]});
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("fixtures.json");
        std::fs::write(&file, fixtures.to_string()).unwrap();
        let mut child = Command::new("node")
            .arg(program)
            .args(["--host", "127.0.0.1", "--log-level", "info", "--port", "0", "--fixtures"])
            .arg(&file)
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .expect("`node` must be there");
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut peer = Self { child, port: 0, _folder: folder };
        let port = lines.find_map(|line| line.split_once("listening on http://127.0.0.1:")?.1.trim().parse().ok());
        // Its further words are read, so that it is never held up.
        std::thread::spawn(move || lines.for_each(drop));
        peer.port = port.expect("aimock says where it listens");
        peer
    }

    fn model(&self, wire: (&str, &str)) -> Remote {
        Remote::new(self.config(wire)).unwrap()
    }

    fn config(&self, (provider, path): (&str, &str)) -> RemoteConfig {
        let provider = Provider::named(provider).unwrap();
        let mut config = RemoteConfig::new(provider, "some-model").at(format!("http://127.0.0.1:{}{path}", self.port));
        config.key = ApiKey::new("sk-loopback");
        config
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One answer, whole or as a stream.
async fn ask(model: &Remote, request: ChatRequest, as_stream: bool) -> Result<ChatResponse, ModelError> {
    if !as_stream {
        return model.chat(request).await;
    }
    let mut events = model.stream(request).await?;
    let mut pieces = String::new();
    while let Some(event) = events.next().await {
        match event? {
            ChatEvent::TextDelta { text } => pieces += &text,
            ChatEvent::Done(response) => {
                assert_eq!(pieces, response.text());
                return Ok(response);
            }
            _ => {}
        }
    }
    panic!("the stream has no end")
}

fn tools() -> Vec<ToolSpec> {
    vec![ToolSpec {
        name: "tide".into(),
        description: "The height of the tide.".into(),
        parameters: json!({"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}),
        strict: true,
    }]
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Count {
    n: u32,
}

#[ignore = "needs node and `AIMOCK`, the file `dist/cli.js` of the npm package `@copilotkit/aimock`"]
#[tokio::test]
async fn every_wire_talks_with_a_server_that_somebody_else_wrote() {
    let peer = Peer::start(&[]);
    for wire in WIRES {
        let model = peer.model(wire);
        // Its Ollama counts no tokens, has no `thinking`, and always says that an answer is complete.
        let is_ollama = wire.0 == "ollama";
        for as_stream in [false, true] {
            let said = ask(&model, ChatRequest::user("hello"), as_stream).await.unwrap();
            assert_eq!((said.text().as_str(), &said.finish), (TEXT, &FinishReason::Stop), "{wire:?} {as_stream}");
            if !is_ollama {
                assert_eq!((said.usage.input, said.usage.output), (5, 3), "{wire:?} {as_stream}");
            }
            assert!(said.request_id.is_some(), "{wire:?} {as_stream}");

            // Two calls at once, their results, and the answer.
            let mut request = ChatRequest { tools: tools(), ..ChatRequest::user("the tides of Brest and Dover") };
            let asked = ask(&model, request.clone(), as_stream).await.unwrap();
            let calls: Vec<_> = asked.tool_calls().cloned().collect();
            let places: Vec<_> = calls.iter().map(|call| call.arguments["place"].clone()).collect();
            assert_eq!(places, ["Brest", "Dover"], "{wire:?} {as_stream}");
            assert_eq!(asked.finish, FinishReason::ToolCalls, "{wire:?} {as_stream}");
            request.messages.push(asked.message);
            for call in calls {
                let result = ToolResult { call_id: call.id, content: "6 m".into(), is_error: false };
                request.messages.push(Message { role: Role::Tool, parts: vec![Part::ToolResult(result)] });
            }
            let answered = ask(&model, request, as_stream).await.unwrap();
            assert_eq!(answered.text(), "6 m and 5 m.", "{wire:?} {as_stream}");

            let thought = ask(&model, ChatRequest::user("think"), as_stream).await.unwrap();
            assert_eq!(thought.text(), "391", "{wire:?} {as_stream}");
            let reasoning = thought.message.parts.iter().find_map(|part| match part {
                Part::Reasoning { text, .. } => Some(text.as_str()),
                _ => None,
            });
            assert_eq!(reasoning, (!is_ollama).then_some("17 times 23."), "{wire:?} {as_stream}");

            let cut = ask(&model, ChatRequest::user("long"), as_stream).await.unwrap();
            let finish = if is_ollama { FinishReason::Stop } else { FinishReason::Length };
            assert_eq!(cut.finish, finish, "{wire:?} {as_stream}");

            for (word, kind) in [("key", "auth"), ("busy", "rate_limited"), ("down", "server")] {
                let error = ask(&model, ChatRequest::user(word), as_stream).await.unwrap_err();
                assert_eq!(serde_json::to_value(&error).unwrap()["error"], kind, "{wire:?} {as_stream}: {error}");
                assert!(error.request_id().is_some(), "{wire:?} {as_stream}: {error}");
                if kind == "rate_limited" {
                    assert_eq!(error.retry_after(), Some(Duration::from_secs(1)), "{wire:?} {as_stream}");
                }
            }
        }
        let count = structured::<Count>(&model, ChatRequest::user("a number"), &StructuredOptions::default()).await;
        assert_eq!(count.unwrap().value.n, 4, "{wire:?}");
        // It has no list of Gemini's models.
        if wire.0 != "gemini" {
            assert!(!model.list().await.unwrap().is_empty(), "{wire:?}");
        }
    }
}

#[ignore = "needs node and `AIMOCK`, the file `dist/cli.js` of the npm package `@copilotkit/aimock`"]
#[tokio::test]
async fn chaos_is_told_by_its_class_and_tried_again_where_that_helps() {
    for (option, kinds) in [
        ("--chaos-ratelimit", &["rate_limited"][..]),
        ("--chaos-drop", &["server"]),
        ("--chaos-malformed", &["parse", "stream_interrupted"]),
        ("--chaos-disconnect", &["unreachable", "stream_interrupted"]),
    ] {
        let peer = Peer::start(&[option, "1"]);
        for wire in WIRES {
            for as_stream in [false, true] {
                let error = ask(&peer.model(wire), ChatRequest::user("hello"), as_stream).await.unwrap_err();
                let kind = serde_json::to_value(&error).unwrap()["error"].as_str().unwrap().to_owned();
                assert!(kinds.contains(&kind.as_str()), "{option} {wire:?} {as_stream}: {error}");
            }
        }
    }
    // Half of all calls fail, and every answer comes.
    let peer = Peer::start(&["--chaos-drop", "0.5"]);
    for wire in WIRES {
        let mut policy = RetryPolicy::default();
        (policy.attempts, policy.base) = (30, Duration::from_millis(1));
        let model = Retry::new(Arc::new(peer.model(wire)), policy);
        assert_eq!(model.chat(ChatRequest::user("hello")).await.unwrap().text(), TEXT, "{wire:?}");
    }
}

#[ignore = "needs node and `AIMOCK`, the file `dist/cli.js` of the npm package `@copilotkit/aimock`"]
#[tokio::test]
async fn embeddings_come_from_a_server_that_somebody_else_wrote() {
    let peer = Peer::start(&[]);
    let texts: Vec<String> = ["tide", TEXT, "tide"].map(str::to_owned).to_vec();
    // It has no batches of Gemini's, and answers Ollama's `/api/embed` in the form of the older `/api/embeddings`.
    for (provider, path) in [("openai", "/v1"), ("compatible", "/v1")] {
        let model = RemoteEmbedder::new(peer.config((provider, path))).unwrap();
        let made = model.embed(&texts, EmbeddingPurpose::Passage).await.unwrap();
        assert_eq!(made.vectors.len(), 3, "{provider}");
        assert_eq!(made.vectors[0], made.vectors[2], "{provider}");
        assert_ne!(made.vectors[0], made.vectors[1], "{provider}");
        let length: f32 = made.vectors[1].iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-4, "{provider} {length}");
    }
    let peer = Peer::start(&["--chaos-ratelimit", "1"]);
    for (provider, path) in [("openai", "/v1"), ("ollama", "")] {
        let model = RemoteEmbedder::new(peer.config((provider, path))).unwrap();
        let error = model.embed(&texts, EmbeddingPurpose::Query).await.unwrap_err();
        assert!(matches!(error, ModelError::RateLimited { .. }), "{provider}: {error}");
    }
}
