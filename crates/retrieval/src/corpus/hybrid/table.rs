//! The vectors of the passages that are in the index, in memory.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

use tantivy::DocAddress;

use super::codes::product;
use super::store::{Key, VectorStore};
use super::text_of;
use crate::RetrievalError;
use crate::corpus::Inner;
use crate::corpus::engine::{Engine, Record};

/// A row for each passage that has a vector. Every question is compared with every row: a million of 384 numbers take a
/// tenth of a second.
pub(super) struct VectorTable {
    /// The index whose passages these are.
    pub(super) engine: Arc<Engine>,
    dimension: usize,
    codes: Vec<i8>,
    scales: Vec<f32>,
    places: Vec<DocAddress>,
    /// Passages without a vector.
    pub(super) missing: usize,
}

impl VectorTable {
    /// Reads the vectors of an index.
    pub(super) fn load(
        inner: &Inner,
        engine: Arc<Engine>,
        store: &VectorStore,
        dimension: usize,
    ) -> Result<Self, RetrievalError> {
        let mut of_text: BTreeMap<Key, Vec<DocAddress>> = BTreeMap::new();
        let mut passages = 0_usize;
        engine
            .each_record(|place, record| {
                passages += 1;
                of_text.entry(key_of(&text_of(&record))).or_default().push(place);
            })
            .map_err(|error| RetrievalError::engine(&inner.index, error))?;
        let mut table =
            Self { engine, dimension, codes: Vec::new(), scales: Vec::new(), places: Vec::new(), missing: 0 };
        store.each(dimension, |key, coded| {
            for place in of_text.get(&key).into_iter().flatten() {
                table.codes.extend(&coded.codes);
                table.scales.push(coded.scale);
                table.places.push(*place);
            }
        })?;
        table.missing = passages - table.places.len();
        Ok(table)
    }

    /// The passages whose vectors are nearest to one of length one, with the cosine between the two, best first: at most
    /// `count`, and none below `least`.
    pub(super) fn nearest(&self, vector: &[f32], count: usize, least: f32) -> tantivy::Result<Vec<(f32, Record)>> {
        if vector.len() != self.dimension || self.dimension == 0 {
            return Ok(Vec::new());
        }
        let mut best: BinaryHeap<Row> = BinaryHeap::new();
        for (row, (codes, scale)) in self.codes.chunks_exact(self.dimension).zip(&self.scales).enumerate() {
            let cosine = product(vector, codes) * scale;
            if cosine >= least && (best.len() < count || best.peek().is_some_and(|worst| cosine > worst.cosine)) {
                best.push(Row { cosine, row });
                if best.len() > count {
                    best.pop();
                }
            }
        }
        let rows = best.into_sorted_vec().into_iter();
        let mut found = rows
            .map(|Row { cosine, row }| Ok((cosine, self.engine.record_at(self.places[row])?)))
            .collect::<tantivy::Result<Vec<_>>>()?;
        found.sort_by(|(a, left), (b, right)| b.total_cmp(a).then_with(|| left.id.cmp(&right.id)));
        Ok(found)
    }
}

/// A row of the table; the worst one is the greatest, so that a heap has it on top.
struct Row {
    cosine: f32,
    row: usize,
}

impl Ord for Row {
    fn cmp(&self, other: &Self) -> Ordering {
        other.cosine.total_cmp(&self.cosine).then(self.row.cmp(&other.row))
    }
}

impl PartialOrd for Row {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Row {}

/// The name of a text in the store.
pub(super) fn key_of(text: &str) -> Key {
    let mut key = Key::default();
    blake3::Hasher::new().update(text.as_bytes()).finalize_xof().fill(&mut key);
    key
}
