//! The state of a durable function: what it is given, what it returned, and what the next call finds.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::state::{Field, FieldChange, FieldKind, FieldSet, Op, Shared, State, StateError, Stored, codec};

/// What durable functions take, return and save: anything that is serialisable and has a JSON schema.
pub trait EntryValue: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {}

impl<T: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static> EntryValue for T {}

/// The state of a thread of a durable function, see [`entry_point`](crate::entry_point).
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(bound(serialize = "I: Serialize, O: Serialize, P: Serialize"))]
#[serde(bound(deserialize = "I: DeserializeOwned, O: DeserializeOwned, P: DeserializeOwned"))]
pub struct EntryState<I, O, P = O> {
    pub(super) input: Option<Shared<I>>,
    pub(super) output: Option<Shared<O>>,
    pub(super) saved: Option<Shared<P>>,
}

/// A change of an [`EntryState`]; an input becomes one with [`From`].
#[derive(Debug, Serialize)]
#[serde(bound = "I: Serialize, O: Serialize, P: Serialize")]
#[must_use = "an update changes nothing until a run takes it"]
pub struct EntryUpdate<I, O, P = O>(pub(super) EntryState<I, O, P>);

static FIELDS: [Field; 3] = [
    Field::new("input", FieldKind::Last, Stored::Whole),
    Field::new("output", FieldKind::Last, Stored::Whole),
    Field::new("saved", FieldKind::Last, Stored::Whole),
];

impl<I, O, P> EntryState<I, O, P> {
    /// What the last call was given.
    pub fn input(&self) -> Option<&I> {
        self.input.as_deref()
    }

    /// What the last call that ended returned.
    pub fn output(&self) -> Option<&O> {
        self.output.as_deref()
    }

    /// What it saved for the next call.
    pub fn saved(&self) -> Option<&P> {
        self.saved.as_deref()
    }

    const fn empty() -> Self {
        Self { input: None, output: None, saved: None }
    }
}

/// Reads a value or none, which are stored as a list: a value may itself be written as nothing.
fn read<T: DeserializeOwned>(field: &str, bytes: &[u8]) -> Result<Option<Shared<T>>, StateError> {
    codec::decode::<Vec<Shared<T>>>(field, bytes).map(|mut values| values.pop())
}

impl<I, O, P> From<I> for EntryUpdate<I, O, P> {
    fn from(input: I) -> Self {
        Self(EntryState { input: Some(Shared::new(input)), ..EntryState::empty() })
    }
}

impl<I: EntryValue, O: EntryValue, P: EntryValue> State for EntryState<I, O, P> {
    type Update = EntryUpdate<I, O, P>;
    type Layout = ();

    fn initial((): &()) -> Self {
        Self::empty()
    }

    fn fields((): &()) -> &[Field] {
        &FIELDS
    }

    fn written((): &(), update: &Self::Update, fields: &mut FieldSet) {
        let EntryState { input, output, saved } = &update.0;
        let written = [input.is_some(), output.is_some(), saved.is_some()];
        written.iter().enumerate().filter(|(_, written)| **written).for_each(|(at, _)| fields.insert(at));
    }

    fn apply(&mut self, layout: &(), update: Self::Update, changed: &mut FieldSet) {
        Self::written(layout, &update, changed);
        let EntryState { input, output, saved } = update.0;
        self.input = input.or_else(|| self.input.take());
        self.output = output.or_else(|| self.output.take());
        self.saved = saved.or_else(|| self.saved.take());
    }

    fn add_encoded((): &(), update: &Self::Update, changes: &mut Vec<FieldChange>) -> Result<(), StateError> {
        let mut written = FieldSet::default();
        Self::written(&(), update, &mut written);
        for at in written.iter() {
            let field = u32::try_from(at).unwrap_or(u32::MAX);
            changes.push(FieldChange { field, op: Op::Set, bytes: update.0.save(&(), at)?.into() });
        }
        Ok(())
    }

    fn decode_update((): &(), changes: &[FieldChange]) -> Result<Self::Update, StateError> {
        let mut update = EntryUpdate::default();
        for change in changes {
            update.0.load(&(), change.field as usize, &change.bytes)?;
        }
        Ok(update)
    }

    fn save(&self, (): &(), field: usize) -> Result<Vec<u8>, StateError> {
        match field {
            0 => codec::encode("input", self.input.as_slice()),
            1 => codec::encode("output", self.output.as_slice()),
            _ => codec::encode("saved", self.saved.as_slice()),
        }
    }

    fn load(&mut self, (): &(), field: usize, bytes: &[u8]) -> Result<(), StateError> {
        match field {
            0 => self.input = read("input", bytes)?,
            1 => self.output = read("output", bytes)?,
            2 => self.saved = read("saved", bytes)?,
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, (): &(), field: usize) {
        match field {
            0 => self.input = None,
            1 => self.output = None,
            2 => self.saved = None,
            _ => {}
        }
    }
}

// Written out: what is derived would want the values to be `Clone` and `Default` themselves.

impl<I, O, P> Clone for EntryState<I, O, P> {
    fn clone(&self) -> Self {
        Self { input: self.input.clone(), output: self.output.clone(), saved: self.saved.clone() }
    }
}

impl<I, O, P> Clone for EntryUpdate<I, O, P> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<I, O, P> Default for EntryUpdate<I, O, P> {
    fn default() -> Self {
        Self(EntryState::empty())
    }
}
