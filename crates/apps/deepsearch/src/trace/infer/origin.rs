//! The origins of sources. Two copies of a text have one origin and count as one source.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::unionfind::UnionFind;

use crate::state::CitationMessage;

/// The number of consecutive words in a shingle.
const SHINGLE: usize = 5;
/// The least share of the shingles of the shorter text at which two texts are copies.
const COPY: f64 = 0.8;

/// The origin of each reference, by the number of the reference.
///
/// These have one origin: pages of one host, files of one folder, a page and its source file (`x.html` and
/// `_sources/x.rst.txt`), and texts that share four fifths of their shingles.
pub fn origins(citations: &[&CitationMessage]) -> BTreeMap<u32, usize> {
    let mut sources: BTreeMap<u32, (String, BTreeSet<u64>)> = BTreeMap::new();
    for citation in citations {
        let entry = sources.entry(citation.reference_index).or_insert_with(|| (place(&citation.url), BTreeSet::new()));
        entry.1.extend(shingles(&citation.content));
    }
    let all: Vec<(&u32, &(String, BTreeSet<u64>))> = sources.iter().collect();
    let mut union = UnionFind::<usize>::new(all.len());
    for (one, (_, left)) in all.iter().enumerate() {
        for (other, (_, right)) in all.iter().enumerate().take(one) {
            if left.0 == right.0 || is_copy(&left.1, &right.1) {
                union.union(one, other);
            }
        }
    }
    all.iter().enumerate().map(|(at, (number, _))| (**number, union.find(at))).collect()
}

/// The host of a page, or the folder of a file. The source file of a page belongs to the folder of the page.
fn place(url: &str) -> String {
    let url = url.split(['#', '?']).next().unwrap_or_default();
    if let Some((_, rest)) = url.split_once("://") {
        let host = rest.split('/').next().unwrap_or_default().to_lowercase();
        return host.strip_prefix("www.").map(str::to_owned).unwrap_or(host);
    }
    let folder = url.rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder);
    let parts = folder.split(['/', '\\']).filter(|part| !matches!(*part, "_sources" | "."));
    format!("file:{}", parts.collect::<Vec<_>>().join("/"))
}

/// The hashes of all shingles in lower case. A text with fewer words than a shingle is one shingle.
fn shingles(content: &str) -> BTreeSet<u64> {
    let plain = content.replace("<mark>", " ").replace("</mark>", " ").to_lowercase();
    let words: Vec<&str> = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let number = |run: &[&str]| {
        let hash = blake3::hash(run.join(" ").as_bytes());
        u64::from_le_bytes(hash.as_bytes()[..8].try_into().unwrap_or_default())
    };
    match words.len() {
        0 => BTreeSet::new(),
        1..SHINGLE => BTreeSet::from([number(&words)]),
        _ => words.windows(SHINGLE).map(number).collect(),
    }
}

fn is_copy(left: &BTreeSet<u64>, right: &BTreeSet<u64>) -> bool {
    let shorter = left.len().min(right.len());
    shorter > 0 && left.intersection(right).count() as f64 >= COPY * shorter as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "The log is written before the pages, so that a crash loses no transaction that was committed.";
    const MARKED_UP: &str = "The *log* is written **before** the <mark>pages</mark>, so that a crash loses no ``transaction`` that was committed.";

    fn count(sources: &[(&str, &str)]) -> usize {
        let citations: Vec<CitationMessage> = (1..)
            .zip(sources)
            .map(|(number, (url, content))| CitationMessage {
                reference_index: number,
                url: (*url).to_owned(),
                content: (*content).to_owned(),
                ..CitationMessage::default()
            })
            .collect();
        let all: Vec<&CitationMessage> = citations.iter().collect();
        origins(&all).into_values().collect::<BTreeSet<_>>().len()
    }

    #[test]
    fn copies_are_one_origin() {
        let other = "Readers never wait for a writer of the table that they read, since they see the older pages.";
        for (expected, sources) in [
            (1, [("https://a.example/1", TEXT), ("https://b.example/2", MARKED_UP)]),
            (2, [("https://a.example/1", TEXT), ("https://b.example/2", other)]),
            (1, [("https://www.a.example/1", TEXT), ("https://A.example/2", other)]),
            (1, [("docs/html/log.html", TEXT), ("docs/html/_sources/log.rst.txt", other)]),
            (1, [("docs/log.html", TEXT), ("copies/log.rst.txt", MARKED_UP)]),
            (2, [("docs/log.md", TEXT), ("notes/log.md", other)]),
        ] {
            assert_eq!(count(&sources), expected, "{sources:?}");
        }
        assert_eq!(count(&[("a/x", "one two"), ("b/x", "One, two!"), ("c/x", "")]), 2);
    }
}
