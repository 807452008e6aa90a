//! `graphloom model` on files that are missing, damaged, incomplete or not the model.

use std::path::{Path, PathBuf};

use graphloom::embedded::weights::{self, SMOLLM2_135M};

use serde_json::json;
use wiremock::matchers::{header, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::{graphloom, result, run, told};

/// A file of `size` bytes that is not the model's.
fn weights_of_size(path: &Path, size: u64) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::File::create(path).unwrap().set_len(size).unwrap();
}

fn installed(place: &Path) -> PathBuf {
    weights::path(&SMOLLM2_135M, &place.join("home/models"))
}

#[test]
fn what_is_there_is_listed() {
    let place = tempfile::tempdir().unwrap();
    let (status, stdout, _) = run(place.path(), &["model", "list"]);
    assert_eq!(status, 0);
    assert!(stdout.contains(SMOLLM2_135M.name) && stdout.contains("missing"), "{stdout}");

    for arguments in [["model", "path"], ["model", "verify"]] {
        let (status, stdout, stderr) = run(place.path(), &arguments);
        assert_eq!((status, stdout.as_str()), (1, ""));
        assert!(stderr.contains("run `graphloom model fetch`"), "{stderr}");
    }
    let (status, _, stderr) = run(place.path(), &["model", "path", "gpt-6"]);
    assert_eq!(status, 2);
    assert!(stderr.contains(SMOLLM2_135M.name), "{stderr}");
}

#[test]
fn damaged_and_incomplete_weights_are_told_apart() {
    let place = tempfile::tempdir().unwrap();
    let path = installed(place.path());
    for (size, expected) in [(1000, "is incomplete: 1000 of 98362432 bytes"), (SMOLLM2_135M.size, "is damaged")] {
        weights_of_size(&path, size);
        for command in ["verify", "path"] {
            let (status, stdout, stderr) = run(place.path(), &["model", command]);
            assert_eq!((status, stdout.as_str()), (1, ""));
            assert!(stderr.contains(expected) && stderr.contains("model fetch"), "{stderr}");
        }
        let (_, stdout, _) = run(place.path(), &["model", "list", "--json"]);
        let state = result(&stdout)["result"]["models"][0]["state"].as_str().unwrap().to_owned();
        assert!(state.starts_with("damaged: "), "{state}");
    }
}

#[test]
fn a_file_that_is_not_the_model_is_not_taken() {
    let place = tempfile::tempdir().unwrap();
    let given = place.path().join("given.gguf");
    weights_of_size(&given, 5);
    let (status, _, stderr) = run(place.path(), &["model", "fetch", "--from", "given.gguf"]);
    assert_eq!(status, 1);
    assert!(stderr.contains("given.gguf") && stderr.contains("5 of 98362432 bytes"), "{stderr}");
    assert!(!installed(place.path()).exists());

    let (status, _, stderr) = run(place.path(), &["model", "fetch", "--from", "absent.gguf"]);
    assert_eq!(status, 1);
    assert!(stderr.contains("absent.gguf"), "{stderr}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_s_models_are_listed() {
    let server = MockServer::start().await;
    let models = json!({"data": [
        {"id": "claude-x", "display_name": "Claude X", "max_input_tokens": 200_000}, {"id": "claude-y\u{1b}[2J"}]});
    Mock::given(path("/v1/models"))
        .and(header("x-api-key", "sk-secret-one"))
        .respond_with(ResponseTemplate::new(200).set_body_json(models))
        .mount(&server)
        .await;
    let place = tempfile::tempdir().unwrap();
    let ask = |more: &[&str], hosts: Option<String>| {
        let named = format!("anthropic@{}", server.uri());
        let mut command = graphloom(place.path(), &[&["model", "list", "--provider", &named], more].concat());
        command.env("LLM_API_KEY", "sk-secret-one").env("ANTHROPIC_API_KEY", "sk-secret-two");
        command.envs(hosts.map(|hosts| ("LLM_API_KEY_FOR", hosts)));
        command
    };
    let here = Some(server.address().to_string());
    for (more, is_json) in [(&[][..], false), (&["--json"][..], true)] {
        let mut command = ask(more, here.clone());
        let (status, stdout, stderr) =
            told(tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap());
        assert_eq!(status, 0, "{stderr}");
        if is_json {
            let found = &result(&stdout)["result"];
            assert_eq!(found["models"][0], json!({"name": "claude-x", "title": "Claude X", "context": 200_000}));
        } else {
            assert!(stdout.starts_with("claude-x  reads 200000 tokens  Claude X\n"), "{stdout}");
        }
        assert!(!stdout.contains("secret") && !stderr.contains("secret"));
    }
    // The key is for no server that was not asked to get it.
    let mut command = ask(&[], None);
    let (status, _, stderr) = told(tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap());
    assert!(status != 0 && stderr.contains("`LLM_API_KEY` is not sent to `http://127.0.0.1:"), "{stderr}");
    let requests = server.received_requests().await.unwrap();
    assert!(requests.last().unwrap().headers.get("x-api-key").is_none());
    assert!(!requests.iter().any(|request| format!("{:?}", request.headers).contains("sk-secret-two")));
}

#[test]
fn a_provider_that_is_none_is_told_with_the_nearest() {
    let place = tempfile::tempdir().unwrap();
    for (named, expected) in [
        ("antropic", "`antropic` is no provider, `anthropic` is; there are `anthropic`, `openai`"),
        ("azure", "write `--provider azure@BASE_URL`"),
        ("ollama@127.0.0.1:1", "is not a base address"),
        ("ollama@http://me:hunter22@127.0.0.1:1", "LLM_API_KEY"),
    ] {
        let (status, _, stderr) = run(place.path(), &["model", "list", "--provider", named]);
        assert!(status == 2 && stderr.contains(expected) && !stderr.contains("hunter22"), "{named}: {stderr}");
    }
}
