//! A dynamic state itself.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::json_value::at;
use crate::state::json::field::JsonReducer;
use crate::state::json::layout::{JsonLayout, Meant};
use crate::state::json::update::JsonUpdate;
use crate::state::{Field, FieldChange, FieldKind, FieldSet, Log, Op, Shared, State, StateError, Stored, Table, codec};

/// A state whose fields are known only at run time: the fields of a [`JsonLayout`], each a JSON value.
///
/// It is stored as a derived state of the same fields is: a thread of one can be read and continued by the other, when
/// the keys of its tables are texts.
/// Snapshots are as cheap, for lists and objects with a reducer are [`Log`] and [`Table`] inside.
///
/// ```
/// use graphloom_core_graph::json::{JsonField, JsonLayout, JsonReducer, JsonState, JsonUpdate};
/// use graphloom_core_graph::{Node, NodeError, Outcome, START, Snapshot, StateGraph};
/// use serde_json::json;
///
/// async fn count(state: Snapshot<JsonState>) -> Result<JsonUpdate, NodeError> {
///     let words: Vec<String> = state.read("words")?;
///     Ok(JsonUpdate::new().with("letters", words.iter().map(String::len).sum::<usize>()))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// const COUNT: Node = Node::named("count");
/// let words = JsonField::new("words")
///     .reducer(JsonReducer::Append)
///     .schema(json!({"type": "array", "items": {"type": "string"}}));
/// let layout = JsonLayout::new([words, JsonField::new("letters")])?;
/// let mut graph = StateGraph::<JsonState>::with_layout("count", layout);
/// graph.add_node(COUNT, count);
/// graph.add_edge(START, COUNT);
/// let app = graph.compile()?;
///
/// let outcome = app.run_once(JsonUpdate::new().with("words", json!(["a", "state"]))).await?;
/// let Outcome::Done(state) = outcome else { unreachable!("nobody asks") };
/// assert_eq!(state.get("letters"), Some(json!(6)));
///
/// let refused = app.run_once(JsonUpdate::new().with("words", json!(["a", 7]))).await.unwrap_err();
/// assert_eq!(
///     refused.to_string(),
///     "field `words` cannot be updated: at `[1]`: expected string, found a number `7`",
/// );
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct JsonState {
    layout: JsonLayout,
    slots: Vec<Slot>,
}

/// The value of a field, cheap to share.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Slot {
    One(Shared<Value>),
    Log(Log<Value>),
    Table(Table<String, Value>),
}

impl Slot {
    /// The value of a field with a reducer. A value that is not what the reducer keeps is held as it is.
    pub(super) fn of(reducer: JsonReducer, value: Value) -> Self {
        match (reducer, value) {
            (JsonReducer::Append, Value::Array(entries)) => Self::Log(entries.into()),
            (JsonReducer::Merge, Value::Object(entries)) => Self::Table(entries.into_iter().collect()),
            (_, value) => Self::One(Shared::new(value)),
        }
    }

    fn value(&self) -> Cow<'_, Value> {
        match self {
            Self::One(value) => Cow::Borrowed(value),
            Self::Log(log) => Cow::Owned(log.iter().cloned().collect()),
            Self::Table(table) => {
                let entries: Map<_, _> = table.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
                Cow::Owned(Value::Object(entries))
            }
        }
    }

    /// The value at a path below the field; only the entry on the way is looked at.
    fn at(&self, path: &str) -> Option<Cow<'_, Value>> {
        if path.is_empty() {
            return Some(self.value());
        }
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        match self {
            Self::One(value) => at(value, path),
            Self::Log(log) => at(log.get(first.parse().ok()?)?, rest),
            Self::Table(table) => at(table.get(first)?, rest),
        }
        .map(Cow::Borrowed)
    }
}

impl Serialize for Slot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(value) => value.serialize(serializer),
            Self::Log(log) => log.serialize(serializer),
            Self::Table(table) => table.serialize(serializer),
        }
    }
}

impl JsonState {
    /// The layout.
    pub fn layout(&self) -> &JsonLayout {
        &self.layout
    }

