//! Typed state: the trait, its fields and updates, and the persistent types that make snapshots cheap.

#[doc(hidden)]
pub mod checks;
mod field;
mod from_json;
pub(crate) mod json;
#[doc(hidden)]
pub mod keep;
mod log;
mod reading;
mod shared;
mod snapshot;
mod table;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error_text::debug_is_text;

pub use field::{Field, FieldChange, FieldKind, FieldSet, JsonForm, Op, Stored};
pub(crate) use from_json::changes_of;
pub use json::{FieldError, JsonField, JsonLayout, JsonReducer, JsonState, JsonUpdate, LayoutErrors};
pub use log::Log;
pub(crate) use reading::{ReadFields, ReadState};
pub use shared::Shared;
pub use snapshot::Snapshot;
pub use table::Table;

/// The state of a graph: a struct whose fields are folded by their reducers.
///
/// Derive it with `#[derive(State)]`. The derive also makes the update type (`DraftUpdate` for `Draft`), whose fields
/// are all optional, and `Draft::update()`, which starts one.
///
/// A field is written by at most one task of a super-step unless it has a reducer:
///
/// | attribute | field type | an update holds | folds by |
/// | --- | --- | --- | --- |
/// | none | any, but a [`Log`] and a [`Table`] | the new value | taking it; two writers are an error |
/// | `append` | [`Log<T>`] | more entries | appending |
/// | `merge` | [`Table<K, V>`] | entries by key | inserting or replacing per key |
/// | `add` | a number | the difference | adding |
/// | `max`, `min` | any that compares | a value | keeping the greatest or the least; an `Option<T>` is filled by the first `T` |
/// | `any` | any | the new value | taking it, whoever writes it: the last in commit order stays |
/// | `reduce_with = f` | `T` | values of `T`, or of `update = U` | `f(&mut T, U)` |
///
/// `replace_*` methods of the update set a reducer field as a whole: what was committed before is dropped, what commits
/// after it in the same super-step folds onto it, and a second replacement in one super-step is an error.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a graph state",
    label = "not a state",
    note = "put `#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]` on the struct"
)]
pub trait State: Clone + Send + Sync + Serialize + DeserializeOwned + JsonSchema + 'static {
    /// A partial change of the state.
    type Update: Clone + Default + Send + Sync + Serialize + 'static;
    /// What is known of the fields only at run time: `()` for derived states.
    type Layout: Clone + Send + Sync + 'static;

    /// The state before the first input.
    fn initial(layout: &Self::Layout) -> Self;

    /// The fields, in a fixed order. Their places are the indices that the other methods take.
    fn fields(layout: &Self::Layout) -> &[Field];

    /// The JSON schema of the state: an object of its fields.
    fn schema(layout: &Self::Layout) -> serde_json::Value {
        let _ = layout;
        schemars::schema_for!(Self).to_value()
    }

    /// Refuses an update that a type does not: one that names no field, or whose value does not fit. It is asked before
    /// every [`apply`](Self::apply). Derived states have nothing to refuse.
    ///
    /// # Errors
    /// The field, the place in its value, and why.
    fn check(layout: &Self::Layout, update: &Self::Update) -> Result<(), StateError> {
        let _ = (layout, update);
        Ok(())
    }

    /// Marks the fields that `update` writes.
    fn written(layout: &Self::Layout, update: &Self::Update, fields: &mut FieldSet);

    /// Marks the fields with a reducer that `update` sets as a whole. One task of a super-step may replace a field:
    /// of two replacements one would be lost.
    fn replaced(layout: &Self::Layout, update: &Self::Update, fields: &mut FieldSet) {
        let _ = (layout, update, fields);
    }

    /// Folds `update` into the state and marks the fields that changed.
    fn apply(&mut self, layout: &Self::Layout, update: Self::Update, changed: &mut FieldSet);

    /// Adds `update` in encoded form to `changes`, a change per written field; untracked fields are left out.
    fn add_encoded(
        layout: &Self::Layout,
        update: &Self::Update,
        changes: &mut Vec<FieldChange>,
    ) -> Result<(), StateError>;

    /// The changes that [`State::add_encoded`] adds.
    fn encode_update(layout: &Self::Layout, update: &Self::Update) -> Result<Vec<FieldChange>, StateError> {
        let mut changes = Vec::new();
        Self::add_encoded(layout, update, &mut changes)?;
        Ok(changes)
    }

    /// Reads what [`State::encode_update`] wrote. Several changes of one field add up in order.
    fn decode_update(layout: &Self::Layout, changes: &[FieldChange]) -> Result<Self::Update, StateError>;

    /// Encodes the whole value of a field.
    fn save(&self, layout: &Self::Layout, field: usize) -> Result<Vec<u8>, StateError>;

    /// Replaces a field by an encoded value.
    fn load(&mut self, layout: &Self::Layout, field: usize, bytes: &[u8]) -> Result<(), StateError>;

    /// Sets a field to its initial value.
    fn reset(&mut self, layout: &Self::Layout, field: usize);
}

