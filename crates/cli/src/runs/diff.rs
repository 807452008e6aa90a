//! What changed between two checkpoints.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use graphloom_core_graph::checkpoint::{CheckpointError, CheckpointRow, Checkpointer, FieldContent, FieldRecord};
use serde::Serialize;
use serde_json::Value;

/// Two checkpoints of the root graph, of one run or of two.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RunDiff {
    /// The run before.
    pub from: String,
    /// Its checkpoint.
    pub from_checkpoint: u64,
    /// The run after.
    pub to: String,
    /// Its checkpoint.
    pub to_checkpoint: u64,
    /// The fields that differ, by name.
    pub fields: Vec<FieldDiff>,
}

/// One field that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FieldDiff {
    /// The field.
    pub field: String,
    /// What it was; none where it was not there.
    pub before: Option<Content>,
    /// What it is; none where it is not there any more.
    pub after: Option<Content>,
    /// Where the later value builds on the earlier one: what was folded into it, in order.
    pub added: Option<Vec<Value>>,
}

/// A field's value as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Content {
    /// The last whole value.
    pub value: Value,
    /// What was folded into it since.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub updates: Vec<Value>,
}

impl RunDiff {
    /// Compares a checkpoint with another, by number; the heads where none is given. Values are read without the types
    /// of the graph, so what a reducer makes of updates is shown as the updates.
    ///
    /// # Errors
    /// The store's, [`CheckpointError::UnknownThread`] and [`CheckpointError::UnknownCheckpoint`] among them.
    pub async fn between(
        store: &dyn Checkpointer,
        from: (&str, Option<u64>),
        to: (&str, Option<u64>),
    ) -> Result<Self, CheckpointError> {
        let (before, after) = (row(store, from).await?, row(store, to).await?);
        let (old, new) = (versions(&before), versions(&after));
        let mut names: Vec<&Arc<str>> = old.keys().chain(new.keys()).copied().collect();
        names.sort();
        names.dedup();
        let mut fields = Vec::new();
        for name in names {
            let (was, is) = (old.get(name).copied(), new.get(name).copied());
            if from.0 == to.0 && was == is {
                continue;
            }
            let was = chain(store, from.0, name, was).await?;
            let is = chain(store, to.0, name, is).await?;
            if was == is {
                continue;
            }
            let builds_on = !was.is_empty() && is.len() > was.len() && is.starts_with(&was);
            let added = if builds_on { Some(updates(&is[was.len()..])?) } else { None };
            fields.push(FieldDiff { field: name.to_string(), before: content(&was)?, after: content(&is)?, added });
        }
        Ok(Self {
            from: from.0.to_owned(),
            from_checkpoint: before.number,
            to: to.0.to_owned(),
            to_checkpoint: after.number,
            fields,
        })
    }
}

async fn row(store: &dyn Checkpointer, at: (&str, Option<u64>)) -> Result<CheckpointRow, CheckpointError> {
    let (thread, number) = at;
    match (store.checkpoint(thread, "", number).await?, number) {
        (Some(row), _) => Ok(row),
        (None, Some(number)) if store.thread(thread).await?.is_some() => {
            Err(CheckpointError::UnknownCheckpoint { thread: thread.to_owned(), ns: String::new(), number })
        }
        (None, _) => Err(CheckpointError::UnknownThread { thread: thread.to_owned() }),
    }
}

/// The versions of the fields; names that begin with `#` belong to the runtime.
fn versions(row: &CheckpointRow) -> BTreeMap<&Arc<str>, u64> {
    row.fields.iter().filter(|(field, _)| !field.starts_with('#')).collect()
}

async fn chain(
    store: &dyn Checkpointer,
    thread: &str,
    field: &str,
    version: Option<u64>,
) -> Result<Vec<FieldRecord>, CheckpointError> {
    match version {
        Some(version) => store.field(thread, "", field, version).await,
        None => Ok(Vec::new()),
    }
}

fn content(chain: &[FieldRecord]) -> Result<Option<Content>, CheckpointError> {
    let Some((first, rest)) = chain.split_first() else { return Ok(None) };
    let (value, mut more) = match first.content()? {
        FieldContent::Value(value) => (value, Vec::new()),
        FieldContent::Updates(updates) => (Value::Null, updates),
        _ => (Value::Null, Vec::new()),
    };
    more.extend(updates(rest)?);
    Ok(Some(Content { value, updates: more }))
}

fn updates(records: &[FieldRecord]) -> Result<Vec<Value>, CheckpointError> {
    let mut all = Vec::new();
    for record in records {
        match record.content()? {
            FieldContent::Updates(updates) => all.extend(updates),
            FieldContent::Value(value) => all.push(value),
            _ => {}
        }
    }
    Ok(all)
}

/// A value's JSON is cut to so many characters.
const SHOWN: usize = 300;

fn short(value: &Value) -> String {
    let text = value.to_string();
    let count = text.chars().count();
    if count <= SHOWN {
        return text;
    }
    format!("{}… ({count} characters)", text.chars().take(SHOWN).collect::<String>())
}

impl fmt::Display for RunDiff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "--- {} at checkpoint {}", self.from, self.from_checkpoint)?;
        writeln!(f, "+++ {} at checkpoint {}", self.to, self.to_checkpoint)?;
        for FieldDiff { field, before, after, added } in &self.fields {
            writeln!(f, "{field}")?;
            if let Some(added) = added {
                for update in added {
                    writeln!(f, "+ {}", short(update))?;
                }
                continue;
            }
            for (mark, content) in [('-', before), ('+', after)] {
                let Some(Content { value, updates }) = content else { continue };
                writeln!(f, "{mark} {}", short(value))?;
                for update in updates {
                    writeln!(f, "{mark}   with {}", short(update))?;
                }
            }
        }
        Ok(())
    }
}
