//! The field records of a namespace.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::FieldRecord;

/// Records per field, ascending by version. Fields are few, and the names of those that a run writes are shared, so they
/// are found by where their names are.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns(Vec<(Arc<str>, Vec<FieldRecord>)>);

impl Columns {
    /// Adds a record, or replaces the one of its field and version.
    pub(super) fn add(&mut self, record: FieldRecord) {
        let shared = self.0.iter().position(|(name, _)| Arc::ptr_eq(name, &record.field));
        let at = shared.or_else(|| self.0.iter().position(|(name, _)| *name == record.field));
        let Some((_, records)) = at.and_then(|at| self.0.get_mut(at)) else {
            return self.0.push((Arc::clone(&record.field), vec![record]));
        };
        match records.last() {
            Some(newest) if newest.version >= record.version => {
                match records.binary_search_by_key(&record.version, |stored| stored.version) {
                    Ok(at) => records[at] = record,
                    Err(at) => records.insert(at, record),
                }
            }
            _ => records.push(record),
        }
    }

    /// The records of a field.
    pub(super) fn of(&self, field: &str) -> &[FieldRecord] {
        self.0.iter().find(|(name, _)| **name == *field).map_or(&[], |(_, records)| records)
    }

    /// The records of each field, by its name.
    pub(super) fn sorted(&self) -> Vec<&Vec<FieldRecord>> {
        let mut columns: Vec<_> = self.0.iter().collect();
        columns.sort_by(|(one, _), (other, _)| one.cmp(other));
        columns.into_iter().map(|(_, records)| records).collect()
    }

    /// Removes records of a field.
    pub(super) fn remove(&mut self, field: &str, versions: &BTreeSet<u64>) {
        if let Some((_, records)) = self.0.iter_mut().find(|(name, _)| **name == *field) {
            records.retain(|record| !versions.contains(&record.version));
        }
        self.0.retain(|(_, records)| !records.is_empty());
    }
}
