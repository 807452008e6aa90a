//! What updates do to a field.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use crate::json_value::order;
use crate::state::json::field::JsonReducer;
use crate::state::json::layout::Column;
use crate::state::json::shape::kind_name;
use crate::state::json::value::Slot;
use crate::state::{Op, Shared};

impl Column {
    /// Whether an update may hold this value.
    ///
    /// # Errors
    /// Where it does not fit, and what was expected.
    pub(super) fn check(&self, op: Op, value: &Value) -> Result<(), String> {
        if let Some(shape) = &self.shape {
            shape.check(value)?;
        }
        self.check_reducer(op, value)
    }

    /// Whether the reducer can take this value, whatever the schema says.
    ///
    /// # Errors
    /// What was expected.
    pub(super) fn check_reducer(&self, op: Op, value: &Value) -> Result<(), String> {
        let folds = op == Op::Fold;
        let expected = match self.reducer {
            JsonReducer::Append if !value.is_array() => "an array of entries",
            JsonReducer::Merge if !value.is_object() => "an object of entries",
            JsonReducer::Add if !value.is_number() => "a number",
            JsonReducer::Max | JsonReducer::Min if folds && !(value.is_number() || value.is_string()) => {
                "a number or a string"
            }
            _ => return Ok(()),
        };
        Err(format!("expected {expected}, found {}", kind_name(value)))
    }

    /// Folds a value that was [checked](Self::check) into the field.
    pub(super) fn apply(&self, slot: &mut Slot, op: Op, value: Value) {
        match (op, &mut *slot, value) {
            (Op::Fold, Slot::Log(log), Value::Array(entries)) => log.extend(entries),
            (Op::Fold, Slot::Table(table), Value::Object(entries)) => table.extend(entries),
            (Op::Fold, Slot::One(held), value) => {
                let folded = match self.reducer {
                    JsonReducer::Add => sum(held, &value),
                    JsonReducer::Max if order(&value, held) == Some(Ordering::Less) => return,
                    JsonReducer::Min if order(&value, held) == Some(Ordering::Greater) => return,
                    _ => value,
                };
                *held = Shared::new(folded);
            }
            (_, _, value) => *slot = Slot::of(self.reducer, value),
        }
    }
}

/// The sum of two numbers. One of two integers is an integer, and stops at the limits of 64 bits.
fn sum(one: &Value, other: &Value) -> Value {
    let whole = |value: &Value| value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
    if let (Some(one), Some(other)) = (whole(one), whole(other)) {
        let sum = one + other;
        return match (i64::try_from(sum), u64::try_from(sum)) {
            (Ok(sum), _) => sum.into(),
            (_, Ok(sum)) => sum.into(),
            _ if sum < 0 => i64::MIN.into(),
            _ => u64::MAX.into(),
        };
    }
    let (one, other) = (one.as_f64().unwrap_or_default(), other.as_f64().unwrap_or_default());
    let sum = (one + other).clamp(f64::MIN, f64::MAX);
    Number::from_f64(sum).map_or(Value::Null, Value::Number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sums() {
        let cases = [
            (json!(1), json!(2), json!(3)),
            (json!(1), json!(-2), json!(-1)),
            (json!(u64::MAX), json!(1), json!(u64::MAX)),
            (json!(i64::MIN), json!(-1), json!(i64::MIN)),
            (json!(i64::MAX), json!(1), json!(i64::MAX as u64 + 1)),
            (json!(1), json!(0.5), json!(1.5)),
            (json!(f64::MAX), json!(f64::MAX), json!(f64::MAX)),
        ];
        for (one, other, expected) in cases {
            assert_eq!(sum(&one, &other), expected, "{one} + {other}");
        }
    }
}
