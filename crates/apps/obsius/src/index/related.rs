//! Notes that belong together by their links and tags.

use std::collections::BTreeMap;

use graphloom_vault::{LinkIndex, NotePath, Overlay};

use super::search::{FoundNote, found};

const LINKED: f32 = 3.0;
const SHARED_LINK: f32 = 1.0;
const SHARED_TAG: f32 = 0.5;

/// The notes that belong to a note, best first: those it links to or that link to it, those that link to the same
/// notes, and those with the same tags. `links` is of the same overlay.
pub fn related(overlay: &Overlay, links: &LinkIndex, path: &NotePath, limit: usize) -> Vec<FoundNote> {
    let mut scores: BTreeMap<NotePath, f32> = BTreeMap::new();
    let mut add = |other: &NotePath, score: f32| {
        if other != path {
            *scores.entry(other.clone()).or_default() += score;
        }
    };
    for link in links.outgoing(path) {
        let Some(to) = link.to.note() else { continue };
        add(to, LINKED);
        for other in links.backlinks(to) {
            add(&other.from, SHARED_LINK);
        }
    }
    for link in links.backlinks(path) {
        add(&link.from, LINKED);
    }
    let own = links.note(path);
    let tags: Vec<String> = own.into_iter().flat_map(|note| note.tag_names()).map(str::to_lowercase).collect();
    if !tags.is_empty() {
        for note in links.notes() {
            let shared = note.tag_names().into_iter().filter(|tag| tags.contains(&tag.to_lowercase())).count();
            if shared > 0 {
                add(note.path(), SHARED_TAG * shared as f32);
            }
        }
    }
    let mut ranked: Vec<(NotePath, f32)> = scores.into_iter().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let found = ranked.into_iter().filter_map(|(path, score)| found(overlay, path, score, None, ""));
    found.take(limit).collect()
}