/// A state of any type, where its type does not matter.
pub(crate) type AnyState = std::sync::Arc<dyn std::any::Any + Send + Sync>;

/// A field's value could not be read, encoded, decoded or updated.
#[derive(thiserror::Error)]
#[error("field `{field}` cannot be {action}: {message}")]
pub struct StateError {
    /// The field.
    pub field: String,
    /// `read`, `encoded`, `decoded` or `updated`.
    pub action: &'static str,
    /// Where, and why.
    pub message: String,
}

debug_is_text!(StateError);

/// The codec of fields, inputs and records: MessagePack with field names. Used by the derive; not for direct use.
pub mod codec {
    use std::cell::Cell;

    use serde::Serialize;
    use serde::de::DeserializeOwned;

    use super::StateError;
    use crate::bytes::RecordBytes;
    use crate::depth;

    /// Encodes a value of a program.
    ///
    /// # Errors
    /// It cannot be encoded, or is nested too deeply to be read again.
    pub fn encode<T: Serialize + ?Sized>(field: &str, value: &T) -> Result<Vec<u8>, StateError> {
        let bytes = encode_row(field, value)?;
        check(field, &bytes)?;
        Ok(bytes)
    }

    /// Encodes a row of the runtime's own, with values that were checked when they were given.
    pub(crate) fn encode_row<T: Serialize + ?Sized>(name: &str, row: &T) -> Result<Vec<u8>, StateError> {
        rmp_serde::to_vec_named(row).map_err(|error| unencoded(name, error.to_string()))
    }

    /// Encodes a value of a program for a change, a record or an input; a small one stays in place.
    ///
    /// # Errors
    /// As [`encode`].
    pub fn encode_in_place<T: Serialize + ?Sized>(field: &str, value: &T) -> Result<RecordBytes, StateError> {
        encode_in_room(field, value, |bytes| check(field, bytes).map(|()| bytes.into()))?
    }

    fn check(field: &str, bytes: &[u8]) -> Result<(), StateError> {
        if depth::may_be_stored(bytes) { Ok(()) } else { Err(unencoded(field, depth::too_deep())) }
    }

    fn unencoded(field: &str, message: String) -> StateError {
        StateError { field: field.to_owned(), action: "encoded", message }
    }

    thread_local! {
        /// Where values are encoded that are copied from there.
        static ROOM: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    }

    /// A larger room is given back after each use.
    const ROOM_BYTES: usize = 64 * 1024;

    /// Encodes a value in the thread's room. A value whose serialisation encodes others finds the room taken, and gets
    /// another.
    fn encode_in_room<T: Serialize + ?Sized, B>(
        field: &str,
        value: &T,
        take: impl FnOnce(&[u8]) -> B,
    ) -> Result<B, StateError> {
        let mut room = ROOM.take();
        room.clear();
        let written = value.serialize(&mut rmp_serde::Serializer::new(&mut room).with_struct_map());
        let taken = written.map(|()| take(&room)).map_err(|error| unencoded(field, error.to_string()));
        if room.capacity() <= ROOM_BYTES {
            ROOM.set(room);
        }
        taken
    }

    /// Decodes a value.
    pub fn decode<T: DeserializeOwned>(field: &str, bytes: &[u8]) -> Result<T, StateError> {
        // To follow the place in the value costs as much as to read it, so it is done for what cannot be read.
        rmp_serde::from_slice(bytes).or_else(|_| {
            let mut reader = rmp_serde::Deserializer::from_read_ref(bytes);
            serde_path_to_error::deserialize(&mut reader).map_err(|error| StateError {
                field: field.to_owned(),
                action: "decoded",
                message: format!("at `{}`: {}", error.path(), error.inner()),
            })
        })
    }
}