    /// The value of a field; none when there is no such field.
    pub fn get(&self, field: &str) -> Option<Value> {
        Some(self.slots.get(self.layout.position(field)?)?.value().into_owned())
    }

    /// The value at a path: a field, then object keys and array positions, joined by dots: `plan.chapters.0`.
    pub fn at(&self, path: &str) -> Option<Cow<'_, Value>> {
        let (field, rest) = path.split_once('.').unwrap_or((path, ""));
        self.slots.get(self.layout.position(field)?)?.at(rest)
    }

    /// Compares the value at a path; a place that does not exist counts as `null`.
    pub(crate) fn compare<T>(&self, path: &str, compare: impl FnOnce(&Value) -> T) -> T {
        compare(&self.at(path).unwrap_or(Cow::Owned(Value::Null)))
    }

    /// Whether there is nothing at a path: no value, `null`, or an empty string, array or object.
    pub(crate) fn is_empty_at(&self, path: &str) -> bool {
        let slot = self.layout.position(path).and_then(|at| self.slots.get(at));
        match slot {
            Some(Slot::Log(log)) => log.is_empty(),
            Some(Slot::Table(table)) => table.is_empty(),
            _ => self.compare(path, |value| match value {
                Value::Null => true,
                Value::String(text) => text.is_empty(),
                Value::Array(items) => items.is_empty(),
                Value::Object(entries) => entries.is_empty(),
                Value::Bool(_) | Value::Number(_) => false,
            }),
        }
    }

    /// Reads a field as a `T`.
    ///
    /// # Errors
    /// No such field; a value that is not a `T`, with the place.
    pub fn read<T: DeserializeOwned>(&self, field: &str) -> Result<T, StateError> {
        let refused = |message| StateError { field: field.to_owned(), action: "read", message };
        let at = self.layout.position(field).ok_or_else(|| refused(self.layout.unknown(field).message))?;
        let value = self.slots.get(at).map_or(Cow::Owned(Value::Null), Slot::value);
        serde_path_to_error::deserialize(&*value)
            .map_err(|error| refused(format!("at `{}`: {}", error.path(), error.inner())))
    }

    /// The whole state as an object.
    pub fn to_value(&self) -> Value {
        let entries = self.layout.names().zip(&self.slots);
        Value::Object(entries.map(|(name, slot)| (name.to_owned(), slot.value().into_owned())).collect())
    }

    /// Takes on another layout: fields of its names keep their values.
    fn align(&mut self, layout: &JsonLayout) {
        if self.layout.is(layout) && self.slots.len() == layout.columns().len() {
            return;
        }
        let held = std::mem::replace(self, Self::initial(layout));
        for (name, slot) in held.layout.names().zip(held.slots) {
            if let Some(at) = layout.position(name) {
                self.slots[at] = Slot::of(layout.columns()[at].reducer, slot.value().into_owned());
            }
        }
    }
}

impl State for JsonState {
    type Update = JsonUpdate;
    type Layout = JsonLayout;

    fn initial(layout: &JsonLayout) -> Self {
        let slots = layout.columns().iter().map(|column| column.initial.clone()).collect();
        Self { layout: layout.clone(), slots }
    }

    fn schema(layout: &JsonLayout) -> Value {
        layout.schema()
    }

    fn fields(layout: &JsonLayout) -> &[Field] {
        layout.table()
    }

    fn check(layout: &JsonLayout, update: &JsonUpdate) -> Result<(), StateError> {
        update.check(layout)
    }

    fn written(layout: &JsonLayout, update: &JsonUpdate, fields: &mut FieldSet) {
        update.meant(layout).for_each(|(meant, _)| fields.insert(meant.field));
    }

    fn replaced(layout: &JsonLayout, update: &JsonUpdate, fields: &mut FieldSet) {
        let sets = update.meant(layout).filter(|(meant, _)| meant.op == Op::Set);
        let whole = |field: &usize| !matches!(layout.columns()[*field].reducer, JsonReducer::Last | JsonReducer::Any);
        sets.map(|(meant, _)| meant.field).filter(whole).for_each(|field| fields.insert(field));
    }

