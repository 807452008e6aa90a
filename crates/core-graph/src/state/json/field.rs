//! One field of a dynamic state, as it is declared.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How the updates of a field fold. What [`append`](crate::State) and its kin are to a typed state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum JsonReducer {
    /// The last value stays; two writers in one super-step are an error.
    #[default]
    Last,
    /// The last value in commit order stays, however many write it.
    Any,
    /// A list; an update holds a list of more entries.
    Append,
    /// An object; an update holds an object of entries that are inserted or replace those of their keys.
    Merge,
    /// A number; an update holds the difference. Integers stop at their limits.
    Add,
    /// The greatest number or text; what does not compare with the value so far replaces it.
    Max,
    /// The least number or text, likewise.
    Min,
}

/// One field of a [`JsonLayout`](crate::json::JsonLayout).
///
/// ```
/// use graphloom_core_graph::json::{JsonField, JsonReducer};
/// use serde_json::json;
///
/// let notes: JsonField = serde_json::from_value(json!({
///     "name": "notes",
///     "reducer": "append",
///     "schema": {"type": "array", "items": {"type": "string"}},
/// }))?;
/// assert_eq!(notes, JsonField::new("notes").reducer(JsonReducer::Append).schema(json!({
///     "type": "array", "items": {"type": "string"},
/// })));
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct JsonField {
    /// The field's name, unique in its state.
    pub name: String,
    /// How its updates fold.
    #[serde(default)]
    pub reducer: JsonReducer,
    /// What an update of the field may hold, as a JSON schema of these keywords: `type`, `enum`, `const`, `properties`,
    /// `required`, `additionalProperties`, `items`, `minimum`, `maximum`. Annotations such as `title` are read over;
    /// any other keyword is a mistake, for it would not be checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// The value before the first update. Unless stated: an empty list for `append`, an empty object for `merge`, 0
    /// for `add`, `null` for all others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial: Option<Value>,
    /// Whether the value is visible for one super-step only. Barrier mode only.
    #[serde(default)]
    pub ephemeral: bool,
    /// Whether the value stays in memory: it is never stored, and is `initial` again after a resume.
    #[serde(default)]
    pub untracked: bool,
}

/// A field that no layout can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the state field `{}` is not usable: {reason}", field.escape_debug())]
pub struct FieldError {
    /// The field.
    pub field: String,
    /// What is wrong, where, and what to do.
    pub reason: String,
}

impl JsonField {
    /// A last value of any kind, `null` at first.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The same field with another reducer.
    #[must_use]
    pub fn reducer(mut self, reducer: JsonReducer) -> Self {
        self.reducer = reducer;
        self
    }

    /// The same field whose updates are checked.
    #[must_use]
    pub fn schema(mut self, schema: Value) -> Self {
        self.schema = Some(schema);
        self
    }

    /// The same field with another initial value.
    #[must_use]
    pub fn initial(mut self, initial: impl Into<Value>) -> Self {
        self.initial = Some(initial.into());
        self
    }

    /// The same field, visible for one super-step only.
    #[must_use]
    pub fn ephemeral(mut self) -> Self {
        self.ephemeral = true;
        self
    }

    /// The same field, never stored.
    #[must_use]
    pub fn untracked(mut self) -> Self {
        self.untracked = true;
        self
    }
}
