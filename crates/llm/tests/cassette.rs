//! Recording and playing back: byte equality, order, misses, torn lines, secrets.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::StreamExt;
use graphloom_llm::cassette::{Recorder, Replay, SecretGuard};
use graphloom_llm::{Cassette, ChatEvent, ChatModel, ChatRequest, ModelError, Scripted};
use serde_json::{Value, json};

/// A model whose answers differ from call to call.
fn counting() -> Arc<dyn ChatModel> {
    let calls = AtomicUsize::new(0);
    Arc::new(Scripted::from_fn(move |request| {
        let n = calls.fetch_add(1, Ordering::SeqCst);
        let asked = request.messages[0].joined_text();
        if asked == "fail" {
            return Err(ModelError::Refused { model: "m".into(), message: format!("call {n}") });
        }
        Ok(format!("{asked}: {n}"))
    }))
}

fn recorder(path: &Path) -> Recorder {
    let cassette = Arc::new(Cassette::record_guarded(path, SecretGuard::default()).unwrap());
    Recorder::new(counting(), cassette, "default").unwrap()
}

fn replay(path: &Path) -> Replay {
    Replay::new(Arc::new(Cassette::replay(path).unwrap()), "default").unwrap()
}

/// Everything that a model answers to a fixed list of calls, as bytes.
async fn transcript(model: &dyn ChatModel) -> String {
    let mut all = Vec::new();
    for asked in ["a", "b", "a", "fail"] {
        let whole = model.chat(ChatRequest::user(asked)).await;
        all.push(serde_json::to_string(&whole.map_err(|error| error.to_string())).unwrap());
        match model.stream(ChatRequest::user(asked)).await {
            Ok(stream) => {
                let events: Vec<ChatEvent> = stream.map(Result::unwrap).collect().await;
                all.push(serde_json::to_string(&events).unwrap());
            }
            Err(error) => all.push(error.to_string()),
        }
    }
    all.join("\n")
}

#[tokio::test]
async fn a_recording_plays_back_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let recorded = transcript(&recorder(&path)).await;
    let played = replay(&path);
    assert_eq!(transcript(&played).await, recorded);
    assert_eq!(played.id().to_string(), "scripted:function");
}

#[tokio::test]
async fn order_does_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let model = recorder(&path);
    let asked: Vec<String> = (0..20).map(|n| format!("q{}", n % 10)).collect();
    let answers =
        futures::future::join_all(asked.iter().map(|asked| model.chat(ChatRequest::user(asked.as_str())))).await;
    let recorded: Vec<String> = answers.into_iter().map(|answer| answer.unwrap().text()).collect();

    // The lines of the file in another order, and the calls too.
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines[2..].reverse();
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    let model = replay(&path);
    let mut played: Vec<(usize, String)> = Vec::new();
    let order: Vec<usize> = (0..10).rev().chain((10..20).rev()).collect();
    for index in order {
        played.push((index, model.chat(ChatRequest::user(asked[index].as_str())).await.unwrap().text()));
    }
    played.sort();
    let played: Vec<String> = played.into_iter().map(|(_, text)| text).collect();
    assert_eq!(played, recorded);
}

#[tokio::test]
async fn a_miss_tells_what_differs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let model = recorder(&path);
    model.chat(ChatRequest::user("write about the northern lighthouse")).await.unwrap();
    model.chat(ChatRequest::user("plan")).await.unwrap();
    let model = replay(&path);
    model.chat(ChatRequest::user("plan")).await.unwrap();
    let cases = [
        (
            "write about the southern lighthouse",
            "at `/request/messages/0/parts/0/text` from character 16: recorded `…write about the northern lighthouse…`",
        ),
        ("plan", "this request was recorded 1 times, and this is time 2"),
    ];
    for (asked, expected) in cases {
        let error = model.chat(ChatRequest::user(asked)).await.unwrap_err();
        assert!(matches!(error, ModelError::CassetteMiss { .. }), "{error:?}");
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[tokio::test]
async fn a_torn_last_line_is_dropped_and_recording_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let model = recorder(&path);
    model.chat(ChatRequest::user("a")).await.unwrap();
    model.chat(ChatRequest::user("b")).await.unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 5]).unwrap();

    let torn = Cassette::replay(&path).unwrap();
    assert!(torn.warnings()[0].contains("ends in a torn line 4"), "{:?}", torn.warnings());
    let torn = Replay::new(Arc::new(torn), "default").unwrap();
    assert!(torn.chat(ChatRequest::user("a")).await.is_ok());
    assert!(torn.chat(ChatRequest::user("b")).await.is_err());

    let model = recorder(&path);
    model.chat(ChatRequest::user("b")).await.unwrap();
    model.chat(ChatRequest::user("a")).await.unwrap();
    let played = replay(&path);
    let mut texts = Vec::new();
    for asked in ["a", "b", "a"] {
        texts.push(played.chat(ChatRequest::user(asked)).await.unwrap().text());
    }
    assert_eq!(texts, ["a: 0", "b: 0", "a: 1"]);
}

