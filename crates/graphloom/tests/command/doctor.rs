//! `graphloom doctor` on machines with and without the parts.

use std::process::Command;

use serde_json::{Value, json};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::{graphloom, result, run, told};

#[test]
fn a_bare_machine_gets_suggestions() {
    let place = tempfile::tempdir().unwrap();
    let (status, stdout, _) = run(place.path(), &["doctor", "--json"]);
    assert_eq!(status, 0);
    let found = &result(&stdout)["result"];
    assert_eq!(found["choice"]["model"], "embedded");
    assert_eq!(found["servers"], json!([]));
    assert_eq!(found["store"]["runs"], Value::Null);
    assert!(found["data"]["free_bytes"].as_u64().unwrap() > 0);
    assert!(found["suggestions"].to_string().contains("--model compatible:NAME@BASE_URL"), "{found}");
    assert!(!place.path().join("home").exists(), "looking must make nothing");

    let (status, text, _) = run(place.path(), &["doctor"]);
    assert_eq!(status, 0);
    for line in ["`wikipedia`: ready", "`tavily`: ", "PostgreSQL: not set up", "no runs yet"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    for title in ["Models", "Keys", "Search", "Runs", "Data", "Next"] {
        assert!(text.lines().any(|line| line == title), "{title}: {text}");
    }
}

#[test]
fn keys_are_told_by_name_only() {
    let place = tempfile::tempdir().unwrap();
    let mut command = graphloom(place.path(), &["doctor", "-vv", "--log", "doctor.log"]);
    command.env("LLM_API_KEY", "sk-secret-one").env("OPENAI_API_KEY", "sk-secret-two");
    let (status, stdout, stderr) = told(command.output().unwrap());
    assert_eq!(status, 0);
    assert!(stdout.contains("`LLM_API_KEY` is set") && stdout.contains("`OPENAI_API_KEY` is set"), "{stdout}");
    assert!(!stdout.contains("ANTHROPIC_API_KEY"), "{stdout}");
    let log = std::fs::read_to_string(place.path().join("doctor.log")).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(place.path().join("doctor.log")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "a log is for its user only");
    }
    for text in [stdout, stderr, log] {
        assert!(!text.contains("secret"), "{text}");
    }
}

#[test]
fn which_key_goes_where_is_told() {
    let place = tempfile::tempdir().unwrap();
    let (one, two) = ("compatible:m@https://one.example/v1", "compatible:m@https://two.example/v1");
    let model = format!("{one},write={two},plan={two},look={one}");
    let mut command = graphloom(place.path(), &["doctor", "--no-word", "--model", &model]);
    command.env("LLM_API_KEY", "sk-secret-one").env("LLM_API_KEY_WRITE", "sk-secret-two");
    let (status, stdout, _) = told(command.output().unwrap());
    assert_eq!(status, 0, "{stdout}");
    for line in [
        "role `default` at `https://one.example/v1` gets the key of `LLM_API_KEY`",
        "role `look` at `https://one.example/v1` gets the key of `LLM_API_KEY`",
        "role `write` at `https://two.example/v1` gets the key of `LLM_API_KEY_WRITE`",
        "role `plan` at `https://two.example/v1` gets no key; `LLM_API_KEY` is not sent",
        "`LLM_API_KEY_FOR=two.example` names another, `LLM_API_KEY_PLAN` is a key for this role",
        "`LLM_API_KEY_WRITE` is set: the key of the server that the role `write` names, and of no other",
    ] {
        assert!(stdout.contains(line), "{line}: {stdout}");
    }
    assert!(!stdout.contains("secret"), "{stdout}");

    let mut command = graphloom(place.path(), &["doctor", "--model", "compatible:m@http://lan.example/v1"]);
    command.env("LLM_API_KEY", "sk-secret-one").env("LLM_API_KEY_FOR", "lan.example:80");
    let (status, stdout, _) = told(command.output().unwrap());
    assert_eq!(status, 1, "{stdout}");
    assert!(stdout.contains("Problems") && stdout.contains("everybody on the way can read it"), "{stdout}");
}

#[test]
fn what_would_fail_is_a_problem() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("home"), "a file where a directory should be").unwrap();
    let (status, stdout, _) = run(place.path(), &["doctor"]);
    assert_eq!(status, 1, "{stdout}");
    assert!(stdout.contains("Problems") && stdout.contains("cannot be written"), "{stdout}");

    let (status, stdout, _) = run(tempfile::tempdir().unwrap().path(), &["doctor", "--model", "scripted:absent.jsonl"]);
    assert_eq!(status, 1);
    assert!(stdout.contains("`scripted:absent.jsonl` cannot be used"), "{stdout}");
}