    fn apply(&mut self, layout: &JsonLayout, update: JsonUpdate, changed: &mut FieldSet) {
        self.align(layout);
        for (key, value) in update.changes {
            let Some(Meant { field, op }) = layout.meant(&key) else { continue };
            layout.columns()[field].apply(&mut self.slots[field], op, value);
            changed.insert(field);
        }
    }

    fn add_encoded(layout: &JsonLayout, update: &JsonUpdate, changes: &mut Vec<FieldChange>) -> Result<(), StateError> {
        update.check(layout)?;
        for (Meant { field, op }, value) in update.meant(layout) {
            let Field { name, stored, .. } = &layout.table()[field];
            if *stored == Stored::Never {
                continue;
            }
            let reducer = layout.columns()[field].reducer;
            let bytes = match (reducer, value) {
                // As the update of a derived state is written: pairs for a `Table`, a list of changes for a function.
                (JsonReducer::Merge, Value::Object(entries)) if op == Op::Fold => {
                    codec::encode_in_place(name, &entries.iter().collect::<Vec<_>>())?
                }
                (JsonReducer::Max | JsonReducer::Min, value) if op == Op::Fold => {
                    codec::encode_in_place(name, &[value])?
                }
                (_, value) => codec::encode_in_place(name, value)?,
            };
            changes.push(FieldChange { field: u32::try_from(field).unwrap_or(u32::MAX), op, bytes });
        }
        Ok(())
    }

    fn decode_update(layout: &JsonLayout, changes: &[FieldChange]) -> Result<JsonUpdate, StateError> {
        let mut update = JsonUpdate::new();
        for change in changes {
            let at = change.field as usize;
            let (Some(field), Some(column)) = (layout.table().get(at), layout.columns().get(at)) else { continue };
            let name = field.name.as_ref();
            let values: Vec<Value> = match (column.reducer, change.op) {
                (JsonReducer::Merge, Op::Fold) => {
                    let entries: Vec<(String, Value)> = codec::decode(name, &change.bytes)?;
                    vec![Value::Object(entries.into_iter().collect())]
                }
                (JsonReducer::Max | JsonReducer::Min, Op::Fold) => codec::decode(name, &change.bytes)?,
                _ => vec![codec::decode(name, &change.bytes)?],
            };
            let replaced = change.op == Op::Set && field.kind == FieldKind::Reducer;
            for value in values {
                // What was stored fitted the schema of its time.
                let refused = |message| StateError { field: name.to_owned(), action: "decoded", message };
                column.check_reducer(change.op, &value).map_err(refused)?;
                update = if replaced { update.replace(name, value) } else { update.with(name, value) };
            }
        }
        Ok(update)
    }

    fn save(&self, layout: &JsonLayout, field: usize) -> Result<Vec<u8>, StateError> {
        let name = layout.table().get(field).map_or("", |field| field.name.as_ref());
        self.slots.get(field).map_or_else(|| codec::encode(name, &()), |slot| codec::encode(name, slot))
    }

    fn load(&mut self, layout: &JsonLayout, field: usize, bytes: &[u8]) -> Result<(), StateError> {
        self.align(layout);
        let (Some(known), Some(slot)) = (layout.table().get(field), self.slots.get_mut(field)) else { return Ok(()) };
        let name = known.name.as_ref();
        *slot = match layout.columns()[field].reducer {
            JsonReducer::Append => Slot::Log(codec::decode(name, bytes)?),
            JsonReducer::Merge => Slot::Table(codec::decode(name, bytes)?),
            _ => Slot::One(codec::decode(name, bytes)?),
        };
        Ok(())
    }

    fn reset(&mut self, layout: &JsonLayout, field: usize) {
        self.align(layout);
        if let (Some(column), Some(slot)) = (layout.columns().get(field), self.slots.get_mut(field)) {
            *slot = column.initial.clone();
        }
    }
}

