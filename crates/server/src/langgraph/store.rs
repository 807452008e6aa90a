//! What nodes keep beyond threads: items in namespaces.
//!
//! The server's own records are below [`RESERVED`], which has a dot: a label of a client has none, so that no request names
//! it, and lists leave it out.

use axum::extract::State;
use axum::http::StatusCode;
use graphloom_core_graph::store::{
    Comparison, Condition, Expected, Item, Namespace, NamespaceFilter, PutOptions, Query as ItemQuery, Store,
    StoreError,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

use crate::host::Host;
use crate::http::{Json, Problem, Query, Routes};
use crate::records::{MAX_LIMIT, RESERVED, timestamp};

pub(super) fn routes() -> Routes<Host> {
    Routes::new("Store")
        .put("/store/items", "Puts an item", put)
        .answers_status(StatusCode::NO_CONTENT)
        .get("/store/items", "An item, or null", get)
        .delete("/store/items", "Deletes an item", delete)
        .answers_status(StatusCode::NO_CONTENT)
        .post("/store/items/search", "The items that match", search)
        .post("/store/namespaces", "The namespaces that match", namespaces)
}

/// A namespace of a client.
///
/// # Errors
/// 422 for a label that is empty, has a dot or a control character.
fn namespace(labels: &[String]) -> Result<Namespace, Problem> {
    if let Some(label) = labels.iter().find(|label| label.contains('.')) {
        let label = label.escape_debug();
        return Err(Problem::unprocessable(format!("`{label}` cannot be a label of a namespace: it contains a dot"))
            .about("namespace"));
    }
    Namespace::new(labels).map_err(|error| match error {
        StoreError::InvalidSegment { .. } => Problem::unprocessable(error.to_string()).about("namespace"),
        other => other.into(),
    })
}

fn non_empty(labels: &[String]) -> Result<Namespace, Problem> {
    if labels.is_empty() {
        return Err(Problem::unprocessable("`namespace` is empty; an item needs at least one label").about("namespace"));
    }
    namespace(labels)
}

/// How long an item is kept.
///
/// # Errors
/// 422 for a time that is not above 0.
fn options(minutes: Option<f64>) -> Result<PutOptions, Problem> {
    let Some(minutes) = minutes else { return Ok(PutOptions::default()) };
    let ttl = Duration::try_from_secs_f64(minutes * 60.0).ok().filter(|ttl| !ttl.is_zero());
    let ttl = ttl.ok_or_else(|| {
        Problem::unprocessable(format!("`ttl` is {minutes}, it must be minutes above 0")).about("ttl")
    })?;
    Ok(PutOptions::ttl(ttl))
}

/// The most bytes of a key, and of the labels of a namespace: an item is found by them in a query, and in an index of PostgreSQL.
const LONGEST_NAME: usize = 1_024;

#[derive(Deserialize, JsonSchema)]
struct Put {
    namespace: Vec<String>,
    key: String,
    value: Map<String, Value>,
    /// Minutes for which it is kept; for ever unless set.
    ttl: Option<f64>,
}

async fn put(State(host): State<Host>, Json(put): Json<Put>) -> Result<StatusCode, Problem> {
    let Put { namespace, key, value, ttl } = put;
    for (place, length) in [("key", key.len()), ("namespace", namespace.iter().map(String::len).sum())] {
        if length > LONGEST_NAME {
            let detail = format!("`{place}` has {length} bytes, and at most {LONGEST_NAME} are taken");
            return Err(Problem::unprocessable(detail).about(place));
        }
    }
    let (namespace, options) = (non_empty(&namespace)?, options(ttl)?);
    host.manager.stores().memory.put(&namespace, &key, value.into(), options).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, JsonSchema)]
struct GetQuery {
    /// The labels, with dots between them.
    namespace: String,
    key: String,
    /// Whether its time to live begins anew.
    #[serde(default)]
    refresh_ttl: bool,
}

async fn get(State(host): State<Host>, Query(query): Query<GetQuery>) -> Result<Json<Option<Value>>, Problem> {
    let labels: Vec<String> = query.namespace.split('.').map(str::to_owned).collect();
    let namespace = namespace(&labels)?;
    let store = &*host.manager.stores().memory;
    let Some(item) = store.get(&namespace, &query.key).await? else { return Ok(Json(None)) };
    if query.refresh_ttl {
        refresh(store, &item).await?;
    }
    Ok(Json(Some(wire(&item))))
}

