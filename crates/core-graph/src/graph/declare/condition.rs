//! The conditions of a described graph.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json_value::{equal, order};
use crate::state::JsonState;

/// A condition on a state.
///
/// A comparison is of the value at a path (a field, then object keys and array positions, joined by dots) with a
/// constant: `{"gte": ["review.score", 7]}`. A place that does not exist counts as `null`. Numbers compare by value
/// (`1` equals `1.0`); greater and less hold only between two numbers or two strings. The form is closed: there is no
/// arithmetic and no comparison of two places. What needs more is a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum When {
    /// The value is this one.
    Eq(String, Value),
    /// It is another one.
    Ne(String, Value),
    /// It is greater.
    Gt(String, Value),
    /// It is greater or equal.
    Gte(String, Value),
    /// It is less.
    Lt(String, Value),
    /// It is less or equal.
    Lte(String, Value),
    /// It is one of these.
    In(String, Vec<Value>),
    /// There is nothing but `null`, an empty string, an empty array or an empty object.
    Empty(String),
    /// All of these hold.
    All(Vec<When>),
    /// One of these holds.
    Any(Vec<When>),
    /// This does not hold.
    Not(Box<When>),
}

impl When {
    /// Whether the condition holds.
    pub fn holds(&self, state: &JsonState) -> bool {
        let equals = |path: &String, value| state.compare(path, |found| equal(found, value));
        let order = |path: &String, value| state.compare(path, |found| order(found, value));
        match self {
            Self::Eq(path, value) => equals(path, value),
            Self::Ne(path, value) => !equals(path, value),
            Self::Gt(path, value) => order(path, value) == Some(Ordering::Greater),
            Self::Gte(path, value) => matches!(order(path, value), Some(Ordering::Greater | Ordering::Equal)),
            Self::Lt(path, value) => order(path, value) == Some(Ordering::Less),
            Self::Lte(path, value) => matches!(order(path, value), Some(Ordering::Less | Ordering::Equal)),
            Self::In(path, values) => values.iter().any(|value| equals(path, value)),
            Self::Empty(path) => state.is_empty_at(path),
            Self::All(conditions) => conditions.iter().all(|condition| condition.holds(state)),
            Self::Any(conditions) => conditions.iter().any(|condition| condition.holds(state)),
            Self::Not(condition) => !condition.holds(state),
        }
    }

    /// Calls `visit` with every path.
    pub(super) fn paths(&self, visit: &mut impl FnMut(&str)) {
        match self {
            Self::Eq(path, _)
            | Self::Ne(path, _)
            | Self::Gt(path, _)
            | Self::Gte(path, _)
            | Self::Lt(path, _)
            | Self::Lte(path, _)
            | Self::In(path, _)
            | Self::Empty(path) => visit(path),
            Self::All(conditions) | Self::Any(conditions) => {
                conditions.iter().for_each(|condition| condition.paths(visit));
            }
            Self::Not(condition) => condition.paths(visit),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::state::{JsonField, JsonLayout, JsonReducer, JsonUpdate, State};

    #[test]
    fn conditions() {
        let layout = JsonLayout::new([
            JsonField::new("plan"),
            JsonField::new("notes").reducer(JsonReducer::Append),
            JsonField::new("parts").reducer(JsonReducer::Merge),
            JsonField::new("score"),
        ])
        .unwrap();
        let mut state = JsonState::initial(&layout);
        let update =
            json!({"plan": {"title": "x", "chapters": [{"pages": 3}]}, "parts": {"a": {"n": 1}}, "score": 2.0});
        state.apply(&layout, JsonUpdate::try_from(update).unwrap(), &mut Default::default());
        let cases = [
            (json!({"eq": ["score", 2]}), true),
            (json!({"ne": ["score", 2]}), false),
            (json!({"gt": ["plan.chapters.0.pages", 2]}), true),
            (json!({"gte": ["plan.title", "x"]}), true),
            (json!({"lt": ["plan.title", 7]}), false),
            (json!({"lte": ["parts.a.n", 1]}), true),
            (json!({"eq": ["parts.b.n", null]}), true),
            (json!({"gt": ["parts.b.n", 0]}), false),
            (json!({"in": ["plan.title", ["y", "x"]]}), true),
            (json!({"in": ["plan.title", []]}), false),
            (json!({"empty": "notes"}), true),
            (json!({"empty": "parts"}), false),
            (json!({"empty": "plan.nothing"}), true),
            (json!({"empty": "score"}), false),
            (json!({"eq": ["notes", []]}), true),
            (json!({"eq": ["parts", {"a": {"n": 1.0}}]}), true),
            (json!({"all": [{"eq": ["score", 2]}, {"not": {"empty": "plan"}}]}), true),
            (json!({"any": [{"eq": ["score", 3]}, {"empty": "plan"}]}), false),
            (json!({"all": []}), true),
            (json!({"any": []}), false),
        ];
        for (condition, expected) in cases {
            let when: When = serde_json::from_value(condition.clone()).unwrap();
            assert_eq!(when.holds(&state), expected, "{condition}");
            assert_eq!(serde_json::to_value(&when).unwrap(), condition, "it is written as it is read");
        }
    }
}
