//! Changes of a dynamic state.

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::state::StateError;
use crate::state::json::layout::{JsonLayout, Meant, REPLACE};
use crate::state::json::shape::kind_name;

/// A partial change of a [`JsonState`](crate::JsonState): what is not mentioned stays as it is.
///
/// Its keys are names of fields, whose values their reducers fold, and `replace_` with the name of a field that has a
/// reducer, which sets it as a whole. Keys and values are checked against the [`JsonLayout`](crate::JsonLayout) before
/// anything is folded: a field that there is not, or a value that does not fit, fails the node with the place in the
/// value.
///
/// ```
/// use graphloom_core_graph::JsonUpdate;
/// use serde_json::json;
///
/// let update = JsonUpdate::new().with("notes", json!(["first"])).with("score", 3);
/// assert_eq!(update, JsonUpdate::try_from(json!({"notes": ["first"], "score": 3}))?);
/// # Ok::<_, graphloom_core_graph::StateError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "an update changes nothing until a node returns it or a run takes it"]
pub struct JsonUpdate {
    pub(super) changes: Vec<(String, Value)>,
}

impl JsonUpdate {
    /// An update of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same update, and `value` for a field: the value itself for a last value, otherwise what its reducer folds.
    pub fn with(mut self, field: impl Into<String>, value: impl Into<Value>) -> Self {
        self.changes.push((field.into(), value.into()));
        self
    }

    /// The same update, setting a field as a whole.
    pub fn replace(self, field: &str, value: impl Into<Value>) -> Self {
        self.with(format!("{REPLACE}{field}"), value)
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Checks every key and value.
    pub(crate) fn check(&self, layout: &JsonLayout) -> Result<(), StateError> {
        for (key, value) in &self.changes {
            let Meant { field, op } = layout.meant(key).ok_or_else(|| layout.unknown(key))?;
            let refused = |message| StateError { field: key.clone(), action: "updated", message };
            layout.columns()[field].check(op, value).map_err(refused)?;
        }
        Ok(())
    }

    /// Its changes with what they mean; those that mean nothing are left out.
    pub(super) fn meant<'a>(&'a self, layout: &'a JsonLayout) -> impl Iterator<Item = (Meant, &'a Value)> {
        self.changes.iter().filter_map(|(key, value)| Some((layout.meant(key)?, value)))
    }
}

impl From<Map<String, Value>> for JsonUpdate {
    fn from(changes: Map<String, Value>) -> Self {
        Self { changes: changes.into_iter().collect() }
    }
}

/// An object, or a list of objects that are folded one after the other; `null` is no change.
impl TryFrom<Value> for JsonUpdate {
    type Error = StateError;

    fn try_from(value: Value) -> Result<Self, StateError> {
        match value {
            Value::Null => Ok(Self::new()),
            Value::Object(changes) => Ok(changes.into()),
            Value::Array(parts) => {
                let mut update = Self::new();
                for part in parts {
                    update.changes.append(&mut Self::try_from(part)?.changes);
                }
                Ok(update)
            }
            other => Err(StateError {
                field: "*".to_owned(),
                action: "updated",
                message: format!("an update is an object of fields, not {}", kind_name(&other)),
            }),
        }
    }
}

/// An object; a list of objects when a key occurs more than once.
impl Serialize for JsonUpdate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let repeats = |at: usize| self.changes[..at].iter().any(|(key, _)| *key == self.changes[at].0);
        if !(0..self.changes.len()).any(repeats) {
            return serializer.collect_map(self.changes.iter().map(|(key, value)| (key, value)));
        }
        let mut parts = serializer.serialize_seq(Some(self.changes.len()))?;
        for (key, value) in &self.changes {
            parts.serialize_element(&std::iter::once((key, value)).collect::<std::collections::BTreeMap<_, _>>())?;
        }
        parts.end()
    }
}