/// Lets the time to live of an item begin anew, unless another writer changed the item meanwhile.
async fn refresh(store: &dyn Store, item: &Item) -> Result<(), Problem> {
    let Some(expires) = item.expires else { return Ok(()) };
    let options = PutOptions::ttl(Duration::from_millis(expires.saturating_sub(item.updated)));
    let same = Expected::Holds(Condition::new("", Comparison::Eq, item.value.clone()));
    store.put_if(&item.namespace, &item.key, item.value.clone(), options, &same).await?;
    Ok(())
}

#[derive(Deserialize, JsonSchema)]
struct Delete {
    namespace: Vec<String>,
    key: String,
}

async fn delete(State(host): State<Host>, Json(delete): Json<Delete>) -> Result<StatusCode, Problem> {
    let namespace = non_empty(&delete.namespace)?;
    host.manager.stores().memory.delete(&namespace, &delete.key).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The items that a client asks for.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct ItemSearch {
    /// The labels with which the namespace begins.
    namespace_prefix: Vec<String>,
    /// What the values hold: a value by its field, or comparisons such as `{"n": {"$gt": 1}}`.
    filter: Option<Map<String, Value>>,
    limit: Option<usize>,
    offset: Option<usize>,
    /// Without an index of meanings this orders nothing.
    query: Option<String>,
    /// Whether the time to live of what is found begins anew.
    refresh_ttl: Option<bool>,
}

async fn search(State(host): State<Host>, Json(search): Json<Option<ItemSearch>>) -> Result<Json<Value>, Problem> {
    let search = search.unwrap_or_default();
    let prefix = namespace(&search.namespace_prefix)?;
    let conditions = conditions(search.filter.unwrap_or_default())?;
    let (limit, offset) = (checked(search.limit, 10)?, search.offset.unwrap_or(0));
    let store = &*host.manager.stores().memory;
    let found = items(store, prefix, conditions, limit, offset).await?;
    if search.refresh_ttl == Some(true) {
        for item in &found {
            refresh(store, item).await?;
        }
    }
    let items = found.iter().map(|item| {
        let mut item = wire(item);
        item["score"] = Value::Null;
        item
    });
    Ok(Json(json!({ "items": items.collect::<Vec<_>>() })))
}

fn checked(limit: Option<usize>, default: usize) -> Result<usize, Problem> {
    let limit = limit.unwrap_or(default);
    if limit > MAX_LIMIT {
        return Err(
            Problem::unprocessable(format!("`limit` is {limit}, at most {MAX_LIMIT} are answered")).about("limit")
        );
    }
    Ok(limit)
}

/// The items below a namespace, without the server's own.
async fn items(
    store: &dyn Store,
    prefix: Namespace,
    conditions: Vec<Condition>,
    limit: usize,
    offset: usize,
) -> Result<Vec<Item>, StoreError> {
    let below = |prefix: Namespace| conditions.iter().cloned().fold(ItemQuery::below(prefix), ItemQuery::when);
    if !prefix.segments().is_empty() {
        return store.query(&below(prefix).limit(limit).offset(offset)).await;
    }
    let (mut found, end) = (Vec::new(), offset.saturating_add(limit));
    for top in store.list_namespaces(&NamespaceFilter::default().depth(1)).await? {
        if found.len() == end {
            break;
        }
        // An item that is in no namespace has no label to name it by.
        if !is_own(&top) && !top.segments().is_empty() {
            found.extend(store.query(&below(top).limit(end - found.len())).await?);
        }
    }
    Ok(found.into_iter().skip(offset).collect())
}

fn is_own(namespace: &Namespace) -> bool {
    namespace.segments().first().is_some_and(|label| label == RESERVED)
}

/// The conditions of a filter.
///
/// # Errors
/// 422 for an operator that is none.
fn conditions(filter: Map<String, Value>) -> Result<Vec<Condition>, Problem> {
    let mut conditions = Vec::new();
    for (field, wanted) in filter {
        match wanted {
            Value::Object(operators) if operators.keys().any(|key| key.starts_with('$')) => {
                for (operator, value) in operators {
                    let comparison = match operator.as_str() {
                        "$eq" => Comparison::Eq,
                        "$ne" => Comparison::Ne,
                        "$gt" => Comparison::Gt,
                        "$gte" => Comparison::Gte,
                        "$lt" => Comparison::Lt,
                        "$lte" => Comparison::Lte,
                        other => {
                            let other: String = other.chars().take(50).collect();
                            let detail = format!(
                                "`filter.{field}` has the operator `{other}`; operators: $eq, $ne, $gt, $gte, $lt, $lte"
                            );
                            return Err(Problem::unprocessable(detail).about("filter"));
                        }
                    };
                    conditions.push(Condition::new(field.clone(), comparison, value));
                }
            }
            value => conditions.push(Condition::new(field, Comparison::Eq, value)),
        }
    }
    Ok(conditions)
}

fn wire(item: &Item) -> Value {
    json!({
        "namespace": item.namespace.segments(),
        "key": item.key,
        "value": item.value,
        "created_at": timestamp(item.created),
        "updated_at": timestamp(item.updated),
    })
}

/// The namespaces that a client asks for.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct NamespaceSearch {
    /// The labels with which it begins; `*` is any label.
    prefix: Option<Vec<String>>,
    /// The labels with which it ends; `*` is any label.
    suffix: Option<Vec<String>>,
    /// Deeper ones are cut to so many labels.
    max_depth: Option<usize>,
    limit: Option<usize>,
    offset: Option<usize>,
}

