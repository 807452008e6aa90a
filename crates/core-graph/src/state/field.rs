//! What is known of a field, and changes of fields in encoded form.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::bytes::RecordBytes;

/// One field of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Field {
    /// The field's name in the struct.
    pub name: Cow<'static, str>,
    /// How updates fold.
    pub kind: FieldKind,
    /// How the field is stored.
    pub stored: Stored,
    /// Whether the value is visible for one super-step only.
    pub ephemeral: bool,
    /// Whether an update that fits always folds, since that calls no function of the program.
    pub sure: bool,
    /// What a JSON value for the field means in an update.
    pub json: JsonForm,
}

/// What a JSON value for a field means in an update, see [`Compiled::update_of`](crate::Compiled::update_of).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JsonForm {
    /// The new value.
    Set,
    /// What the reducer folds: entries of a list, a difference.
    Fold,
    /// One of the values that the reducer folds.
    FoldOne,
    /// An object whose entries the reducer folds as pairs.
    FoldEntries,
}

/// How updates of a field fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// The last value stays; two writers in one super-step are an error.
    Last,
    /// A reducer takes any number of writers.
    Reducer,
}

/// How a field is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// As a whole, whenever it changes.
    Whole,
    /// As its updates, with a whole value from time to time.
    Deltas,
    /// The same of a field that keeps all that its updates bring, such as a [`Log`](crate::Log).
    Additions,
    /// Not at all.
    Never,
}

/// A set of field indices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSet {
    first: u64,
    rest: Vec<u64>,
}

/// A change of one field in encoded form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldChange {
    /// The index of the field in the writer's own table; stores know fields by name.
    pub field: u32,
    /// Whether `bytes` replaces the field or is folded into it.
    pub op: Op,
    /// MessagePack with field names.
    pub bytes: RecordBytes,
}

/// What a [`FieldChange`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// Replaces the value.
    Set,
    /// Is folded by the field's reducer.
    Fold,
}

impl Field {
    /// A field of a name, a kind and a way of storage, not ephemeral. It is sure when the last value stays. A JSON value
    /// for it is the new value, or with a reducer one of those that it folds.
    pub const fn new(name: &'static str, kind: FieldKind, stored: Stored) -> Self {
        let (sure, json) = match kind {
            FieldKind::Last => (true, JsonForm::Set),
            FieldKind::Reducer => (false, JsonForm::FoldOne),
        };
        Self { name: Cow::Borrowed(name), kind, stored, ephemeral: false, sure, json }
    }

    /// The same field, visible for one super-step only.
    #[must_use]
    pub const fn ephemeral(mut self) -> Self {
        self.ephemeral = true;
        self
    }

    /// The same field, with a reducer that cannot fail: it calls no function of the program, and does not panic.
    #[must_use]
    pub const fn sure(mut self) -> Self {
        self.sure = true;
        self
    }

    /// The same field, for which a JSON value means something else.
    #[must_use]
    pub const fn json(mut self, form: JsonForm) -> Self {
        self.json = form;
        self
    }
}

impl FieldSet {
    /// Adds a field.
    #[inline]
    pub fn insert(&mut self, field: usize) {
        if field < 64 {
            self.first |= 1 << field;
        } else {
            self.insert_far(field);
        }
    }

    fn insert_far(&mut self, field: usize) {
        let (word, bit) = (field / 64, 1u64 << (field % 64));
        if self.rest.len() < word {
            self.rest.resize(word, 0);
        }
        if let Some(slot) = self.rest.get_mut(word - 1) {
            *slot |= bit;
        }
    }

    /// Whether a field is in the set.
    pub fn contains(&self, field: usize) -> bool {
        let (word, bit) = (field / 64, 1u64 << (field % 64));
        let bits = if word == 0 { self.first } else { self.rest.get(word - 1).copied().unwrap_or(0) };
        bits & bit != 0
    }

    /// Whether the set holds nothing.
    pub fn is_empty(&self) -> bool {
        self.first == 0 && self.rest.iter().all(|word| *word == 0)
    }

    /// Empties the set and keeps its room.
    pub fn clear(&mut self) {
        self.first = 0;
        self.rest.iter_mut().for_each(|word| *word = 0);
    }

    /// A bit for each field, when all are among the first 64.
    pub(crate) fn as_bits(&self) -> Option<u64> {
        self.rest.iter().all(|word| *word == 0).then_some(self.first)
    }

    /// The fields, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let (mut word, mut bits) = (0, self.first);
        std::iter::from_fn(move || {
            while bits == 0 {
                bits = *self.rest.get(word)?;
                word += 1;
            }
            let bit = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            Some(word * 64 + bit)
        })
    }
}

impl FromIterator<usize> for FieldSet {
    fn from_iter<I: IntoIterator<Item = usize>>(fields: I) -> Self {
        let mut set = Self::default();
        set.extend(fields);
        set
    }
}

impl Extend<usize> for FieldSet {
    fn extend<I: IntoIterator<Item = usize>>(&mut self, fields: I) {
        fields.into_iter().for_each(|field| self.insert(field));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_any_number_of_fields() {
        let mut set = FieldSet::default();
        set.extend([0, 63, 64, 200]);
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 64, 200]);
        assert!(set.contains(200) && !set.contains(199));
        set.clear();
        assert!(set.is_empty());
    }
}
