//! `--embeddings`: passages are found by their meaning, with the real weights.

#![cfg(feature = "embedded")]
#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::path::Path;

use clap::Parser;
use graphloom_cli::{BaseArgs, ConsentArgs, DataDir, Documents, ExitStatus, Failure, SourceArgs, open_documents};

#[derive(Parser, Debug)]
struct Args {
    #[command(flatten)]
    sources: SourceArgs,
    #[command(flatten)]
    consent: ConsentArgs,
    #[command(flatten)]
    base: BaseArgs,
}

const FILES: [(&str, &str); 4] = [
    (
        "beacon.md",
        "# Towers\n\nEach dusk the keeper climbed the spiral stairs and lit the great lamp, which warned ships off the rocks.",
    ),
    ("yeast.md", "# Kitchen\n\nYeast eats sugar and gives off carbon dioxide, so dough swells before it is baked."),
    ("ledger.md", "# Office\n\nEvery invoice is entered in the ledger on the day on which it arrives."),
    ("moss.md", "# Woods\n\nMoss grows on the shaded side of old oaks."),
];

async fn opened(place: &Path, more: &[&str]) -> Result<Documents, Failure> {
    let docs = place.join("docs");
    std::fs::create_dir_all(&docs).unwrap();
    for (name, text) in FILES {
        std::fs::write(docs.join(name), text).unwrap();
    }
    let docs = docs.display().to_string();
    let args = Args::try_parse_from([&["x", "--quiet", "--no-input", "--corpus", &docs], more].concat()).unwrap();
    let dirs = DataDir::new(Some(&place.join("home"))).unwrap();
    let progress = graphloom_cli::Progress::new(&args.base);
    let engines = args.sources.engines().unwrap();
    let opened = open_documents(&args.sources, &engines, &dirs, &progress, &args.consent).await;
    opened.map(Option::unwrap)
}

async fn found(documents: &Documents, question: &str) -> Vec<String> {
    let answer = documents.search().search(question, 5).await;
    assert!(answer.notes.is_empty(), "{answer:?}");
    answer.hits.into_iter().map(|hit| hit.evidence.title).collect()
}

/// Questions that share no word with the passage that answers them.
const QUESTIONS: [(&str, &str); 3] =
    [("lighthouse at night", "Towers"), ("why does bread rise", "Kitchen"), ("bookkeeping of bills", "Office")];

#[tokio::test]
async fn a_passage_without_a_word_of_the_question_is_found() {
    let place = tempfile::tempdir().unwrap();
    let words = opened(place.path(), &[]).await.unwrap();
    for (question, _) in QUESTIONS {
        assert_eq!(found(&words, question).await, Vec::<String>::new(), "{question}");
    }
    let meaning = opened(place.path(), &["--embeddings", "embedded"]).await.unwrap();
    for (question, title) in QUESTIONS {
        assert_eq!(found(&meaning, question).await.first().map(String::as_str), Some(title), "{question}");
    }
    // Words still find, and the option can be left out again.
    assert_eq!(found(&meaning, "ledger").await[0], "Office");
    let off = opened(place.path(), &["--embeddings", "off"]).await.unwrap();
    assert!(off.hybrid.is_none() && found(&off, "lighthouse at night").await.is_empty());
}

#[tokio::test]
async fn another_model_is_asked_about() {
    use serde_json::{Value, json};

    let place = tempfile::tempdir().unwrap();
    opened(place.path(), &["--embeddings", "embedded"]).await.unwrap();
    let server = wiremock::MockServer::start().await;
    let answer = |request: &wiremock::Request| {
        let body: Value = request.body_json().unwrap();
        let vectors: Vec<Value> = body["input"].as_array().unwrap().iter().map(|_| json!([1.0, 0.0])).collect();
        wiremock::ResponseTemplate::new(200).set_body_json(json!({"embeddings": vectors}))
    };
    wiremock::Mock::given(wiremock::matchers::path("/api/embed")).respond_with(answer).mount(&server).await;
    let other = format!("ollama:m@{}", server.uri());
    let failed = opened(place.path(), &["--embeddings", &other]).await.unwrap_err();
    assert_eq!(failed.status(), ExitStatus::Waiting);
    let told = failed.messages().join(" ");
    assert!(told.contains("those of `embedded:all-minilm-l6-v2`, and `ollama:m` is asked for; `--yes`"), "{told}");
    assert!(server.received_requests().await.unwrap().is_empty(), "nothing was sent before the answer");
    let replaced = opened(place.path(), &["--embeddings", &other, "--yes"]).await.unwrap();
    assert_eq!(found(&replaced, "anything").await.len(), 4);
}
