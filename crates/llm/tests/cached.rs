//! Answers that were given before, in memory and in a file.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use futures::StreamExt;
use graphloom_llm::layers::{
    Budgeted, CachePolicy, Cached, Fallback, FallbackModel, Ledger, MemoryResponses, ResponseStore, RouteOrder,
};
use graphloom_llm::scripted::Reply;
use graphloom_llm::{
    Capabilities, ChatEvent, ChatModel, ChatRequest, FinishReason, ModelError, Notes, Scripted, Usage,
};

/// A model that answers with the number of its call.
fn counting(finish: FinishReason) -> Arc<Scripted> {
    let calls = Mutex::new(0);
    Arc::new(Scripted::from_fn(move |_| {
        let mut calls = calls.lock().unwrap();
        *calls += 1;
        Ok(Reply { finish: finish.clone(), ..Reply::text(calls.to_string()) })
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
    for finish in [FinishReason::Length, FinishReason::ContentFilter, FinishReason::Other("pause".into())] {
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

#[tokio::test]
async fn an_empty_answer_is_not_kept() {
    let replies = Mutex::new(vec!["here", " "]);
    let model = Arc::new(Scripted::from_fn(move |_| Ok(replies.lock().unwrap().pop().unwrap_or("later"))));
    let one = cached(&model, &memory(), "");
    let said = [say(&one, request("a")).await, say(&one, request("a")).await, say(&one, request("a")).await];
    assert_eq!(said, [" ", "here", "here"]);
}

#[tokio::test]
async fn what_a_model_does_not_take_does_not_make_its_answers_alike() {
    let model = Scripted::from_fn(|_| Ok("x"));
    let capabilities = Capabilities { sampling: false, ..model.capabilities().clone() };
    let model = Arc::new(model.with_capabilities(capabilities));
    let one = cached(&model, &memory(), "");
    say(&one, request("a")).await;
    say(&one, request("a")).await;
    assert_eq!(model.calls().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_another_model_of_a_chain_says_is_not_kept_as_the_first_one_s() {
    let store = memory();
    let fails = Arc::new(Mutex::new(true));
    let is_failing = Arc::clone(&fails);
    let first = Arc::new(Scripted::from_fn(move |_| {
        let error = ModelError::Unreachable { url: "http://h".into(), message: "refused".into() };
        if *is_failing.lock().unwrap() { Err(error) } else { Ok(r#"{"choice": "first"}"#) }
    }));
    let second = Arc::new(Scripted::from_fn(|_| Ok(r#"{"choice": "second"}"#)));
    let members = [Arc::clone(&first), Arc::clone(&second)].map(|model| FallbackModel::new(model));
    let chain = Fallback::new(members.into(), RouteOrder::AsGiven, Notes::default()).unwrap();
    // Layers between the chain and the cache are passed by.
    let ledger = Ledger::new("calls=99".parse().unwrap());
    let chain = Budgeted::new(Arc::new(chain), ledger).unwrap();
    let one = Cached::new(Arc::new(chain), store, CachePolicy::default(), "chain");
    let options = ["first".to_owned(), "second".to_owned()];
    let chosen = async || one.choose(request("c"), &options).await.unwrap().index;
    let streamed = async |text: &str| {
        let events: Vec<_> = one.stream(request(text)).await.unwrap().collect().await;
        let Some(Ok(ChatEvent::Done(done))) = events.last() else { panic!("{events:?}") };
        done.text()
    };
    assert!(say(&one, request("a")).await.contains("second"));
    assert!(streamed("b").await.contains("second"));
    assert_eq!(chosen().await, 1);
    *fails.lock().unwrap() = false;
    tokio::time::sleep(Duration::from_secs(31)).await;
    for _ in 0..2 {
        assert!(say(&one, request("a")).await.contains("first"), "the answer of the other one was not kept");
        assert!(streamed("b").await.contains("first"));
        assert_eq!(chosen().await, 0);
    }
    *fails.lock().unwrap() = true;
    assert!(say(&one, request("a")).await.contains("first"), "its own answer is kept");
    assert!(streamed("b").await.contains("first"));
    assert_eq!(chosen().await, 0);
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

    #[test]
    fn the_sum_of_sizes_is_kept_and_old_answers_are_found_by_their_age() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("answers.db");
        let store = SqliteResponses::open(&path).unwrap();
        let look = rusqlite::Connection::open(&path).unwrap();
        let policy: CachePolicy = "age=60s,size=100".parse().unwrap();
        for step in 0..60_u64 {
            let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + 3 * step);
            // Some are put anew, some go because of their age and some because of their size.
            let value = vec![0; usize::try_from(step * 7 % 40).unwrap()];
            store.put(&(step * step % 17).to_string(), &value, &policy, now).unwrap();
            let sums = look
                .query_row("SELECT (SELECT sum FROM sizes), (SELECT sum(size) FROM responses)", [], |row| {
                    Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
                })
                .unwrap();
            assert!(sums.0 == sums.1 && sums.0 <= 100, "{step}: {sums:?}");
        }
        let plan: String = look
            .query_row("EXPLAIN QUERY PLAN DELETE FROM responses WHERE put_at < 5", [], |row| row.get("detail"))
            .unwrap();
        assert!(plan.contains("SEARCH") && plan.contains("responses_by_age"), "{plan}");
    }

    #[test]
    fn a_busy_cache_is_a_miss() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("answers.db");
        let store = SqliteResponses::open(&path).unwrap();
        let policy = CachePolicy::default();
        let now = SystemTime::now();
        store.put("a", b"kept", &policy, now).unwrap();
        let other = rusqlite::Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        // Neither waits for the other one, which goes on only after both.
        assert_eq!(store.get("a", policy.age, now).unwrap(), None);
        store.put("b", b"passed by", &policy, now).unwrap();
        other.execute_batch("COMMIT").unwrap();
        assert!(
            store.get("a", policy.age, now).unwrap().is_some() && store.get("b", policy.age, now).unwrap().is_none()
        );
    }

    #[test]
    fn several_make_the_file_at_the_same_time() {
        for round in 0..10 {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("answers.db");
            let start = std::sync::Barrier::new(8);
            std::thread::scope(|scope| {
                for at in 0..8 {
                    let (path, start) = (&path, &start);
                    scope.spawn(move || {
                        start.wait();
                        let store = SqliteResponses::open(path).unwrap();
                        // The table is there, even while others open the file.
                        let sql = "INSERT INTO responses VALUES (?1, 0, 0, 1, x'00')";
                        let own = rusqlite::Connection::open(path).unwrap();
                        own.busy_timeout(Duration::from_secs(20)).unwrap();
                        own.execute(sql, [at.to_string()]).unwrap();
                        drop(store);
                    });
                }
            });
            let look = rusqlite::Connection::open(&path).unwrap();
            let sums = look.query_row("SELECT (SELECT sum FROM sizes), count(*) FROM responses", [], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
            });
            assert_eq!(sums.unwrap(), (8, 8), "round {round}: none was dropped");
        }
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
        // A file of another version is emptied, and one that is none is told and left alone.
        drop((one, two));
        rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
        assert_eq!(say(&cached(&model, &open(), "m"), request("a")).await, "2");
        assert_eq!(say(&cached(&model, &open(), "m"), request("a")).await, "2", "and is of this version then");
        let message = {
            std::fs::write(dir.path().join("other"), "no database at all, but a long enough text to look at").unwrap();
            SqliteResponses::open(&dir.path().join("other")).unwrap_err().to_string()
        };
        assert!(message.contains("other` cannot be used") && message.contains("without `--cache`"), "{message}");
        assert!(std::fs::read_to_string(dir.path().join("other")).unwrap().starts_with("no database"));
    }
}
