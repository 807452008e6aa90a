//! The versions of a checkpoint's fields.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smallvec::SmallVec;

/// The version of each stored field of a checkpoint, in the order of the fields. The names are shared by the
/// checkpoints that a run makes. A version is the number of the checkpoint that last changed the field; names that
/// begin with `#` belong to the runtime.
///
/// ```
/// use graphloom_core_graph::checkpoint::FieldVersions;
///
/// let versions = FieldVersions::from([("outline", 3)]);
/// assert_eq!(versions.of("outline"), Some(3));
/// assert_eq!(versions.of("draft"), None);
/// ```
#[derive(Clone, Default)]
pub struct FieldVersions {
    names: Option<Arc<[Arc<str>]>>,
    /// By name; 0, which is no checkpoint's number, for a field without a version.
    versions: SmallVec<[u64; 4]>,
}

impl FieldVersions {
    /// Sets versions of fields whose names are shared; 0 for a field that has none.
    pub(crate) fn fill(&mut self, names: &Arc<[Arc<str>]>, versions: impl Iterator<Item = u64>) {
        if !self.names.as_ref().is_some_and(|own| Arc::ptr_eq(own, names)) {
            self.names = Some(Arc::clone(names));
        }
        if self.versions.len() != names.len() {
            self.versions.resize(names.len(), 0);
        }
        self.versions.iter_mut().zip(versions).for_each(|(slot, version)| *slot = version);
    }

    /// Sets the version of the field at a place.
    pub(crate) fn set(&mut self, at: usize, version: u64) {
        if let Some(slot) = self.versions.get_mut(at) {
            *slot = version;
        }
    }

    /// The fields with their versions, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, u64)> {
        let pairs = self.names.iter().flat_map(|names| names.iter()).zip(self.versions.iter().copied());
        pairs.filter(|(_, version)| *version > 0)
    }

    /// The version of a field, if it has one.
    pub fn of(&self, field: &str) -> Option<u64> {
        let names = self.names.as_deref().unwrap_or_default();
        let at = names.iter().position(|name| **name == *field)?;
        self.versions.get(at).copied().filter(|version| *version > 0)
    }

    /// How many fields have a version.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether none has.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}

impl FromIterator<(Arc<str>, u64)> for FieldVersions {
    fn from_iter<I: IntoIterator<Item = (Arc<str>, u64)>>(fields: I) -> Self {
        let (names, versions): (Vec<_>, SmallVec<_>) = fields.into_iter().unzip();
        Self { names: Some(names.into()), versions }
    }
}

impl<const N: usize> From<[(&str, u64); N]> for FieldVersions {
    fn from(fields: [(&str, u64); N]) -> Self {
        fields.into_iter().map(|(field, version)| (field.into(), version)).collect()
    }
}

impl PartialEq for FieldVersions {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for FieldVersions {}

impl fmt::Debug for FieldVersions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl Serialize for FieldVersions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for FieldVersions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<(Arc<str>, u64)>::deserialize(deserializer).map(Self::from_iter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_without_a_version_are_left_out() {
        let names: Arc<[Arc<str>]> = ["a", "b", "c"].map(Arc::from).into();
        let mut versions = FieldVersions::from([("z", 9)]);
        versions.fill(&names, [3, 0, 1].into_iter());
        let plain = FieldVersions::from([("a", 3), ("c", 1)]);
        assert_eq!(versions, plain);
        assert_eq!((versions.of("a"), versions.of("b"), versions.of("d"), versions.len()), (Some(3), None, None, 2));
        let json = serde_json::to_string(&versions).unwrap();
        assert_eq!(json, r#"[["a",3],["c",1]]"#);
        assert_eq!(serde_json::from_str::<FieldVersions>(&json).unwrap(), versions);
    }
}
