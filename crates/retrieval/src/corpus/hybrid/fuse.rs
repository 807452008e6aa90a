//! Two orders of passages as one.

use std::collections::BTreeMap;

use crate::corpus::engine::Record;

/// Reciprocal rank fusion: a passage scores `weight / (k + rank)` in each list that has it, counted from 1. Scores of different
/// kinds are never compared. (Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual
/// rank learning methods", SIGIR 2009.)
pub(super) fn fuse(lists: impl IntoIterator<Item = (f32, Vec<(f32, Record)>)>, k: f32) -> Vec<(f32, Record)> {
    let mut fused: BTreeMap<(String, String), (f32, Record)> = BTreeMap::new();
    for (weight, list) in lists {
        for (place, (_, record)) in list.into_iter().enumerate() {
            let score = weight / (k + place as f32 + 1.0);
            let name = (record.root.clone(), record.id.clone());
            fused.entry(name).or_insert_with(|| (0.0, record)).0 += score;
        }
    }
    let mut fused: Vec<(f32, Record)> = fused.into_values().collect();
    fused.sort_by(|(a, left), (b, right)| b.total_cmp(a).then_with(|| left.id.cmp(&right.id)));
    fused
}

#[cfg(test)]
mod tests {
    use graphloom_text::Language;

    use super::*;
    use crate::Locator;
    use crate::document::Passage;

    fn list(ids: &[&str]) -> Vec<(f32, Record)> {
        let record = |id: &&str| Record {
            id: (*id).to_owned(),
            root: String::new(),
            path: String::new(),
            title: String::new(),
            content_hash: String::new(),
            language: Language::English,
            passage: Passage { heading: Vec::new(), locator: Locator::Document, text: String::new() },
        };
        ids.iter().map(|id| (7.0, record(id))).collect()
    }

    #[test]
    fn what_both_find_comes_first() {
        let fused = fuse([(1.0, list(&["a", "b", "c"])), (1.0, list(&["d", "b"]))], 60.0);
        let told: Vec<(&str, f32)> = fused.iter().map(|(score, record)| (record.id.as_str(), *score)).collect();
        let expected = [("b", 1.0 / 62.0 + 1.0 / 62.0), ("a", 1.0 / 61.0), ("d", 1.0 / 61.0), ("c", 1.0 / 63.0)];
        assert_eq!(told, expected);
        let fused = fuse([(0.0, list(&["a", "b"])), (1.0, list(&["d", "b"]))], 60.0);
        assert_eq!(fused.iter().map(|(_, record)| record.id.as_str()).collect::<Vec<_>>(), ["d", "b", "a"]);
        assert!(fuse([(1.0, list(&[]))], 60.0).is_empty());
    }
}