async fn namespaces(
    State(host): State<Host>,
    Json(search): Json<Option<NamespaceSearch>>,
) -> Result<Json<Value>, Problem> {
    let NamespaceSearch { prefix, suffix, max_depth, limit, offset } = search.unwrap_or_default();
    let (prefix, suffix) = (prefix.unwrap_or_default(), suffix.unwrap_or_default());
    namespace(&suffix)?;
    // The store finds what is before the first star.
    let plain = prefix.iter().position(|label| label == "*").unwrap_or(prefix.len());
    namespace(&prefix)?;
    let filter = NamespaceFilter::below(namespace(&prefix[..plain])?);
    let limit = checked(limit, 100)?;
    let found = host.manager.stores().memory.list_namespaces(&filter).await?;
    let matching = found.into_iter().filter(|namespace| {
        let labels = namespace.segments();
        !is_own(namespace)
            && !labels.is_empty()
            && labels.len() >= prefix.len().max(suffix.len())
            && fit(&labels[..prefix.len()], &prefix)
            && fit(&labels[labels.len() - suffix.len()..], &suffix)
    });
    let cut: BTreeSet<Namespace> =
        matching.map(|namespace| max_depth.map_or(namespace.clone(), |depth| namespace.cut(depth))).collect();
    let page: Vec<&[String]> = cut.iter().skip(offset.unwrap_or(0)).take(limit).map(Namespace::segments).collect();
    Ok(Json(json!({ "namespaces": page })))
}

/// Whether labels are those that are wanted, of which `*` is any.
fn fit(labels: &[String], wanted: &[String]) -> bool {
    labels.iter().zip(wanted).all(|(label, wanted)| wanted == "*" || label == wanted)
}

#[cfg(test)]
mod tests {
    use graphloom_core_graph::store::MemoryStore;

    use super::*;

    #[tokio::test]
    async fn the_servers_own_items_are_in_no_list_and_pages_do_not_count_them() {
        let store = MemoryStore::new();
        let put = async |labels: &[&str], key: &str| {
            let namespace = Namespace::new(labels.iter().copied()).unwrap();
            store.put(&namespace, key, json!({}), PutOptions::default()).await.unwrap();
        };
        for key in ["1", "2"] {
            put(&["a"], key).await;
            put(&[RESERVED, "threads"], key).await;
            put(&["z", "deep"], key).await;
        }
        let found = async |limit, offset| {
            let items = items(&store, Namespace::root(), Vec::new(), limit, offset).await.unwrap();
            items.iter().map(|item| format!("{}:{}", item.namespace, item.key)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(found(10, 0).await, "a:1 a:2 z/deep:1 z/deep:2");
        assert_eq!(found(2, 1).await, "a:2 z/deep:1");
        assert_eq!(found(2, 3).await, "z/deep:2");
        assert!(namespace(&[RESERVED.to_owned()]).is_err());
    }

    #[test]
    fn filters_are_values_or_comparisons() {
        let conditions = |filter: Value| conditions(filter.as_object().unwrap().clone());
        let read = conditions(json!({"a": {"$gt": 1, "$lte": 3}, "b": {"c": 1}})).unwrap();
        let expected = [
            Condition::new("a", Comparison::Gt, 1),
            Condition::new("a", Comparison::Lte, 3),
            Condition::new("b", Comparison::Eq, json!({"c": 1})),
        ];
        assert_eq!(read, expected);
        let error = conditions(json!({"a": {"$in": [1]}})).unwrap_err();
        assert!(error.detail.starts_with("`filter.a` has the operator `$in`; operators: $eq"), "{error:?}");
    }

    #[test]
    fn a_time_to_live_is_in_minutes() {
        assert_eq!(options(Some(1.5)).unwrap(), PutOptions::ttl(Duration::from_secs(90)));
        assert_eq!(options(None).unwrap(), PutOptions::default());
        for bad in [0.0, -1.0, f64::NAN, f64::MAX] {
            assert!(options(Some(bad)).is_err(), "{bad}");
        }
    }
}
