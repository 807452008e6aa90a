//! An ordered map that is cheap to share.

use std::borrow::{Borrow, Cow};
use std::collections::BTreeMap;
use std::fmt;

use rpds::RedBlackTreeMapSync;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An ordered map for `#[state(merge)]` fields.
///
/// A clone shares its entries with the original, and a change of either copies the path to one entry at most. Entries
/// come in the order of their keys, so that whatever is made from them is the same in every run.
///
/// ```
/// use graphloom_core_graph::Table;
///
/// let mut sections = Table::from([(2, "methods"), (1, "introduction")]);
/// let before = sections.clone();
/// sections.insert(2, "data");
/// assert_eq!(sections.values().copied().collect::<Vec<_>>(), ["introduction", "data"]);
/// assert_eq!(before.get(&2), Some(&"methods"));
/// ```
///
/// It is written and read as a map, and its JSON schema is that of `BTreeMap<K, V>`. In JSON its keys must be texts,
/// numbers or names of variants; MessagePack, which stores use, takes any key.
pub struct Table<K, V>(RedBlackTreeMapSync<K, V>)
where
    K: Ord;

/// The entries of a [`Table`], in the order of their keys.
pub struct TableIter<'a, K, V>(<&'a RedBlackTreeMapSync<K, V> as IntoIterator>::IntoIter)
where
    K: Ord;

impl<K: Ord, V> Table<K, V> {
    /// An empty table.
    pub fn new() -> Self {
        Self(RedBlackTreeMapSync::new_sync())
    }

    /// Inserts an entry, or replaces the one of that key.
    pub fn insert(&mut self, key: K, value: V) {
        self.0.insert_mut(key, value);
    }

    /// Removes an entry, and tells whether there was one.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.remove_mut(key)
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.0.get(key)
    }

    /// The value of a key, to be changed. A value that a clone shares is copied first.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q> + Clone,
        V: Clone,
    {
        self.0.get_mut(key)
    }

    /// Whether a key has an entry.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.contains_key(key)
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.0.size()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entry of the lowest key.
    pub fn first(&self) -> Option<(&K, &V)> {
        self.0.first()
    }

    /// The entry of the highest key.
    pub fn last(&self) -> Option<(&K, &V)> {
        self.0.last()
    }

    /// The entries, in the order of their keys.
    pub fn iter(&self) -> TableIter<'_, K, V> {
        TableIter(self.0.iter())
    }

    /// The keys, ascending.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator + '_ {
        self.iter().map(|(key, _)| key)
    }

    /// The values, in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator + '_ {
        self.iter().map(|(_, value)| value)
    }
}

impl<K: Ord, V> Default for Table<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Ord, V> Clone for Table<K, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K: Ord + fmt::Debug, V: fmt::Debug> fmt::Debug for Table<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<K: Ord, V: PartialEq> PartialEq for Table<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<K: Ord, V: Eq> Eq for Table<K, V> {}

impl<K: Ord, V> Extend<(K, V)> for Table<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        entries.into_iter().for_each(|(key, value)| self.insert(key, value));
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Table<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

impl<K: Ord, V> From<BTreeMap<K, V>> for Table<K, V> {
    fn from(entries: BTreeMap<K, V>) -> Self {
        entries.into_iter().collect()
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for Table<K, V> {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<'a, K: Ord, V> IntoIterator for &'a Table<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = TableIter<'a, K, V>;

    fn into_iter(self) -> TableIter<'a, K, V> {
        self.iter()
    }
}

impl<'a, K: Ord, V> Iterator for TableIter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<K: Ord, V> DoubleEndedIterator for TableIter<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back()
    }
}

impl<K: Ord, V> ExactSizeIterator for TableIter<'_, K, V> {}

impl<K: Ord, V> fmt::Debug for TableIter<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableIter").field("left", &self.len()).finish()
    }
}

impl<K: Ord + Serialize, V: Serialize> Serialize for Table<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

impl<'de, K: Ord + Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for Table<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RedBlackTreeMapSync::deserialize(deserializer).map(Self)
    }
}

impl<K: Ord + JsonSchema, V: JsonSchema> JsonSchema for Table<K, V> {
    fn inline_schema() -> bool {
        BTreeMap::<K, V>::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        BTreeMap::<K, V>::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        BTreeMap::<K, V>::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<K, V>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::state::codec;

    #[derive(Clone, Debug)]
    enum Change {
        Insert(u8, u32),
        Remove(u8),
        Double(u8),
    }

    fn changes() -> impl Strategy<Value = Vec<Change>> {
        let key = 0..20u8;
        let change = prop_oneof![
            (key.clone(), any::<u32>()).prop_map(|(key, value)| Change::Insert(key, value)),
            key.clone().prop_map(Change::Remove),
            key.prop_map(Change::Double),
        ];
        prop::collection::vec(change, 0..60)
    }

    proptest! {
        #[test]
        fn it_behaves_like_an_ordered_map_whoever_holds_a_clone(first in changes(), second in changes()) {
            let (mut table, mut map) = (Table::new(), BTreeMap::new());
            let change = |table: &mut Table<u8, u32>, map: &mut BTreeMap<u8, u32>, change: Change| match change {
                Change::Insert(key, value) => {
                    table.insert(key, value);
                    map.insert(key, value);
                }
                Change::Remove(key) => assert_eq!(table.remove(&key), map.remove(&key).is_some()),
                Change::Double(key) => {
                    let doubled = table.get_mut(&key).map(|value| *value = value.wrapping_mul(2)).is_some();
                    assert_eq!(doubled, map.get_mut(&key).map(|value| *value = value.wrapping_mul(2)).is_some());
                }
            };
            first.into_iter().for_each(|next| change(&mut table, &mut map, next));
            let (held, held_map) = (table.clone(), map.clone());
            second.into_iter().for_each(|next| change(&mut table, &mut map, next));
            prop_assert_eq!(table.len(), map.len());
            prop_assert!(table.iter().eq(&map) && table.iter().rev().eq(map.iter().rev()));
            prop_assert!(table.keys().eq(map.keys()) && table.values().eq(map.values()));
            prop_assert!(held.iter().eq(&held_map));
        }

        #[test]
        fn it_is_written_as_a_map(entries: BTreeMap<(u8, bool), String>) {
            let table = Table::from(entries.clone());
            let bytes = codec::encode("table", &table).unwrap();
            prop_assert_eq!(&bytes, &codec::encode("table", &entries).unwrap());
            prop_assert_eq!(codec::decode::<Table<(u8, bool), String>>("table", &bytes).unwrap(), table);
        }
    }

    #[test]
    fn json_takes_keys_that_are_texts_or_numbers() {
        let table = Table::from([(2, "b"), (1, "a")]);
        assert_eq!(serde_json::to_string(&table).unwrap(), r#"{"1":"a","2":"b"}"#);
        assert_eq!(serde_json::from_str::<Table<u8, &str>>(r#"{"2":"b","1":"a"}"#).unwrap(), table);
        assert_eq!(schemars::schema_for!(Table<u8, String>), schemars::schema_for!(BTreeMap<u8, String>));
    }
}
