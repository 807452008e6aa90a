//! The field records of a namespace.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::FieldRecord;
use super::pages::Pages;

/// Records per field, ascending by version. Fields are few, and the names of those that a run writes are shared, so they
/// are found by where their names are.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns(Vec<(Arc<str>, Pages<FieldRecord>)>);

impl Columns {
    /// Adds a record, or replaces the one of its field and version.
    pub(super) fn add(&mut self, record: FieldRecord) {
        let shared = self.0.iter().position(|(name, _)| Arc::ptr_eq(name, &record.field));
        let at = shared.or_else(|| self.0.iter().position(|(name, _)| *name == record.field));
        let Some((_, records)) = at.and_then(|at| self.0.get_mut(at)) else {
            let (field, mut records) = (Arc::clone(&record.field), Pages::default());
            records.put(record);
            return self.0.push((field, records));
        };
        records.put(record);
    }

    /// The records of a field.
    pub(super) fn of(&self, field: &str) -> Option<&Pages<FieldRecord>> {
        self.0.iter().find(|(name, _)| **name == *field).map(|(_, records)| records)
    }

    /// The records of all fields, by field and version.
    pub(super) fn records(&self) -> impl Iterator<Item = &FieldRecord> {
        let mut columns: Vec<_> = self.0.iter().collect();
        columns.sort_by(|(one, _), (other, _)| one.cmp(other));
        columns.into_iter().flat_map(|(_, records)| records.iter())
    }

    /// Removes records of a field.
    pub(super) fn remove(&mut self, field: &str, versions: &BTreeSet<u64>) {
        if let Some((_, records)) = self.0.iter_mut().find(|(name, _)| **name == *field) {
            records.retain(|record| !versions.contains(&record.version));
        }
        self.0.retain(|(_, records)| !records.is_empty());
    }
}
