//! Every long-term store against one contract.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use graphloom_checkpoint_sqlite::{SqliteCheckpointer, SqliteStore};
use graphloom_core_graph::Clock;
use graphloom_core_graph::checkpoint::Checkpointer;
use graphloom_core_graph::store::{
    Comparison, Condition, Expected, Item, MemoryStore, Namespace, NamespaceFilter, PutOptions, Query, Store,
    StoreError,
};
use serde_json::{Value, json};

/// A clock that stands still until it is set.
#[derive(Default)]
struct TestClock(AtomicU64);

impl TestClock {
    fn set(&self, now: u64) {
        self.0.store(now, Ordering::Relaxed);
    }
}

impl Clock for TestClock {
    fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Runs a case on every kind of store.
async fn on_every_store(case: impl AsyncFn(&dyn Store, &TestClock) -> Result<(), StoreError>) {
    let clock = Arc::new(TestClock::default());
    case(&MemoryStore::with_clock(Arc::clone(&clock) as _), &clock).await.expect("the memory store");

    let directory = tempfile::tempdir().expect("a directory");
    let own = SqliteStore::open(directory.path().join("own.db")).expect("a file of its own");
    clock.set(0);
    case(&own.with_clock(Arc::clone(&clock) as _), &clock).await.expect("a file of its own");

    let checkpointer = SqliteCheckpointer::open(directory.path().join("shared.db")).expect("a shared file");
    clock.set(0);
    case(&checkpointer.store().with_clock(Arc::clone(&clock) as _), &clock).await.expect("a shared file");
}

fn ns<const N: usize>(segments: [&str; N]) -> Namespace {
    Namespace::new(segments).expect("valid segments")
}

fn keys(items: &[Item]) -> Vec<String> {
    items.iter().map(|item| format!("{}:{}", item.namespace, item.key)).collect()
}

#[tokio::test]
async fn items_are_put_got_and_deleted() {
    on_every_store(async |store, clock| {
        let ada = ns(["users", "ada"]);
        clock.set(100);
        store.put(&ada, "k", json!({"n": 1.5, "s": "ü"}), PutOptions::default()).await?;
        clock.set(200);
        store.put(&ada, "k", json!([1, null]), PutOptions::default()).await?;
        let item = store.get(&ada, "k").await?.expect("it was put");
        let value = json!([1, null]);
        let expected =
            Item { namespace: ada.clone(), key: "k".into(), value, created: 100, updated: 200, expires: None };
        assert_eq!(item, expected);
        assert_eq!(store.get(&ns(["users"]), "k").await?, None);
        assert_eq!(store.get(&ada, "other").await?, None);
        store.put(&Namespace::root(), "", Value::Null, PutOptions::default()).await?;
        assert_eq!(store.get(&Namespace::root(), "").await?.map(|item| item.value), Some(Value::Null));
        assert!(store.delete(&ada, "k").await?);
        assert!(!store.delete(&ada, "k").await?);
        assert_eq!(store.get(&ada, "k").await?, None);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_put_with_an_expectation_refuses_a_second_writer() {
    on_every_store(async |store, clock| {
        let ada = ns(["users", "ada"]);
        let revision = |n: u64| Expected::Holds(Condition::new("revision", Comparison::Eq, n));
        let put = async |n: u64, expected: &Expected| {
            store.put_if(&ada, "k", json!({ "revision": n }), PutOptions::default(), expected).await
        };
        assert!(!put(1, &revision(0)).await?, "nothing is there");
        assert!(put(1, &Expected::Absent).await?);
        assert!(!put(1, &Expected::Absent).await?);
        assert!(put(2, &revision(1)).await?);
        assert!(!put(2, &revision(1)).await?, "someone was faster");
        assert_eq!(store.get(&ada, "k").await?.map(|item| item.value), Some(json!({ "revision": 2 })));

        store.put(&ada, "k", json!({ "revision": 3 }), PutOptions::ttl(Duration::from_millis(10))).await?;
        clock.set(1_000);
        assert!(!put(4, &revision(3)).await?, "what is expired is not there");
        assert!(put(1, &Expected::Absent).await?);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn what_is_expired_is_not_there() {
    on_every_store(async |store, clock| {
        let a = ns(["a"]);
        let for_a_second = PutOptions::ttl(Duration::from_secs(1));
        clock.set(5000);
        for key in ["kept", "swept", "renewed", "deleted"] {
            store.put(&a, key, json!(1), for_a_second).await?;
        }
        store.put(&ns(["b"]), "far", json!(1), PutOptions::ttl(Duration::MAX)).await?;
        clock.set(5999);
        assert_eq!(store.get(&a, "swept").await?.and_then(|item| item.expires), Some(6000));
        store.put(&a, "kept", json!(2), PutOptions::default()).await?;
        clock.set(6000);
        assert_eq!(store.get(&a, "swept").await?, None);
        assert!(!store.delete(&a, "deleted").await?);
        assert_eq!(keys(&store.query(&Query::default()).await?), ["a:kept", "b:far"]);
        store.put(&a, "renewed", json!(3), for_a_second).await?;
        let renewed = store.get(&a, "renewed").await?.expect("it was put again");
        assert_eq!((renewed.created, renewed.expires), (6000, Some(7000)), "an expired item does not lend its age");
        assert_eq!(store.sweep().await?, 1, "only `swept` is left to sweep");
        clock.set(7000);
        assert_eq!(store.get(&a, "kept").await?.map(|item| item.created), Some(5000));
        assert_eq!(store.sweep().await?, 1);
        store.delete(&a, "kept").await?;
        assert_eq!(store.list_namespaces(&NamespaceFilter::default()).await?, [ns(["b"])]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn items_are_found_by_namespace_and_value() {
    on_every_store(async |store, _| {
        let people = [
            (ns(["users", "ada"]), "age", json!({"years": 36, "city": {"name": "London"}})),
            (ns(["users", "ada", "notes"]), "1", json!({"years": 12})),
            (ns(["users", "ben"]), "age", json!({"years": 41.5, "city": {"name": "Lisbon"}})),
            (ns(["users extra"]), "age", json!({"years": 99})),
            (ns(["users/ada"]), "age", json!({"years": 98})),
            (ns(["users", "ada!"]), "age", json!({"years": "old"})),
        ];
        for (namespace, key, value) in &people {
            store.put(namespace, key, value.clone(), PutOptions::default()).await?;
        }
        let users = || Query::below(ns(["users"]));
        let years = |comparison, value: Value| Condition::new("years", comparison, value);
        let cases: Vec<(Query, &[&str])> = vec![
            (Query::below(ns(["users", "ada"])), &["users/ada:age", "users/ada/notes:1"]),
            (users(), &["users/ada:age", "users/ada/notes:1", "users/ada!:age", "users/ben:age"]),
            (users().limit(2).offset(1), &["users/ada/notes:1", "users/ada!:age"]),
            (users().when(years(Comparison::Gt, json!(36))), &["users/ben:age"]),
            (users().when(years(Comparison::Gte, json!(36))), &["users/ada:age", "users/ben:age"]),
            (users().when(years(Comparison::Gte, json!(12))).offset(1).limit(1), &["users/ada/notes:1"]),
            (
                users().when(years(Comparison::Lt, json!(40))).when(Condition::new(
                    "city.name",
                    Comparison::Ne,
                    Value::Null,
                )),
                &["users/ada:age"],
            ),
            (users().when(Condition::new("city.name", Comparison::Eq, "Lisbon")), &["users/ben:age"]),
            (users().limit(0), &[]),
            (Query::below(ns(["user"])), &[]),
        ];
        for (query, expected) in cases {
            assert_eq!(keys(&store.query(&query).await?), expected, "{query:?}");
        }
        assert_eq!(store.query(&Query::default()).await?.len(), people.len());
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn namespaces_are_listed() {
    on_every_store(async |store, _| {
        for namespace in [ns(["a", "x", "1"]), ns(["a", "x", "2"]), ns(["a", "y"]), ns(["ab"]), ns(["c"])] {
            store.put(&namespace, "k", json!(0), PutOptions::default()).await?;
        }
        let below = |prefix| NamespaceFilter::below(prefix);
        let cases = [
            (below(Namespace::root()).depth(1), vec![ns(["a"]), ns(["ab"]), ns(["c"])]),
            (below(Namespace::root()).depth(1).limit(2), vec![ns(["a"]), ns(["ab"])]),
            (below(ns(["a"])).depth(2), vec![ns(["a", "x"]), ns(["a", "y"])]),
            (below(ns(["a", "x"])), vec![ns(["a", "x", "1"]), ns(["a", "x", "2"])]),
            (below(ns(["nothing"])), vec![]),
        ];
        for (filter, expected) in cases {
            assert_eq!(store.list_namespaces(&filter).await?, expected, "{filter:?}");
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_file_keeps_items_and_threads_side_by_side() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("both.db");
    let checkpointer = SqliteCheckpointer::open(&path).unwrap();
    checkpointer.store().put(&ns(["a"]), "k", json!(1), PutOptions::default()).await.unwrap();
    let reopened = SqliteStore::open(&path).unwrap();
    assert_eq!(reopened.get(&ns(["a"]), "k").await.unwrap().map(|item| item.value), Some(json!(1)));
    assert_eq!(checkpointer.stats().await.unwrap().threads, 0);

    std::fs::write(directory.path().join("notes.db"), "not a database ".repeat(100)).unwrap();
    let error = SqliteStore::open(directory.path().join("notes.db")).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
}
