//! Which of the found passages are about a part of a request.

use std::collections::{BTreeMap, BTreeSet};

use graphloom_text::Language;

use super::quote::{Material, term_set};
use super::relevance::same;
use super::request::Part;
use crate::terms::terms_in;

/// What a term weighs that a part has beside its own.
const BESIDE: f32 = 0.5;
/// What a term in a title or heading weighs beside one in the text.
const ABOVE: f32 = 1.5;
/// A document is about a part when what it has of it weighs at least so much of what the best one has.
const LEAST: f32 = 0.7;
/// A document with this share of a part's own terms has most of them.
const MOST: f32 = 0.75;

/// A passage with its terms.
#[derive(Debug)]
pub(super) struct Passage<'m> {
    pub(super) material: Material<'m>,
    /// The terms of its title and headings.
    pub(super) above: BTreeSet<String>,
    /// The terms of its text, in order.
    pub(super) around: Vec<String>,
    /// By part: whether its document is about it.
    about: Vec<bool>,
    /// By part: whether its document has most of the part's own terms.
    has_most: Vec<bool>,
}

impl Passage<'_> {
    /// Whether it is about the part at a place of the request.
    pub(super) fn is_about(&self, part: usize) -> bool {
        self.about.get(part).copied().unwrap_or(true)
    }

    /// Whether its document has most of the own terms of the part at a place.
    pub(super) fn has_most_of(&self, part: usize) -> bool {
        self.has_most.get(part).copied().unwrap_or(true)
    }
}

/// What was found of a document.
#[derive(Debug, Default)]
struct Document {
    above: BTreeSet<String>,
    text: BTreeSet<String>,
}

impl Document {
    /// Which share of some terms it has.
    fn share(&self, terms: &BTreeSet<String>) -> f32 {
        terms.iter().filter(|term| self.weight(term) > 0.0).count() as f32 / terms.len().max(1) as f32
    }

    fn weight(&self, term: &str) -> f32 {
        let has = |terms: &BTreeSet<String>| terms.iter().any(|other| same(term, other));
        if has(&self.above) {
            ABOVE
        } else if has(&self.text) {
            1.0
        } else {
            0.0
        }
    }
}

/// The passages of the material; for every part, the documents that they are of are compared with the best. A term that few
/// documents have weighs more.
pub(super) fn pool<'m>(
    parts: &[Part],
    material: impl IntoIterator<Item = Material<'m>>,
    language: Language,
) -> Vec<Passage<'m>> {
    let mut documents: BTreeMap<&str, Document> = BTreeMap::new();
    let mut passages: Vec<Passage<'m>> = Vec::new();
    for material in material {
        let (above, around) = (term_set(material.above, language), terms_in(material.text, language));
        let document = documents.entry(document_of(material.id)).or_default();
        document.above.extend(above.iter().cloned());
        document.text.extend(around.iter().cloned());
        passages.push(Passage { material, above, around, about: Vec::new(), has_most: Vec::new() });
    }
    let all = documents.len() as f32;
    let first = parts.first().map(|part| &part.own).into_iter().flatten();
    for part in parts {
        let beside: BTreeSet<&String> = part.around.iter().chain(&part.refers).chain(first.clone()).collect();
        let beside = beside.into_iter().filter(|term| !part.own.contains(*term)).map(|term| (term, BESIDE));
        let weighted: Vec<(&String, f32)> = part.own.iter().map(|term| (term, 1.0)).chain(beside).collect();
        let mut weights: BTreeMap<&str, f32> = documents.keys().map(|document| (*document, 0.0)).collect();
        for (term, weight) in weighted {
            let having: Vec<(&str, f32)> = documents
                .iter()
                .map(|(id, document)| (*id, document.weight(term)))
                .filter(|(_, has)| *has > 0.0)
                .collect();
            let rare = (1.0 + (all - having.len() as f32 + 0.5) / (having.len() as f32 + 0.5)).ln();
            for (id, has) in having {
                *weights.entry(id).or_default() += weight * rare * has;
            }
        }
        let best = weights.values().copied().fold(0.0, f32::max);
        for passage in &mut passages {
            let document = document_of(passage.material.id);
            let weight = weights.get(document).copied().unwrap_or_default();
            passage.about.push(weight >= best * LEAST);
            passage.has_most.push(documents.get(document).is_some_and(|document| document.share(&part.own) >= MOST));
        }
    }
    passages
}

/// The part of an id that all passages of a document share.
fn document_of(id: &str) -> &str {
    id.rsplit_once('#').map_or(id, |(document, _)| document)
}

#[cfg(test)]
mod tests {
    use super::super::Request;
    use super::*;

    #[test]
    fn a_document_about_something_else_is_told_from_one_about_the_part() {
        let request = Request::of("How do I upgrade a cluster with pg_upgrade, and what does copying the files cost?");
        let material = [
            (
                "upgrade#1",
                "Upgrading a cluster",
                "The module pg_upgrade moves a cluster. Copying the files takes long.",
            ),
            ("upgrade#2", "Upgrading a cluster", "The old cluster must be stopped first."),
            ("copy#1", "COPY", "Copying reads files of the client. A COPY of rows is fast."),
        ];
        let found =
            pool(request.parts(), material.map(|(id, above, text)| Material::new(id, above, text)), Language::English);
        let about: Vec<Vec<bool>> = found.into_iter().map(|passage| passage.about).collect();
        assert_eq!(request.parts().len(), 2, "{:?}", request.parts());
        assert_eq!(about, [[true, true], [true, true], [false, false]]);
    }

    #[test]
    fn passages_without_a_common_document_stand_for_themselves() {
        assert_eq!(
            ["notes/a.md#9f", "https://a.example/x", "W1"].map(document_of),
            ["notes/a.md", "https://a.example/x", "W1"]
        );
    }
}
