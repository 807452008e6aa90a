//! From options to models: scripted, recorded and played back, under a budget.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::path::Path;

use graphloom_cli::{
    DataDir, ExitStatus, Failure, ModelArgs, Progress, ServerOptions, build_models, build_models_with,
};
use graphloom_llm::layers::Spent;
use graphloom_llm::{ChatModel, ChatRequest};

fn args(model: &str) -> ModelArgs {
    let mut args = ModelArgs::default();
    args.model = Some(model.parse().unwrap());
    args
}

fn quiet() -> Progress {
    Progress::to(false, Box::new(std::io::sink()), Box::new(std::io::sink()))
}

fn dirs(place: &Path) -> DataDir {
    DataDir::new(Some(&place.join("home"))).unwrap()
}

fn script(place: &Path, name: &str, reply: &str) -> String {
    let path = place.join(name);
    std::fs::write(&path, format!("{{\"reply\": \"{reply}\", \"times\": 9}}\n")).unwrap();
    format!("scripted:{}", path.display())
}

async fn say(model: &dyn ChatModel, text: &str) -> String {
    model.chat(ChatRequest::user(text)).await.unwrap().text()
}

#[tokio::test]
async fn only_roles_that_are_said_to_see_read_images() {
    let place = tempfile::tempdir().unwrap();
    let server = "compatible:m@http://127.0.0.1:9/v1";
    let specs = args(&format!("{server},look={server}"));
    let mut options = ServerOptions::default();
    options.images.insert("look".to_owned());
    let set = build_models_with(&specs, &dirs(place.path()), &quiet(), Spent::default(), &options).await.unwrap();
    assert!(set.models.role("look").capabilities().images);
    assert!(!set.models.role("write").capabilities().images, "the same server, not named for it");
}

#[tokio::test]
async fn roles_are_recorded_and_played_back() {
    let place = tempfile::tempdir().unwrap();
    let (one, two) = (script(place.path(), "one.jsonl", "one"), script(place.path(), "two.jsonl", "two"));
    let tape = place.path().join("tape.jsonl");
    let mut recording = args(&format!("{one},write={two}"));
    recording.record = Some(tape.clone());
    let set = build_models(&recording, &dirs(place.path()), &quiet(), Spent::default()).await.unwrap();
    assert_eq!(say(&**set.models.role("plan"), "hello").await, "one");
    assert_eq!(say(&**set.models.role("write"), "hello").await, "two");
    let ids = set.ids();
    assert_eq!(ids.keys().collect::<Vec<_>>(), ["default", "write"]);
    assert_eq!(set.meter.totals().values().map(|totals| totals.calls).sum::<u64>(), 2);
    drop(set);

    // Without a word about roles the recording plays all of them, and the scripts are not needed.
    for name in ["one.jsonl", "two.jsonl"] {
        std::fs::remove_file(place.path().join(name)).unwrap();
    }
    let replay = args(&format!("replay:{}", tape.display()));
    let set = build_models(&replay, &dirs(place.path()), &quiet(), Spent::default()).await.unwrap();
    assert_eq!(set.ids(), ids);
    assert_eq!(say(&**set.models.role("write"), "hello").await, "two");
    assert_eq!(say(&**set.models.role("plan"), "hello").await, "one");
    let missing = set.models.role("plan").chat(ChatRequest::user("never asked")).await.unwrap_err();
    assert!(missing.to_string().contains("holds no answer"), "{missing}");
}

#[tokio::test]
async fn a_budget_counts_what_was_spent_before() {
    let place = tempfile::tempdir().unwrap();
    let mut args = args(&script(place.path(), "s.jsonl", "yes"));
    args.budget = Some("calls=3".parse().unwrap());
    let set = build_models(&args, &dirs(place.path()), &quiet(), Spent::default()).await.unwrap();
    let model = set.models.role("default");
    assert_eq!((say(&**model, "a").await, say(&**model, "b").await), ("yes".into(), "yes".into()));
    let spent = set.ledger.spent();

    let resumed = build_models(&args, &dirs(place.path()), &quiet(), spent).await.unwrap();
    let model = resumed.models.role("default");
    assert_eq!(say(&**model, "c").await, "yes");
    let error = model.chat(ChatRequest::user("d")).await.unwrap_err();
    assert_eq!(Failure::from(error).status(), ExitStatus::BudgetSpent);
}

#[tokio::test]
async fn what_cannot_be_made_is_told() {
    let place = tempfile::tempdir().unwrap();
    let bad = place.path().join("bad.gguf");
    std::fs::write(&bad, "GGUF but no more").unwrap();
    let cases = [
        ("scripted:/nowhere/s.jsonl".to_owned(), "`/nowhere/s.jsonl` cannot be read"),
        ("replay:/nowhere/r.jsonl".to_owned(), "`/nowhere/r.jsonl` cannot be read"),
        ("gguf:/nowhere/m.gguf".to_owned(), "/nowhere/m.gguf"),
        (format!("gguf:{}", bad.display()), "bad.gguf` cannot be read as GGUF"),
    ];
    for (model, expected) in cases {
        let failure = build_models(&args(&model), &dirs(place.path()), &quiet(), Spent::default()).await.unwrap_err();
        assert!(failure.to_string().contains(expected), "{model}: {failure}");
        assert_eq!(failure.status(), ExitStatus::Failed);
    }
    let mut paid = args("compatible:m@http://127.0.0.1:9/v1");
    paid.budget = Some("usd=1".parse().unwrap());
    let failure = build_models(&paid, &dirs(place.path()), &quiet(), Spent::default()).await.unwrap_err();
    assert!(failure.to_string().contains("price"), "{failure}");
}

#[tokio::test]
async fn a_provider_s_price_is_not_that_of_another_server() {
    let place = tempfile::tempdir().unwrap();
    let own = place.path().join("own.toml");
    let row = "[[price]]\nprovider = 'openai'\nmodel = 'gpt-6-luna'\ninput = 1\noutput = 2\n";
    std::fs::write(&own, format!("version = 1\ndate = '2026-11-26'\n{row}")).unwrap();
    for (model, prices, is_known) in [
        ("openai:gpt-6-luna", None, true),
        ("openai:gpt-6-luna@http://127.0.0.1:9/v1", None, false),
        ("openai:gpt-6-luna@http://127.0.0.1:9/v1", Some(own), true),
        ("openai:gpt-6-luna|anthropic:nobody-knows", None, false),
        ("openai:gpt-6-luna|anthropic:claude-opus-5-5", None, true),
    ] {
        let mut args = args(model);
        (args.budget, args.prices) = (Some("usd=1".parse().unwrap()), prices);
        let built = build_models(&args, &dirs(place.path()), &quiet(), Spent::default()).await;
        let is_refused = built.is_err_and(|failure| failure.to_string().contains("is not known"));
        assert_eq!(!is_refused, is_known, "{model}");
    }
}
