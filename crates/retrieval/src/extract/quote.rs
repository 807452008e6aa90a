//! Paragraphs that quote: sentences of evidence under labels, a choice of labels, a paragraph with marks.
//!
//! Who cannot be trusted to restate facts is offered sentences under labels and answers with labels. Each chosen sentence
//! enters the text as it stands in its source, with the mark of that source.

use graphloom_text::{BracketedNumbers, bracketed_numbers};
use serde::Serialize;
use serde_json::{Value, json};

/// A sentence that can be quoted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Quotable {
    /// The id of its evidence.
    pub evidence: String,
    /// The sentence, on one line.
    pub text: String,
    /// The sentences that stand behind it and go on with the same.
    pub followers: Vec<String>,
    /// How well it fits, larger is better.
    pub score: f32,
}

impl Quotable {
    /// A sentence by itself.
    #[must_use]
    pub fn new(evidence: impl Into<String>, text: impl Into<String>, score: f32) -> Self {
        Self { evidence: evidence.into(), text: text.into(), followers: Vec::new(), score }
    }
}

/// A sentence under a label.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Offer {
    /// `a`, `b`, …
    pub label: String,
    /// The sentence.
    pub text: String,
    /// The sentences behind it that are quoted with it.
    pub followers: Vec<String>,
    /// The id of its evidence.
    pub evidence: String,
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
            followers: sentence.followers.clone(),
            evidence: sentence.evidence.clone(),
        })
        .collect()
}

/// The JSON schema of an answer `{facts}`: labels of offered sentences.
#[must_use]
pub fn choice_schema(offers: &[Offer]) -> Value {
    let labels: Vec<&str> = offers.iter().map(|offer| offer.label.as_str()).collect();
    json!({
        "x-guidance": { "whitespace_flexible": false },
        "type": "object",
        "properties": {
            "facts": { "type": "array", "items": { "enum": labels }, "minItems": 1, "maxItems": offers.len().min(4) },
        },
        "required": ["facts"],
        "additionalProperties": false,
    })
}

/// A paragraph of the chosen sentences and those that follow them, each with the mark of its evidence, in the order in
/// which they were offered. Labels that were not offered are passed over; without any other label the first sentence is
/// taken, so that every paragraph cites something. `mark` writes the mark of an evidence id.
#[must_use]
pub fn compose(offers: &[Offer], facts: &[String], mark: impl Fn(&str) -> String) -> String {
    let mut chosen: Vec<&Offer> = offers.iter().filter(|offer| facts.contains(&offer.label)).collect();
    if chosen.is_empty() {
        chosen.extend(offers.first());
    }
    let sentences = chosen
        .iter()
        .flat_map(|offer| std::iter::once(&offer.text).chain(&offer.followers).map(move |text| (text, offer)));
    let marked: Vec<String> = sentences.map(|(text, offer)| with_mark(text, &mark(&offer.evidence))).collect();
    marked.join(" ")
}

/// A sentence on one line, without bracketed numbers, which would pass for citations.
#[must_use]
pub fn clean(sentence: &str) -> String {
    let line = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_start_matches(['-', '*', '•', '>', ' ']);
    without_numbers(line)
}

/// A line without numbers in square brackets and the spaces before them.
pub(crate) fn without_numbers(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut from = 0;
    for BracketedNumbers { range, .. } in bracketed_numbers(line) {
        out.push_str(line[from..range.start].trim_end());
        from = range.end;
    }
    out.push_str(&line[from..]);
    out
}

fn with_mark(sentence: &str, mark: &str) -> String {
    let body = sentence.trim_end();
    match body.strip_suffix('.') {
        Some(body) if !body.ends_with('.') => format!("{body} {mark}."),
        _ => format!("{body} {mark}"),
    }
}
