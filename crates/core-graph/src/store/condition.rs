//! What a query asks of a value.

use std::cmp::Ordering;

use serde_json::Value;

use crate::json_value::{at, equal, order};

/// A comparison of one place of an item's value.
///
/// The path names object keys and array positions, joined by dots: `address.city`, `tags.0`; the empty path is the
/// whole value. A place that does not exist counts as `null`. Numbers compare by value (`1` equals `1.0`); greater and
/// less hold only between two numbers or two strings.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Condition {
    /// The place.
    pub path: String,
    /// How to compare.
    pub comparison: Comparison,
    /// With what.
    pub value: Value,
}

/// How a [`Condition`] compares the stored value with its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Comparison {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Greater.
    Gt,
    /// Greater or equal.
    Gte,
    /// Less.
    Lt,
    /// Less or equal.
    Lte,
}

impl Condition {
    /// A condition on the value at a path.
    pub fn new(path: impl Into<String>, comparison: Comparison, value: impl Into<Value>) -> Self {
        Self { path: path.into(), comparison, value: value.into() }
    }

    /// Whether an item's value satisfies the condition.
    pub fn holds(&self, value: &Value) -> bool {
        let found = at(value, &self.path).unwrap_or(&Value::Null);
        let order = || order(found, &self.value);
        match self.comparison {
            Comparison::Eq => equal(found, &self.value),
            Comparison::Ne => !equal(found, &self.value),
            Comparison::Gt => order() == Some(Ordering::Greater),
            Comparison::Gte => matches!(order(), Some(Ordering::Greater | Ordering::Equal)),
            Comparison::Lt => order() == Some(Ordering::Less),
            Comparison::Lte => matches!(order(), Some(Ordering::Less | Ordering::Equal)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn comparisons() {
        let value = json!({"age": 30, "name": "Ada", "tags": ["x", {"deep": 1.5}], "big": u64::MAX, "none": null});
        let cases = [
            ("age", Comparison::Eq, json!(30.0), true),
            ("age", Comparison::Ne, json!(30), false),
            ("age", Comparison::Gt, json!(29.5), true),
            ("age", Comparison::Lt, json!("40"), false),
            ("age", Comparison::Ne, json!("30"), true),
            ("name", Comparison::Gte, json!("Ada"), true),
            ("name", Comparison::Lte, json!("A"), false),
            ("tags.1.deep", Comparison::Lte, json!(1.5), true),
            ("tags", Comparison::Eq, json!(["x", {"deep": 1.5}]), true),
            ("tags.7", Comparison::Eq, json!(null), true),
            ("missing", Comparison::Ne, json!(1), true),
            ("missing", Comparison::Lt, json!(1), false),
            ("none", Comparison::Eq, json!(null), true),
            ("big", Comparison::Gt, json!(u64::MAX - 1), true),
            ("", Comparison::Ne, json!(1), true),
        ];
        for (path, comparison, other, expected) in cases {
            let condition = Condition::new(path, comparison, other);
            assert_eq!(condition.holds(&value), expected, "{condition:?}");
        }
    }
}
