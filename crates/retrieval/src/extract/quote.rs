//! Paragraphs that quote: sentences of evidence under labels, a lead and a choice of labels, a paragraph with marks.
//!
//! Who cannot be trusted to restate facts is offered sentences under labels and answers with a lead and labels. Each
//! chosen sentence enters the text as it stands in its source, with the mark of that source. A lead with a number or name
//! that is not in the material is dropped.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Value, json};

use super::{best_sentences, count_words};

/// Sentences of fewer or more words are not quoted.
const QUOTABLE_WORDS: std::ops::RangeInclusive<usize> = 6..=60;
/// How many sentences of one piece of evidence are considered.
const PER_EVIDENCE: usize = 6;
/// The shortest and longest lead, in characters.
const LEAD: (usize, usize) = (10, 110);

/// A sentence that can be quoted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Quotable {
    /// The id of its evidence.
    pub evidence: String,
    /// The sentence, on one line.
    pub text: String,
    /// How well it fits, larger is better.
    pub score: f32,
}

/// A sentence under a label.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Offer {
    /// `a`, `b`, …
    pub label: String,
    /// The sentence.
    pub text: String,
    /// The id of its evidence.
    pub evidence: String,
}

/// The sentences of the evidence, given as (id, text), that fit a question, best first, without those that `written`
/// already has.
#[must_use]
pub fn quotable<'e>(
    question: &str,
    evidence: impl IntoIterator<Item = (&'e str, &'e str)>,
    written: &str,
) -> Vec<Quotable> {
    let written = normal(written);
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (id, passage) in evidence {
        for sentence in best_sentences(question, passage, PER_EVIDENCE) {
            let raw = &passage[sentence.range];
            let text = clean(raw);
            let key = normal(&text);
            let fits = QUOTABLE_WORDS.contains(&count_words(&text)) && is_prose(raw);
            if fits && !key.is_empty() && !written.contains(&key) && seen.insert(key) {
                found.push(Quotable { evidence: id.to_owned(), text, score: sentence.score });
            }
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    found
}

/// Puts the labels `a` to `z` on sentences; those after the 26th are left out.
#[must_use]
pub fn offers(sentences: &[Quotable]) -> Vec<Offer> {
    sentences
        .iter()
        .zip('a'..='z')
        .map(|(sentence, label)| Offer {
            label: label.to_string(),
            text: sentence.text.clone(),
            evidence: sentence.evidence.clone(),
        })
        .collect()
}

/// The JSON schema of an answer `{lead, facts}`: a lead, and labels of offered sentences.
#[must_use]
pub fn paragraph_schema(offers: &[Offer]) -> Value {
    let labels: Vec<&str> = offers.iter().map(|offer| offer.label.as_str()).collect();
    json!({
        "x-guidance": { "whitespace_flexible": false },
        "type": "object",
        "properties": {
            "lead": { "type": "string", "minLength": LEAD.0, "maxLength": LEAD.1 },
            "facts": { "type": "array", "items": { "enum": labels }, "minItems": 1, "maxItems": offers.len().min(4) },
        },
        "required": ["lead", "facts"],
        "additionalProperties": false,
    })
}

/// A paragraph of a lead and the chosen sentences, each with the mark of its evidence, and a note when the lead was
/// dropped. Labels that were not offered are passed over; without any other label the first sentence is taken, so that
/// every paragraph cites something. `material` is what a lead may take names and numbers from, besides the sentences;
/// `mark` writes the mark of an evidence id.
#[must_use]
pub fn compose(
    offers: &[Offer],
    lead: &str,
    facts: &[String],
    material: &str,
    mark: impl Fn(&str) -> String,
) -> (String, Option<String>) {
    let mut chosen: Vec<&Offer> = Vec::new();
    for label in facts {
        if let Some(offer) = offers.iter().find(|offer| offer.label == *label)
            && !chosen.iter().any(|other| other.label == offer.label)
        {
            chosen.push(offer);
        }
    }
    if chosen.is_empty() {
        chosen.extend(offers.first());
    }
    let mut allowed = material.to_string();
    for offer in offers {
        allowed.push(' ');
        allowed.push_str(&offer.text);
    }
    let lead = lead.trim();
    let strange = invented(lead, &allowed);
    let repeats = chosen.iter().any(|offer| normal(&offer.text).contains(&normal(lead)));
    let whole = lead.ends_with(['.', '!', '?', ':', '。', '！', '？']);
    let note = if !strange.is_empty() {
        Some(format!("a sentence was left out because its sources do not have {}", strange.join(", ")))
    } else if lead.contains(['[', ']', '<', '>']) {
        Some("a sentence with brackets was left out".to_string())
    } else {
        None
    };
    let mut parts: Vec<String> = Vec::new();
    if note.is_none() && whole && !repeats && count_words(lead) > 1 {
        parts.push(lead.to_string());
    }
    parts.extend(chosen.iter().map(|offer| with_mark(&offer.text, &mark(&offer.evidence))));
    (parts.join(" "), note)
}

/// The numbers and names of a sentence that `material` does not have, in backticks. The first word of a sentence counts
/// only when it has a digit or more than one capital.
pub fn invented(sentence: &str, material: &str) -> Vec<String> {
    let known: BTreeSet<String> = words(material).map(str::to_lowercase).collect();
    let mut strange = Vec::new();
    let mut starts = true;
    for piece in sentence.split_whitespace() {
        for word in words(piece) {
            let digit = word.chars().any(|c| c.is_ascii_digit());
            let capitals = word.chars().filter(|c| c.is_uppercase()).count();
            let name =
                capitals > 1 || (capitals == 1 && !starts && word.chars().next().is_some_and(char::is_uppercase));
            let lower = word.to_lowercase();
            let singular = lower.strip_suffix("'s").unwrap_or(&lower).trim_end_matches('s');
            let is_known = known.contains(&lower) || known.iter().any(|k| k.trim_end_matches('s') == singular);
            if (digit || (name && word != "I")) && !is_known {
                strange.push(format!("`{word}`"));
            }
            starts = false;
        }
        starts = piece.ends_with(['.', '!', '?', ':']);
    }
    strange
}

/// Words with inner points and hyphens kept, such as `3.5` or `write-ahead`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| {
        c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '"' | '“' | '”' | ',' | ';' | '/' | '`' | '*' | '—')
    })
    .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
    .filter(|word| !word.is_empty())
}

