//! The long-term store.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::SetClock;
use super::ground::{CaseFailure, CaseResult, same};
use crate::store::{
    Comparison, Condition, Expected, ITEM_LEVELS, Item, Namespace, NamespaceFilter, PutOptions, Query, Store,
    StoreError,
};

type Memory = Arc<dyn Store>;

macro_rules! cases {
    ($($name:ident)+) => {
        /// The cases of a long-term store.
        pub(super) const CASES: &[(&str, fn(Memory, Arc<SetClock>) -> BoxFuture<'static, CaseResult>)] =
            &[$((stringify!($name), |store, clock| Box::pin($name(store, clock)))),+];
    };
}

cases! {
    items_are_put_got_and_deleted
    values_of_every_kind_are_read_back
    what_cannot_be_kept_is_refused
    a_put_with_an_expectation_refuses_a_second_writer
    one_of_many_puts_what_was_absent
    what_is_expired_is_not_there
    items_are_found_by_namespace
    items_are_found_by_value
    queries_are_read_in_pages
    namespaces_with_items_are_listed
}

fn ns<const N: usize>(segments: [&str; N]) -> Result<Namespace, StoreError> {
    Namespace::new(segments)
}

fn keys(items: &[Item]) -> Vec<String> {
    items.iter().map(|item| format!("{}:{}", item.namespace, item.key)).collect()
}

async fn put(store: &Memory, namespace: &Namespace, key: &str, value: Value) -> Result<(), StoreError> {
    store.put(namespace, key, value, PutOptions::default()).await
}

async fn items_are_put_got_and_deleted(store: Memory, clock: Arc<SetClock>) -> CaseResult {
    let ada = ns(["users", "ada"])?;
    clock.set(100);
    put(&store, &ada, "k", json!({"n": 1.5, "s": "ü"})).await?;
    clock.set(200);
    put(&store, &ada, "k", json!([1, null])).await?;
    let value = json!([1, null]);
    let expected = Item { namespace: ada.clone(), key: "k".into(), value, created: 100, updated: 200, expires: None };
    same!(store.get(&ada, "k").await?, Some(expected));
    same!(store.get(&ns(["users"])?, "k").await?, None);
    same!(store.get(&ada, "other").await?, None);
    same!(store.delete(&ada, "k").await?, true);
    same!(store.delete(&ada, "k").await?, false);
    same!(store.get(&ada, "k").await?, None);
    Ok(())
}

async fn values_of_every_kind_are_read_back(store: Memory, _: Arc<SetClock>) -> CaseResult {
    let values = [
        ("", Value::Null),
        ("true", json!(true)),
        ("number", json!(-12.25)),
        ("large", json!(u64::MAX)),
        ("text", json!("'; DROP TABLE items; -- \u{1F600}")),
        ("nested", json!({"z": [{"a": {}}, []], "a": "order is kept or not"})),
        ("key/with\"odd'chars%", json!("x".repeat(100_000))),
    ];
    let place = ns(["a b", "ü/x", "%"])?;
    for (key, value) in &values {
        put(&store, &place, key, value.clone()).await?;
        put(&store, &Namespace::root(), key, value.clone()).await?;
    }
    for (key, value) in values {
        same!(store.get(&place, key).await?.map(|item| item.value), Some(value.clone()));
        same!(store.get(&Namespace::root(), key).await?.map(|item| item.value), Some(value));
    }
    Ok(())
}

async fn what_cannot_be_kept_is_refused(store: Memory, _: Arc<SetClock>) -> CaseResult {
    let notes = ns(["notes"])?;
    let nested = |levels: usize| (0..levels).fold(json!(1), |value, _| json!([value]));
    put(&store, &notes, "k", nested(ITEM_LEVELS)).await?;
    let refused = put(&store, &notes, "k", nested(ITEM_LEVELS + 1)).await;
    same!(matches!(&refused, Err(StoreError::TooDeep { key }) if key == "k"), true);
    let expected = Expected::Absent;
    let options = PutOptions::default();
    let refused = store.put_if(&notes, "new", nested(200), options, &expected).await;
    same!(matches!(&refused, Err(StoreError::TooDeep { key }) if key == "new"), true);
    let refused = put(&store, &notes, "a\0b", json!(1)).await;
    same!(matches!(&refused, Err(StoreError::InvalidKey { .. })), true);
    let kept = store.get(&notes, "k").await?;
    same!(kept.map(|item| item.value), Some(nested(ITEM_LEVELS)));
    same!(store.query(&Query::below(notes)).await?.len(), 1);
    Ok(())
}

async fn a_put_with_an_expectation_refuses_a_second_writer(store: Memory, clock: Arc<SetClock>) -> CaseResult {
    let ada = ns(["users", "ada"])?;
    let revision = |n: u64| Expected::Holds(Condition::new("revision", Comparison::Eq, n));
    let put_if = async |n: u64, expected: &Expected| {
        store.put_if(&ada, "k", json!({ "revision": n }), PutOptions::default(), expected).await
    };
    same!(put_if(1, &revision(0)).await?, false);
    same!(put_if(1, &Expected::Absent).await?, true);
    same!(put_if(1, &Expected::Absent).await?, false);
    same!(put_if(2, &revision(1)).await?, true);
    same!(put_if(2, &revision(1)).await?, false);
    same!(store.get(&ada, "k").await?.map(|item| item.value), Some(json!({ "revision": 2 })));
    store.put(&ada, "k", json!({ "revision": 3 }), PutOptions::ttl(Duration::from_millis(10))).await?;
    clock.set(1_000);
    same!(put_if(4, &revision(3)).await?, false);
    same!(put_if(1, &Expected::Absent).await?, true);
    Ok(())
}

async fn one_of_many_puts_what_was_absent(store: Memory, _: Arc<SetClock>) -> CaseResult {
    let place = ns(["race"])?;
    let all: Vec<_> = (0..16)
        .map(|writer| {
            let (store, place) = (Arc::clone(&store), place.clone());
            tokio::spawn(async move {
                store.put_if(&place, "k", json!(writer), PutOptions::default(), &Expected::Absent).await
            })
        })
        .collect();
    let mut put = Vec::new();
    for (writer, answer) in all.into_iter().enumerate() {
        if answer.await.map_err(|error| CaseFailure::new(error.to_string()))?? {
            put.push(json!(writer));
        }
    }
    same!(put.len(), 1);
    same!(store.get(&place, "k").await?.map(|item| item.value), put.pop());
    Ok(())
}

async fn what_is_expired_is_not_there(store: Memory, clock: Arc<SetClock>) -> CaseResult {
    let a = ns(["a"])?;
    let for_a_second = PutOptions::ttl(Duration::from_secs(1));
    clock.set(5000);
    for key in ["kept", "swept", "renewed", "deleted"] {
        store.put(&a, key, json!(1), for_a_second).await?;
    }
    store.put(&ns(["b"])?, "far", json!(1), PutOptions::ttl(Duration::MAX)).await?;
    clock.set(5999);
    same!(store.get(&a, "swept").await?.and_then(|item| item.expires), Some(6000));
    put(&store, &a, "kept", json!(2)).await?;
    clock.set(6000);
    same!(store.get(&a, "swept").await?, None);
    same!(store.delete(&a, "deleted").await?, false);
    same!(keys(&store.query(&Query::default()).await?), ["a:kept", "b:far"]);
    store.put(&a, "renewed", json!(3), for_a_second).await?;
    let renewed = store.get(&a, "renewed").await?.map(|item| (item.created, item.expires));
    same!(renewed, Some((6000, Some(7000))));
    same!(store.sweep().await?, 1);
    clock.set(7000);
    same!(store.get(&a, "kept").await?.map(|item| item.created), Some(5000));
    same!(store.sweep().await?, 1);
    store.delete(&a, "kept").await?;
    same!(store.list_namespaces(&NamespaceFilter::default()).await?, [ns(["b"])?]);
    Ok(())
}

async fn people(store: &Memory) -> CaseResult {
    let people = [
        (ns(["users", "ada"])?, "age", json!({"years": 36, "city": {"name": "London"}})),
        (ns(["users", "ada", "notes"])?, "1", json!({"years": 12})),
        (ns(["users", "ben"])?, "age", json!({"years": 41.5, "city": {"name": "Lisbon"}})),
        (ns(["users extra"])?, "age", json!({"years": 99})),
        (ns(["users/ada"])?, "age", json!({"years": 98})),
        (ns(["users", "ada!"])?, "age", json!({"years": "old"})),
    ];
    for (namespace, key, value) in &people {
        put(store, namespace, key, value.clone()).await?;
    }
    Ok(())
}

async fn items_are_found_by_namespace(store: Memory, _: Arc<SetClock>) -> CaseResult {
    people(&store).await?;
    let cases: Vec<(Query, &[&str])> = vec![
        (Query::below(ns(["users", "ada"])?), &["users/ada:age", "users/ada/notes:1"]),
        (Query::below(ns(["users"])?), &["users/ada:age", "users/ada/notes:1", "users/ada!:age", "users/ben:age"]),
        (Query::below(ns(["user"])?), &[]),
        (Query::below(ns(["users/ada"])?), &["users/ada:age"]),
    ];
    for (query, expected) in cases {
        same!(keys(&store.query(&query).await?), expected);
    }
    same!(store.query(&Query::default()).await?.len(), 6);
    Ok(())
}

async fn items_are_found_by_value(store: Memory, _: Arc<SetClock>) -> CaseResult {
    people(&store).await?;
    let users = ns(["users"])?;
    let when = |conditions: Vec<Condition>| conditions.into_iter().fold(Query::below(users.clone()), Query::when);
    let years = |comparison, value: Value| Condition::new("years", comparison, value);
    let cases: Vec<(Query, &[&str])> = vec![
        (when(vec![years(Comparison::Gt, json!(36))]), &["users/ben:age"]),
        (when(vec![years(Comparison::Gte, json!(36))]), &["users/ada:age", "users/ben:age"]),
        (
            when(vec![years(Comparison::Lt, json!(40)), Condition::new("city.name", Comparison::Ne, Value::Null)]),
            &["users/ada:age"],
        ),
        (when(vec![Condition::new("city.name", Comparison::Eq, "Lisbon")]), &["users/ben:age"]),
        (when(vec![Condition::new("city.name", Comparison::Eq, "Paris")]), &[]),
    ];
    for (query, expected) in cases {
        same!(keys(&store.query(&query).await?), expected);
    }
    Ok(())
}

async fn queries_are_read_in_pages(store: Memory, _: Arc<SetClock>) -> CaseResult {
    people(&store).await?;
    let users = || ns(["users"]).map(Query::below);
    let adults = Condition::new("years", Comparison::Gte, json!(12));
    let cases: Vec<(Query, &[&str])> = vec![
        (users()?.limit(2).offset(1), &["users/ada/notes:1", "users/ada!:age"]),
        (users()?.when(adults.clone()).offset(1).limit(1), &["users/ada/notes:1"]),
        (users()?.when(adults).offset(2), &["users/ben:age"]),
        (users()?.limit(0), &[]),
        (users()?.offset(4), &[]),
    ];
    for (query, expected) in cases {
        same!(keys(&store.query(&query).await?), expected);
    }
    let place = ns(["many"])?;
    for number in 0..130 {
        put(&store, &place, &format!("{number:03}"), json!(number)).await?;
    }
    same!(store.query(&Query::below(place.clone())).await?.len(), 100);
    let rest = store.query(&Query::below(place).offset(100)).await?;
    same!((rest.len(), rest[0].key.as_str()), (30, "100"));
    Ok(())
}

async fn namespaces_with_items_are_listed(store: Memory, _: Arc<SetClock>) -> CaseResult {
    for namespace in [ns(["a", "x", "1"])?, ns(["a", "x", "2"])?, ns(["a", "y"])?, ns(["ab"])?, ns(["c"])?] {
        put(&store, &namespace, "k", json!(0)).await?;
    }
    let below = |prefix| NamespaceFilter::below(prefix);
    let cases = [
        (below(Namespace::root()).depth(1), vec![ns(["a"])?, ns(["ab"])?, ns(["c"])?]),
        (below(Namespace::root()).depth(1).limit(2), vec![ns(["a"])?, ns(["ab"])?]),
        (below(ns(["a"])?).depth(2), vec![ns(["a", "x"])?, ns(["a", "y"])?]),
        (below(ns(["a", "x"])?), vec![ns(["a", "x", "1"])?, ns(["a", "x", "2"])?]),
        (below(ns(["nothing"])?), vec![]),
    ];
    for (filter, expected) in cases {
        same!(store.list_namespaces(&filter).await?, expected);
    }
    Ok(())
}
