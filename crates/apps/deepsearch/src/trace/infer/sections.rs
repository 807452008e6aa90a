//! The sections of a checked report, with their citations and the sentences that may be conclusions.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use graphloom_citations::{Claim, Target, claims, without_marks};

use crate::markup::{chart_blocks, in_chart};
use crate::markup::{heading, lines, without_number};
use crate::state::{CitationMessage, Verdict};

/// The most sentences that a model chooses the conclusion from.
const MOST_CANDIDATES: usize = 12;
/// The shortest sentence that may be a conclusion, in characters.
const SHORTEST: usize = 12;

/// The characters that end a sentence.
pub(super) const STOPS: &[char] = &['.', '!', '?', '。', '！', '？', '…'];

/// A section of the report.
#[derive(Clone, Debug)]
pub(super) struct Chapter<'c> {
    pub(super) title: String,
    /// The supported citations, in the order of the text.
    pub(super) citations: Vec<&'c CitationMessage>,
    /// The sentences that may be conclusions, without marks, each with its byte range in the report.
    pub(super) candidates: Vec<(Range<usize>, String)>,
}

impl Chapter<'_> {
    /// The number of different references that support statements of the section.
    pub(super) fn references(&self) -> usize {
        self.citations.iter().map(|citation| citation.reference_index).collect::<BTreeSet<_>>().len()
    }

    /// The title and address of each reference, by its number.
    pub(super) fn records(&self) -> BTreeMap<u32, (String, String)> {
        self.citations
            .iter()
            .map(|citation| (citation.reference_index, (citation.title.clone(), citation.url.clone())))
            .collect()
    }
}

/// The numbered sections of a report. The title, the abstract, the conclusion and the references have no number.
pub(super) fn chapters<'c>(content: &str, citations: &'c [CitationMessage]) -> Vec<Chapter<'c>> {
    let mut heads: Vec<(usize, &str)> = Vec::new();
    for (line, plain) in lines(content) {
        if let Some((1, title)) = heading(line).filter(|_| plain) {
            // A line is a slice of the text, so the difference of the two pointers is its offset.
            heads.push((line.as_ptr() as usize - content.as_ptr() as usize, title));
        }
    }
    let ends: Vec<usize> = heads.iter().skip(1).map(|(at, _)| *at).chain([content.len()]).collect();
    heads
        .iter()
        .zip(ends)
        .filter(|((_, title), _)| without_number(title) != *title)
        .map(|((start, title), end)| chapter(content, *start..end, title, citations))
        .collect()
}

fn chapter<'c>(content: &str, range: Range<usize>, title: &str, citations: &'c [CitationMessage]) -> Chapter<'c> {
    let text = &content[range.clone()];
    let (mut found, mut candidates) = (Vec::new(), Vec::new());
    let charts = chart_blocks(text);
    // Neither the data of a chart nor its caption is a conclusion.
    for claim in claims(text).into_iter().filter(|claim| !in_chart(&charts, claim.range.start)) {
        for mark in &claim.marks {
            let Target::Checked { id, .. } = mark.target else { continue };
            let citation = citations.iter().find(|one| u64::from(one.id) == id);
            found.extend(citation.filter(|one| one.verdict == Verdict::Supported));
        }
        if let Some(body) = sentence(text, &claim) {
            candidates.push((range.start + body.start..range.start + body.end, text[body].to_owned()));
        }
    }
    // A conclusion comes late, so the last candidates stay.
    let surplus = candidates.len().saturating_sub(MOST_CANDIDATES);
    candidates.drain(..surplus);
    Chapter { title: without_number(title).to_owned(), citations: found, candidates }
}

/// The byte range of a sentence that a link can enclose: without the marks at the end, and without the full stop when
/// the marks stand before it. `None` for a sentence with marks inside, or with markup that a link would break.
fn sentence(text: &str, claim: &Claim) -> Option<Range<usize>> {
    let end = claim.marks.first().map_or(claim.range.end, |mark| mark.range.start);
    let raw = text.get(claim.range.start..end)?.trim_end();
    let body = match raw.ends_with(STOPS) {
        true => claim.text.as_str(),
        false => claim.text.trim_end_matches(STOPS),
    };
    // Between and behind the marks, only white space and the end of the sentence may stand.
    let behind = without_marks(text.get(claim.range.start + raw.len()..claim.range.end)?);
    let closed = behind.chars().all(|c| c.is_whitespace() || STOPS.contains(&c));
    let stands = raw.ends_with(body) && without_marks(body) == body;
    let fits = body.chars().count() >= SHORTEST && !body.contains(['[', ']', '\n', '|']);
    (closed && stands && fits).then(|| {
        let stop = claim.range.start + raw.len();
        stop - body.len()..stop
    })
}