/// A sentence on one line, without bracketed numbers, which would pass for citations.
#[must_use]
pub fn clean(sentence: &str) -> String {
    let line = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_start_matches(['-', '*', '•', '>', ' ']);
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(open) = rest.find('[') {
        let inner = &rest[open + 1..];
        let close = inner.find(']').unwrap_or(inner.len());
        let is_number =
            close > 0 && inner[..close].bytes().all(|b| b.is_ascii_digit() || matches!(b, b',' | b' ' | b'-'));
        if is_number && close < inner.len() {
            out.push_str(rest[..open].trim_end());
            rest = &inner[close + 1..];
        } else {
            out.push_str(&rest[..=open]);
            rest = inner;
        }
    }
    out.push_str(rest);
    out
}

/// Whether it reads like a sentence and not like a heading, a table or code.
fn is_prose(raw: &str) -> bool {
    let raw = raw.trim();
    let letters = raw.chars().filter(|c| c.is_alphabetic()).count();
    raw.ends_with(['.', '!', '。', '！', ')'])
        && !raw.starts_with(['|', '#', '`', '{', '<'])
        && !raw.contains(['{', '}', '|'])
        && letters * 10 >= raw.chars().count() * 6
}

fn with_mark(sentence: &str, mark: &str) -> String {
    let body = sentence.trim_end();
    match body.strip_suffix('.') {
        Some(body) if !body.ends_with('.') => format!("{body} {mark}."),
        _ => format!("{body} {mark}"),
    }
}

/// Letters and digits in lower case, for comparison.
fn normal(text: &str) -> String {
    words(text).map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}
