//! What `#[derive(State)]` writes: folding, the field table, and the encoded form of fields and updates.

mod fields;
mod folding;
mod json;
mod shapes;
mod transport;

use std::collections::BTreeMap;

use graphloom_core_graph::fields::{Field, FieldChange, FieldKind, FieldSet, JsonForm, Op, Stored};
use graphloom_core_graph::{Log, Shared, State, StateError, Step, Table};
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// One field of each kind.
#[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Draft {
    topic: String,
    #[state(append)]
    notes: Log<Note>,
    #[state(merge)]
    sections: Table<u32, String>,
    #[state(add)]
    tokens: u64,
    #[state(add)]
    cost: f64,
    #[state(reduce_with = Outline::fold, update = OutlineChange, stored = deltas)]
    outline: Outline,
    #[state(reduce_with = keep_longest)]
    longest: String,
    source: Shared<String>,
    verdict: Option<String>,
    #[state(ephemeral)]
    hint: Option<u32>,
    #[state(ephemeral, append)]
    alarms: Log<u8>,
    #[state(untracked)]
    #[serde(skip)]
    #[schemars(skip)]
    cache: Cache,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Note(String);

impl From<&str> for Note {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// Neither serialisable nor `Debug` by its contents: what untracked fields are for.
#[derive(Clone, Debug, Default, PartialEq)]
struct Cache(BTreeMap<u8, u8>);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Outline {
    titles: Vec<String>,
    renames: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum OutlineChange {
    Add(String),
    Rename { index: usize, title: String },
}

impl Outline {
    fn fold(&mut self, change: OutlineChange) {
        match change {
            OutlineChange::Add(title) => self.titles.push(title),
            OutlineChange::Rename { index, title } => {
                if let Some(slot) = self.titles.get_mut(index) {
                    *slot = title;
                    self.renames += 1;
                }
            }
        }
    }
}

fn keep_longest(kept: &mut String, other: String) {
    if other.len() > kept.len() {
        *kept = other;
    }
}

/// Folds an update and tells the names of the fields that changed.
fn fold<S: State<Layout = ()>>(state: &mut S, update: impl Into<S::Update>) -> Vec<String> {
    let update = update.into();
    let (mut written, mut changed) = (FieldSet::default(), FieldSet::default());
    S::written(&(), &update, &mut written);
    state.apply(&(), update, &mut changed);
    assert_eq!(written, changed);
    names::<S>(&changed)
}

fn names<S: State<Layout = ()>>(fields: &FieldSet) -> Vec<String> {
    fields.iter().map(|field| S::fields(&())[field].name.to_string()).collect()
}

fn transported<S: State<Layout = ()>>(update: &S::Update) -> S::Update {
    let changes = S::encode_update(&(), update).expect("the update can be encoded");
    S::decode_update(&(), &changes).expect("what was encoded can be decoded")
}

fn index<S: State<Layout = ()>>(name: &str) -> usize {
    S::fields(&()).iter().position(|field| field.name == name).expect("the state has this field")
}