#[test]
fn a_provider_s_key_is_told_with_its_host() {
    let place = tempfile::tempdir().unwrap();
    let set = |command: &mut Command| {
        command.env("ANTHROPIC_API_KEY", "sk-secret-one").env("GOOGLE_API_KEY", "sk-secret-two");
        command.env("AZURE_OPENAI_API_KEY", "sk-secret-three").env("LLM_API_KEY", "sk-secret-four");
    };
    let model = "anthropic:m,write=anthropic:m@https://else.example,plan=gemini:g,look=ollama:q,see=openai:o";
    let mut command = graphloom(place.path(), &["doctor", "--no-word", "--model", model]);
    set(&mut command);
    let (status, stdout, _) = told(command.output().unwrap());
    assert_eq!(status, 0, "{stdout}");
    for line in [
        "`ANTHROPIC_API_KEY` is set: the key of `anthropic:NAME`, sent to `https://api.anthropic.com` and to no other",
        "to no other, unless `GEMINI_API_KEY` is set",
        "sent to the host that `AZURE_OPENAI_ENDPOINT` names and to no other",
        "role `default` at `https://api.anthropic.com` gets the key of `ANTHROPIC_API_KEY`",
        "role `write` at `https://else.example` gets no key; `LLM_API_KEY` is not sent",
        "role `plan` at `https://generativelanguage.googleapis.com/v1beta` gets the key of `GOOGLE_API_KEY`",
        "role `look` at `http://127.0.0.1:11434` gets no key; `LLM_API_KEY` is not sent",
        "role `see` at `https://api.openai.com/v1` gets no key; `LLM_API_KEY` is not sent",
    ] {
        assert!(stdout.contains(line), "{line}: {stdout}");
    }
    assert!(!stdout.contains("secret"), "{stdout}");

    let mut command = graphloom(place.path(), &["doctor", "--no-word"]);
    set(&mut command);
    let (_, stdout, _) = told(command.output().unwrap());
    assert!(stdout.contains("`graphloom model list --provider anthropic` lists its models"), "{stdout}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_on_this_machine_is_found() {
    let server = MockServer::start().await;
    let models = json!({"data": [{"id": "nomic-embed-text"}, {"id": "qwen3:8b"}]});
    Mock::given(path("/v1/models")).respond_with(ResponseTemplate::new(200).set_body_json(models)).mount(&server).await;
    let place = tempfile::tempdir().unwrap();
    let mut command = graphloom(place.path(), &["doctor", "--json", "--no-word"]);
    command.env("LLM_PROBE", server.address().port().to_string()).env("LLM_API_KEY", "sk-secret-one");
    let (status, stdout, _) = told(tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap());
    assert_eq!(status, 0);
    let found = &result(&stdout)["result"];
    let spec = format!("compatible:qwen3:8b@{}/v1", server.uri());
    let ours = |entry: &&Value| entry["base_url"] == json!(format!("{}/v1", server.uri()));
    let entry = found["servers"].as_array().unwrap().iter().find(ours).unwrap();
    assert_eq!(entry["usable"], json!(spec));
    assert_eq!(found["choice"]["model"], json!(spec));
    assert!(found["sent"][0]["key"].as_str().unwrap().starts_with("gets no key; `LLM_API_KEY` is not sent"), "{found}");
}

/// A server of a model that answers every request alike.
async fn model_server(reply: ResponseTemplate) -> (MockServer, String) {
    let server = MockServer::start().await;
    Mock::given(path("/v1/chat/completions")).respond_with(reply).mount(&server).await;
    let spec = format!("compatible:m@{}/v1", server.uri());
    (server, spec)
}

async fn doctor(command: &mut Command) -> (i32, Value) {
    let mut command = std::mem::replace(command, Command::new("true"));
    let (status, stdout, _) = told(tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap());
    (status, result(&stdout)["result"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_says_a_word_or_is_a_problem() {
    let place = tempfile::tempdir().unwrap();
    let answer = json!({
        "choices": [{"message": {"role": "assistant", "content": "River, of course."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 4, "completion_tokens": 3}
    });
    let (server, model) = model_server(ResponseTemplate::new(200).set_body_json(answer)).await;
    let (status, found) = doctor(&mut graphloom(place.path(), &["doctor", "--json", "--model", &model])).await;
    assert_eq!((status, &found["words"][0]["said"]), (0, &json!("River")), "{found}");
    let asked: Value = server.received_requests().await.unwrap().last().unwrap().body_json().unwrap();
    assert_eq!(asked["messages"][0]["content"], "Say one word.");

    assert_eq!(found["words"][0]["tokens"], json!([4, 3]), "{found}");

    let before = server.received_requests().await.unwrap().len();
    let (status, found) =
        doctor(&mut graphloom(place.path(), &["doctor", "--json", "--no-word", "--model", &model])).await;
    assert_eq!((status, &found["words"]), (0, &json!([])));
    assert_eq!(server.received_requests().await.unwrap().len(), before, "nothing is sent");

    let (_server, model) = model_server(ResponseTemplate::new(401).set_body_string("who are you")).await;
    let (status, found) = doctor(&mut graphloom(place.path(), &["doctor", "--json", "--model", &model])).await;
    assert_eq!(status, 1, "{found}");
    assert!(found["problems"][0].as_str().unwrap().contains("refused the key"), "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_word_comes_by_the_wire_of_every_provider() {
    let place = tempfile::tempdir().unwrap();
    for (provider, base, at, answer) in [
        (
            "anthropic",
            "",
            "/v1/messages",
            json!({"content": [{"type": "text", "text": "River."}], "stop_reason": "end_turn",
                "usage": {"input_tokens": 4, "output_tokens": 3}}),
        ),
        (
            "openai",
            "/v1",
            "/v1/responses",
            json!({"status": "completed", "output": [{"type": "message", "content": [
                {"type": "output_text", "text": "River."}]}], "usage": {"input_tokens": 4, "output_tokens": 3}}),
        ),
        (
            "gemini",
            "/v1beta",
            "/v1beta/models/m:generateContent",
            json!({"candidates": [{"content": {"parts": [{"text": "River."}]}, "finishReason": "STOP"}],
                "usageMetadata": {"promptTokenCount": 4, "candidatesTokenCount": 3}}),
        ),
        (
            "ollama",
            "",
            "/api/chat",
            json!({"message": {"content": "River."}, "done": true, "prompt_eval_count": 4, "eval_count": 3}),
        ),
        (
            "openrouter",
            "/api/v1",
            "/api/v1/chat/completions",
            json!({"choices": [{"message": {"content": "River."}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 4, "completion_tokens": 3}}),
        ),
    ] {
        let server = MockServer::start().await;
        Mock::given(path(at)).respond_with(ResponseTemplate::new(200).set_body_json(answer)).mount(&server).await;
        let model = format!("{provider}:m@{}{base}", server.uri());
        let mut command = graphloom(place.path(), &["doctor", "--json", "--model", &model]);
        command.env(format!("{}_API_KEY", provider.to_uppercase()), "sk-secret-one");
        let (status, found) = doctor(&mut command).await;
        assert_eq!((status, &found["words"][0]["said"]), (0, &json!("River")), "{provider}: {found}");
        assert_eq!(found["words"][0]["tokens"], json!([4, 3]), "{provider}: {found}");
        let requests = server.received_requests().await.unwrap();
        assert_eq!(requests.len(), 1, "{provider}");
        // The key is for the provider's own host, which this is not.
        assert!(!format!("{:?}", requests[0]).contains("sk-secret"), "{provider}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn named_engines_are_asked_and_no_others() {
    let place = tempfile::tempdir().unwrap();
    let server = MockServer::start().await;
    let page = json!({"results": [{"title": "Water", "url": "https://example.org/w", "content": "Water is wet."}]});
    Mock::given(path("/search")).respond_with(ResponseTemplate::new(200).set_body_json(page)).mount(&server).await;
    let with = |engines: &[&str], address: &str| {
        let mut command = graphloom(place.path(), &[&["doctor", "--json", "--offline"], engines].concat());
        command.env("SEARXNG_URL", address);
        command
    };
    let named = |found: &Value, name: &str| {
        found["engines"].as_array().unwrap().iter().find(|engine| engine["name"] == name).unwrap().clone()
    };
    let (status, found) = doctor(&mut with(&[], &server.uri())).await;
    assert_eq!((status, &named(&found, "searxng")["state"]), (0, &json!("ready")), "{found}");
    assert_eq!(named(&found, "searxng")["unnamed"], true);
    assert!(server.received_requests().await.unwrap().is_empty(), "nobody asked for it");

    let (status, found) = doctor(&mut with(&["--search", "searxng"], &server.uri())).await;
    assert_eq!((status, &named(&found, "searxng")["state"]), (0, &json!("answers")), "{found}");
    assert_eq!(named(&found, "wikipedia")["asked"], false);

    let (status, found) = doctor(&mut with(&["--search", "searxng,tavily"], "http://127.0.0.1:1")).await;
    assert_eq!(status, 1);
    let problems = found["problems"].to_string();
    assert!(problems.contains("`--search searxng`") && problems.contains("TAVILY_API_KEY"), "{problems}");

    let (status, _, stderr) = run(place.path(), &["doctor", "--search", "local"]);
    assert_eq!(status, 2);
    assert!(stderr.contains("`local`") && stderr.contains("`wikipedia`"), "{stderr}");
}

#[test]
fn a_postgresql_server_is_tried_when_it_is_chosen() {
    let place = tempfile::tempdir().unwrap();
    let with = |arguments: &[&str], address: &str| {
        let mut command = graphloom(place.path(), arguments);
        command.env("GRAPHLOOM_POSTGRES_URL", address);
        told(command.output().unwrap())
    };
    let server = graphloom_postgres_server::Server::start();
    let (status, text, _) = with(&["doctor"], &server.url());
    assert_eq!(status, 0);
    assert!(text.contains("PostgreSQL: `GRAPHLOOM_POSTGRES_URL` is set"), "{text}");
    let (status, text, _) = with(&["doctor", "--store", "postgres"], &server.url());
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("0 stored runs") && text.contains("(`--store postgres`)"), "{text}");

    let (status, text, _) = with(&["doctor", "--store", "postgres"], "postgres://ada:secret@127.0.0.1:1/runs");
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("Problems") && !text.contains("secret"), "{text}");
}