#[tokio::test]
async fn every_cut_of_a_recording_loads_or_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let model = recorder(&path);
    model.chat(ChatRequest::user("größe")).await.unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let cut = folder.path().join("cut.jsonl");
    for length in 1..bytes.len() {
        std::fs::write(&cut, &bytes[..length]).unwrap();
        let cassette = Cassette::record_guarded(&cut, SecretGuard::default());
        assert!(cassette.is_ok(), "{length}: {cassette:?}");
        Cassette::replay(&cut).unwrap();
    }
}

#[tokio::test]
async fn a_dropped_stream_is_recorded_as_broken() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let model = recorder(&path);
    let mut stream = model.stream(ChatRequest::user("a long enough question for pieces")).await.unwrap();
    let _first = stream.next().await.unwrap().unwrap();
    drop(stream);
    let model = replay(&path);
    let events: Vec<_> =
        model.stream(ChatRequest::user("a long enough question for pieces")).await.unwrap().collect().await;
    assert!(matches!(events.as_slice(), [Ok(_), Err(ModelError::StreamInterrupted { .. })]), "{events:?}");
}

#[tokio::test]
async fn secrets_stop_the_recording() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let guard = SecretGuard::new([("SEARCH_KEY".to_owned(), "tvly-0123456789".to_owned())]);
    let cassette = Arc::new(Cassette::record_guarded(&path, guard).unwrap());
    let model = Recorder::new(counting(), cassette, "default").unwrap();
    let error = model.chat(ChatRequest::user("use tvly-0123456789 please")).await.unwrap_err();
    assert!(error.to_string().contains("the value of `SEARCH_KEY` was about to be written"), "{error}");
    assert!(model.chat(ChatRequest::user("harmless")).await.is_err(), "a recording with a hole must not go on");
    assert!(!std::fs::read_to_string(&path).unwrap().contains("tvly"));
}

#[derive(Debug, thiserror::Error)]
enum SearchError {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("{0}")]
    Failed(String),
}

#[tokio::test]
async fn tools_are_recorded_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let query = json!({"q": "sea", "n": 3});
    let calls = AtomicUsize::new(0);
    let search = |query: Value| {
        let n = calls.fetch_add(1, Ordering::SeqCst);
        async move {
            if query["q"] == "bad" { Err(SearchError::Failed("no index".into())) } else { Ok(json!([n, query["q"]])) }
        }
    };
    let ask = async |cassette: &Cassette, query: &Value| {
        let result = cassette.exchange("search", query, || search(query.clone()), SearchError::Failed).await;
        result.map_err(|error| error.to_string())
    };
    let mut rounds = Vec::new();
    for replaying in [false, true] {
        let cassette = if replaying {
            Cassette::replay(&path).unwrap()
        } else {
            Cassette::record_guarded(&path, SecretGuard::default()).unwrap()
        };
        rounds.push([
            ask(&cassette, &query).await,
            ask(&cassette, &json!({"n": 3, "q": "sea"})).await,
            ask(&cassette, &json!({"q": "bad"})).await,
        ]);
    }
    assert_eq!(rounds[0], [Ok(json!([0, "sea"])), Ok(json!([1, "sea"])), Err("no index".to_owned())]);
    assert_eq!(rounds[1], rounds[0]);
    assert_eq!(calls.load(Ordering::SeqCst), 3);
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    let cases = [
        ("my notes", "is not a recording"),
        ("my notes\n", "is not a recording"),
        ("{\"cassette\":\"graphloom\",\"v\":99}\n", "has version 99"),
        ("{\"cassette\":\"graphloom\",\"v\":1}\nnoise\n{}\n", "is damaged in line 2"),
    ];
    for (text, expected) in cases {
        std::fs::write(&path, text).unwrap();
        for result in [Cassette::record_guarded(&path, SecretGuard::default()), Cassette::replay(&path)] {
            let message = result.unwrap_err().to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
}
