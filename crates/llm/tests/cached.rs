//! Answers that were given before, in memory and in a file.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use futures::StreamExt;
use graphloom_llm::layers::{Budgeted, CachePolicy, Cached, Ledger, MemoryResponses, ResponseStore};
use graphloom_llm::scripted::Reply;
use graphloom_llm::{ChatEvent, ChatModel, ChatRequest, FinishReason, ModelError, Scripted, Usage};

/// A model that answers with the number of its call.
fn counting(finish: FinishReason) -> Arc<Scripted> {
    let calls = Mutex::new(0);
    Arc::new(Scripted::from_fn(move |_| {
        let mut calls = calls.lock().unwrap();
        *calls += 1;
        Ok(Reply { finish, ..Reply::text(calls.to_string()) })
    }))
}

fn cached(model: &Arc<Scripted>, store: &Arc<dyn ResponseStore>, identity: &str) -> Cached {
    Cached::new(Arc::clone(model) as Arc<dyn ChatModel>, Arc::clone(store), CachePolicy::default(), identity)
}

fn request(text: &str) -> ChatRequest {
    let mut request = ChatRequest::user(text);
    request.params.temperature = Some(0.0);
    request
}

async fn say(model: &Cached, request: ChatRequest) -> String {
    model.chat(request).await.unwrap().text()
}

fn memory() -> Arc<dyn ResponseStore> {
    Arc::new(MemoryResponses::default())
}

#[tokio::test]
async fn the_same_request_of_the_same_model_is_answered_once() {
    let (model, store) = (counting(FinishReason::Stop), memory());
    let one = cached(&model, &store, "one");
    assert_eq!((say(&one, request("a")).await, say(&one, request("a")).await), ("1".into(), "1".into()));
    assert_eq!(say(&one, request("b")).await, "2");
    let mut seeded = request("a");
    seeded.params.seed = Some(1);
    assert_eq!(say(&one, seeded).await, "3", "another request");
    assert_eq!(say(&cached(&model, &store, "two"), request("a")).await, "4", "another model of the same name");
    // What may differ from call to call is asked each time, unless everything is kept.
    let free = ChatRequest::user("a");
    assert_eq!((say(&one, free.clone()).await, say(&one, free.clone()).await), ("5".into(), "6".into()));
    let all = Cached::new(Arc::clone(&model) as Arc<dyn ChatModel>, store, "all".parse().unwrap(), "one");
    assert_eq!((say(&all, free.clone()).await, say(&all, free).await), ("7".into(), "7".into()));
}

#[tokio::test]
async fn an_answer_from_the_cache_uses_nothing_and_is_counted_as_such() {
    let (model, store) = (counting(FinishReason::Stop), memory());
    let ledger = Ledger::new("calls=1".parse().unwrap());
    let budgeted = Budgeted::new(Arc::clone(&model) as Arc<dyn ChatModel>, Arc::clone(&ledger)).unwrap();
    let one = Cached::new(Arc::new(budgeted), store, CachePolicy::default(), "").counted_in(Arc::clone(&ledger));
    let first = one.chat(request("a")).await.unwrap();
    let spent = ledger.spent();
    let second = one.chat(request("a")).await.unwrap();
    assert!(first.usage.total() > 0);
    assert_eq!(second.usage, Usage { cost: Some(0), ..Usage::default() });
    assert_eq!(second.message, first.message);
    let after = ledger.spent();
    assert_eq!((after.calls, after.tokens, after.cached), (spent.calls, spent.tokens, 1));
    // The same answer as a stream.
    let events: Vec<_> = one.stream(request("a")).await.unwrap().map(Result::unwrap).collect().await;
    let text: String = events
        .iter()
        .filter_map(|event| if let ChatEvent::TextDelta { text } = event { Some(text.as_str()) } else { None })
        .collect();
    assert_eq!(text, first.text());
    assert!(matches!(events.last(), Some(ChatEvent::Done(done)) if done.usage == second.usage));
}

