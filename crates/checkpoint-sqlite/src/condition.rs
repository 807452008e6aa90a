//! What SQLite itself decides of a condition, so that most items that do not match are never read.
//!
//! Every item that matches passes, and some that do not match pass as well: whoever reads them looks again. What is no JSON
//! passes, so that the reader can say which item that is.

use std::fmt::Write as _;

use graphloom_core_graph::store::{Comparison, Condition};
use rusqlite::types::Value as Bound;
use serde_json::Value;

/// The conditions of a statement and what is bound to them, after what is bound already.
pub(crate) fn narrowed(conditions: &[Condition], bound: &mut Vec<Bound>) -> String {
    let mut sql = String::new();
    for condition in conditions {
        let (Some(path), Some((operator, value))) = (path(&condition.path), compared(condition)) else { continue };
        bound.extend([Bound::Text(path), value]);
        let (path, value) = (bound.len() - 1, bound.len());
        // Writing to a text does not fail.
        let (known, holds) = ("json_valid(value)", format!("json_extract(value, ?{path}) {operator} ?{value}"));
        write!(sql, " AND (NOT {known} OR {holds})").unwrap_or_default();
    }
    sql
}

/// The place as SQLite names it. A digit may be a key or a position, which SQLite tells apart by the name and not by the value.
fn path(path: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ' ');
    let is_key = |step: &str| !step.is_empty() && step.chars().all(is_plain) && step.parse::<usize>().is_err();
    let steps = path.split('.').map(|step| is_key(step).then(|| format!(".\"{step}\"")));
    steps.collect::<Option<String>>().map(|steps| format!("${steps}"))
}

fn compared(condition: &Condition) -> Option<(&'static str, Bound)> {
    match (&condition.value, condition.comparison) {
        (Value::String(text), Comparison::Eq) if !text.contains('\0') => Some(("=", Bound::Text(text.clone()))),
        (Value::Bool(is), Comparison::Eq) => Some(("=", Bound::Integer(i64::from(*is)))),
        (Value::Number(number), comparison) => {
            let number = number.as_i64()?;
            // SQLite may read a fraction as its neighbour: one more and one less leave room for that.
            Some(match comparison {
                Comparison::Eq => ("=", Bound::Integer(number)),
                Comparison::Gt | Comparison::Gte => (">=", Bound::Integer(number.saturating_sub(1))),
                Comparison::Lt | Comparison::Lte => ("<=", Bound::Integer(number.saturating_add(1))),
                _ => return None,
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use graphloom_core_graph::store::{MemoryStore, Namespace, PutOptions, Query, Store};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::SqliteStore;

    #[test]
    fn what_sqlite_cannot_decide_is_left_to_the_reader() {
        let narrowed = |path: &str, comparison, value: Value| {
            let mut bound = vec![Bound::Null];
            (narrowed(&[Condition::new(path, comparison, value)], &mut bound), bound.split_off(1))
        };
        let decided = (
            " AND (NOT json_valid(value) OR json_extract(value, ?2) = ?3)".to_owned(),
            vec![Bound::Text("$.\"a\".\"b c\"".to_owned()), Bound::Text("x".to_owned())],
        );
        assert_eq!(narrowed("a.b c", Comparison::Eq, json!("x")), decided);
        for (path, comparison, value) in [
            ("a.0", Comparison::Eq, json!("x")),
            ("a\"b", Comparison::Eq, json!("x")),
            ("a.", Comparison::Eq, json!("x")),
            ("", Comparison::Eq, json!("x")),
            ("a", Comparison::Ne, json!("x")),
            ("a", Comparison::Eq, json!(null)),
            ("a", Comparison::Eq, json!(u64::MAX)),
            ("a", Comparison::Eq, json!(0.5)),
            ("a", Comparison::Eq, json!(["x"])),
        ] {
            assert_eq!(narrowed(path, comparison, value.clone()), (String::new(), vec![]), "{path} {value}");
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(Value::from),
            (-2_i64..3).prop_map(Value::from),
            prop_oneof![Just(i64::MAX), Just(i64::MIN)].prop_map(Value::from),
            Just(json!(u64::MAX)),
            (-4_i32..5).prop_map(|half| json!(f64::from(half) / 2.0)),
            "[ab1\"\\\\\0é]{0,2}".prop_map(Value::from),
            Just(json!([1])),
            Just(json!({"a": 1, "0": "x"})),
        ]
    }

    fn comparison() -> impl Strategy<Value = Comparison> {
        use Comparison::{Eq, Gt, Gte, Lt, Lte, Ne};
        prop_oneof![Just(Eq), Just(Ne), Just(Gt), Just(Gte), Just(Lt), Just(Lte)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_file_answers_what_memory_answers(
            values in prop::collection::vec(value(), 1..12),
            conditions in prop::collection::vec(("(v|v.a|v.0|w|é)", comparison(), value()), 1..3),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let (file, memory) = (SqliteStore::open(folder.path().join("a.db")).unwrap(), MemoryStore::new());
            let answers = tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
                for (at, value) in values.into_iter().enumerate() {
                    for store in [&file as &dyn Store, &memory] {
                        let (place, value) = (Namespace::root(), json!({"v": value, "é": 1}));
                        store.put(&place, &at.to_string(), value, PutOptions::default()).await.unwrap();
                    }
                }
                let query = conditions.into_iter().fold(Query::default(), |query, (path, comparison, value)| {
                    query.when(Condition::new(path, comparison, value))
                });
                let mut answers = Vec::new();
                for store in [&file as &dyn Store, &memory] {
                    let items = store.query(&query).await.unwrap();
                    answers.push(items.into_iter().map(|item| item.key).collect::<Vec<_>>());
                }
                answers
            });
            prop_assert_eq!(&answers[0], &answers[1]);
        }
    }
}
