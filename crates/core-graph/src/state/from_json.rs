//! Updates from outside, as JSON.

use serde_json::{Map, Value};

use crate::nearest::suggestion;
use crate::state::field::JsonForm;
use crate::state::{Field, FieldChange, Op, StateError, codec};

/// The changes that an object of fields means.
///
/// # Errors
/// A key that is no field; a value that cannot be encoded.
pub(crate) fn changes_of(fields: &[Field], values: &Map<String, Value>) -> Result<Vec<FieldChange>, StateError> {
    let change = |(key, value): (&String, &Value)| {
        let at = fields.iter().position(|field| field.name == **key).ok_or_else(|| unknown(fields, key))?;
        let (op, bytes) = match (fields[at].json, value) {
            (JsonForm::Set, value) => (Op::Set, codec::encode_in_place(key, value)?),
            (JsonForm::FoldOne, value) => (Op::Fold, codec::encode_in_place(key, &[value])?),
            (JsonForm::FoldEntries, Value::Object(entries)) => {
                (Op::Fold, codec::encode_in_place(key, &entries.iter().collect::<Vec<_>>())?)
            }
            (JsonForm::Fold | JsonForm::FoldEntries, value) => (Op::Fold, codec::encode_in_place(key, value)?),
        };
        Ok(FieldChange { field: u32::try_from(at).unwrap_or(u32::MAX), op, bytes })
    };
    values.iter().map(change).collect()
}

fn unknown(fields: &[Field], key: &str) -> StateError {
    let names = || fields.iter().map(|field| &*field.name);
    let known: Vec<_> = names().map(|name| format!("`{name}`")).collect();
    let message = format!("it is no field{}; fields: {}", suggestion(key, names()), known.join(", "));
    StateError { field: key.to_owned(), action: "updated", message }
}