#[tokio::test]
async fn a_stream_is_kept_when_it_has_ended() {
    let (model, store) = (counting(FinishReason::Stop), memory());
    let one = cached(&model, &store, "");
    drop(one.stream(request("a")).await.unwrap());
    let _events: Vec<_> = one.stream(request("a")).await.unwrap().collect().await;
    assert_eq!(say(&one, request("a")).await, "2", "a stream that was dropped is not kept");
}

#[tokio::test]
async fn errors_and_cut_answers_are_never_kept() {
    for finish in [FinishReason::Length, FinishReason::ContentFilter] {
        let (model, store) = (counting(finish), memory());
        let one = cached(&model, &store, "");
        assert_eq!((say(&one, request("a")).await, say(&one, request("a")).await), ("1".into(), "2".into()));
    }
    let left = Mutex::new(1);
    let failing = Arc::new(Scripted::from_fn(move |_| {
        let mut left = left.lock().unwrap();
        *left -= 1;
        let error = ModelError::Unreachable { url: "http://h".into(), message: "refused".into() };
        if *left < 0 { Ok("here") } else { Err(error) }
    }));
    let one = cached(&failing, &memory(), "");
    one.chat(request("a")).await.unwrap_err();
    assert_eq!(say(&one, request("a")).await, "here");
}

/// What holds for every store.
fn keeps_to_age_and_size(store: &dyn ResponseStore) {
    let at = |seconds: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + seconds);
    let policy: CachePolicy = "age=60s,size=30".parse().unwrap();
    let get = |key: &str, seconds| {
        store.get(key, policy.age, at(seconds)).unwrap().map(|bytes| String::from_utf8(bytes).unwrap())
    };
    let put = |key: &str, value: &str, seconds| store.put(key, value.as_bytes(), &policy, at(seconds)).unwrap();
    put("a", "0123456789", 0);
    put("b", "0123456789", 10);
    assert_eq!((get("a", 20).as_deref(), get("c", 20)), (Some("0123456789"), None));
    put("c", "0123456789", 30);
    put("d", "01234", 40);
    assert_eq!(get("b", 40), None, "the one that was not used for the longest time went");
    assert!(get("a", 40).is_some() && get("c", 40).is_some() && get("d", 40).is_some());
    assert_eq!((get("a", 60).is_some(), get("a", 61)), (true, None), "too old");
    put("e", &"x".repeat(31), 62);
    assert_eq!(get("e", 62), None, "larger than all may be");
    put("d", "new", 63);
    assert_eq!(get("d", 64).as_deref(), Some("new"));
}

#[test]
fn memory_keeps_to_age_and_size() {
    keeps_to_age_and_size(&MemoryResponses::default());
}

#[cfg(feature = "response-cache")]
mod in_a_file {
    use graphloom_llm::layers::SqliteResponses;

    use super::*;

    #[test]
    fn a_file_keeps_to_age_and_size() {
        let dir = tempfile::tempdir().unwrap();
        keeps_to_age_and_size(&SqliteResponses::open(&dir.path().join("answers.db")).unwrap());
    }

    #[tokio::test]
    async fn another_process_finds_the_answer_and_nobody_else_can_read_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("answers.db");
        let open = || -> Arc<dyn ResponseStore> { Arc::new(SqliteResponses::open(&path).unwrap()) };
        let model = counting(FinishReason::Stop);
        let (one, two) = (cached(&model, &open(), "m"), cached(&model, &open(), "m"));
        assert_eq!((say(&one, request("a")).await, say(&two, request("a")).await), ("1".into(), "1".into()));
        #[cfg(unix)]
        for entry in std::fs::read_dir(dir.path()).unwrap() {
            use std::os::unix::fs::PermissionsExt;
            let entry = entry.unwrap();
            assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o077, 0, "{:?}", entry.path());
        }
        // A file of a later version is emptied, and one that is none is told and left alone.
        drop((one, two));
        let message = {
            std::fs::write(dir.path().join("other"), "no database at all, but a long enough text to look at").unwrap();
            SqliteResponses::open(&dir.path().join("other")).unwrap_err().to_string()
        };
        assert!(message.contains("other` cannot be used") && message.contains("without `--cache`"), "{message}");
        assert!(std::fs::read_to_string(dir.path().join("other")).unwrap().starts_with("no database"));
    }
}
