//! `graphloom doctor` on machines with and without the parts.

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
    assert_eq!(found["data"]["runs"], Value::Null);
    assert!(found["data"]["free_bytes"].as_u64().unwrap() > 0);
    assert!(found["suggestions"].to_string().contains("--model compatible:NAME@BASE_URL"), "{found}");
    assert!(!place.path().join("home").exists(), "looking must make nothing");

    let (status, text, _) = run(place.path(), &["doctor"]);
    assert_eq!(status, 0);
    for title in ["Models", "Keys", "Search", "Data", "Next"] {
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
    let mut command = graphloom(place.path(), &["doctor", "--model", &model]);
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

#[tokio::test(flavor = "multi_thread")]
async fn a_server_on_this_machine_is_found() {
    let server = MockServer::start().await;
    let models = json!({"data": [{"id": "nomic-embed-text"}, {"id": "qwen3:8b"}]});
    Mock::given(path("/v1/models")).respond_with(ResponseTemplate::new(200).set_body_json(models)).mount(&server).await;
    let place = tempfile::tempdir().unwrap();
    let mut command = graphloom(place.path(), &["doctor", "--json"]);
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