/// Two states are equal when they hold the same values under the same names.
impl PartialEq for JsonState {
    fn eq(&self, other: &Self) -> bool {
        self.layout.names().eq(other.layout.names()) && self.slots == other.slots
    }
}

impl Serialize for JsonState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tracked = self.layout.table().iter().zip(&self.slots).filter(|(field, _)| field.stored != Stored::Never);
        serializer.collect_map(tracked.map(|(field, slot)| (&field.name, slot)))
    }
}

/// An object is read as a state of last values; a graph gives it its own layout when it first touches it.
impl<'de> Deserialize<'de> for JsonState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entries = Map::<String, Value>::deserialize(deserializer)?;
        let layout = JsonLayout::of_names(entries.keys().cloned());
        let slots = entries.into_values().map(|value| Slot::of(JsonReducer::Last, value)).collect();
        Ok(Self { layout, slots })
    }
}

impl JsonSchema for JsonState {
    fn schema_name() -> Cow<'static, str> {
        "JsonState".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "object"})
    }
}

impl fmt::Debug for JsonState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.layout.names().zip(&self.slots)).finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::state::JsonField;

    fn layout() -> JsonLayout {
        let field = |name: &str, reducer| JsonField::new(name).reducer(reducer);
        JsonLayout::new([
            field("last", JsonReducer::Last),
            field("any", JsonReducer::Any),
            field("log", JsonReducer::Append),
            field("table", JsonReducer::Merge),
            field("sum", JsonReducer::Add),
            field("max", JsonReducer::Max),
            field("min", JsonReducer::Min),
        ])
        .unwrap()
    }

    fn leaf() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (-1e9..1e9f64).prop_map(Value::from),
            "[a-c]{0,3}".prop_map(Value::from),
            Just(json!({"deep": [1, {"k": null}]})),
        ]
    }

    fn change() -> impl Strategy<Value = (String, Value)> {
        let list = prop::collection::vec(leaf(), 0..4).prop_map(Value::from);
        let object = prop::collection::btree_map("[a-d]", leaf(), 0..4)
            .prop_map(|entries| Value::Object(entries.into_iter().collect()));
        let number = prop_oneof![any::<i64>().prop_map(Value::from), (-9..9i64).prop_map(Value::from)];
        let named = |name: &'static str| prop_oneof![Just(name.to_owned()), Just(format!("replace_{name}"))];
        prop_oneof![
            (Just("last".to_owned()), leaf()),
            (named("any"), leaf()),
            (named("log"), list),
            (named("table"), object),
            (named("sum"), number.clone()),
            (named("max"), number),
            (named("min"), "[a-c]{0,2}".prop_map(Value::from)),
        ]
    }

    proptest! {
        #[test]
        fn what_is_stored_folds_as_what_was_written(updates in prop::collection::vec(prop::collection::vec(change(), 0..4), 0..6)) {
            let layout = layout();
            let (mut direct, mut stored) = (JsonState::initial(&layout), JsonState::initial(&layout));
            for changes in updates {
                let update = JsonUpdate { changes };
                prop_assert!(update.check(&layout).is_ok());
                let encoded = JsonState::encode_update(&layout, &update).unwrap();
                let mut changed = [FieldSet::default(), FieldSet::default()];
                stored.apply(&layout, JsonState::decode_update(&layout, &encoded).unwrap(), &mut changed[0]);
                // An update is also read back from its JSON.
                let again = JsonUpdate::try_from(serde_json::to_value(&update).unwrap()).unwrap();
                direct.apply(&layout, again, &mut changed[1]);
                prop_assert_eq!(&changed[0], &changed[1]);
            }
            prop_assert_eq!(&stored, &direct);
            let mut loaded = JsonState::initial(&layout);
            for at in 0..layout.fields().len() {
                loaded.load(&layout, at, &direct.save(&layout, at).unwrap()).unwrap();
            }
            prop_assert_eq!(&loaded, &direct);
            let mut read: JsonState = serde_json::from_value(direct.to_value()).unwrap();
            read.align(&layout);
            prop_assert_eq!(&read, &direct);
        }
    }
}
