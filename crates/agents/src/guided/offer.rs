//! Sentences of sources under labels, a choice of labels, a paragraph with marks.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::object_schema;

/// The most labels of a choice.
const MOST: usize = 4;

/// A sentence of a source that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Offer {
    /// What a choice names it by.
    pub label: String,
    /// The sentence.
    pub text: String,
    /// The sentences behind it that are quoted with it.
    pub followers: Vec<String>,
    /// The id of its evidence.
    pub evidence: String,
}

impl Offer {
    /// A sentence of some evidence, without a label and without others behind it.
    #[must_use]
    pub fn new(evidence: impl Into<String>, text: impl Into<String>) -> Self {
        Self { label: String::new(), text: text.into(), followers: Vec::new(), evidence: evidence.into() }
    }

    /// The same with sentences that are quoted with it.
    #[must_use]
    pub fn followed_by(mut self, followers: Vec<String>) -> Self {
        self.followers = followers;
        self
    }

    /// The same under a label.
    #[must_use]
    pub fn labelled(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }
}

/// The labels that a model chose, as an answer of [`choice_schema`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Chosen {
    /// The labels.
    pub facts: Vec<String>,
}

/// Puts the labels `a` to `z` on sentences; those after the 26th are left out.
#[must_use]
pub fn lettered(sentences: impl IntoIterator<Item = Offer>) -> Vec<Offer> {
    sentences.into_iter().zip('a'..='z').map(|(offer, letter)| offer.labelled(letter)).collect()
}

/// The JSON schema of an answer [`Chosen`]: one to four labels of offered sentences.
#[must_use]
pub fn choice_schema(offers: &[Offer]) -> Value {
    let labels: Vec<&str> = offers.iter().map(|offer| offer.label.as_str()).collect();
    object_schema(&json!({
        "facts": { "type": "array", "items": { "enum": labels }, "minItems": 1, "maxItems": offers.len().min(MOST) },
    }))
}

/// A paragraph of the chosen sentences and those that follow them, each with the mark of its evidence, in the order in
/// which they were offered. Labels that were not offered are passed over; without any other label the first sentence is
/// taken, so that every paragraph cites something. `mark` writes the mark of an evidence id.
#[must_use]
pub fn compose(offers: &[Offer], labels: &[String], mark: impl Fn(&str) -> String) -> String {
    let mut chosen: Vec<&Offer> = offers.iter().filter(|offer| labels.contains(&offer.label)).collect();
    if chosen.is_empty() {
        chosen.extend(offers.first());
    }
    let sentences = chosen
        .iter()
        .flat_map(|offer| std::iter::once(&offer.text).chain(&offer.followers).map(move |text| (text, offer)));
    let marked: Vec<String> = sentences.map(|(text, offer)| with_mark(text, &mark(&offer.evidence))).collect();
    marked.join(" ")
}

/// A sentence with its mark before the full stop.
fn with_mark(sentence: &str, mark: &str) -> String {
    let body = sentence.trim_end();
    match body.strip_suffix('.') {
        Some(body) if !body.ends_with('.') => format!("{body} {mark}."),
        _ => format!("{body} {mark}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offers() -> Vec<Offer> {
        lettered([
            Offer::new("x", "It rains.").followed_by(vec!["It pours...".to_owned()]),
            Offer::new("y", "それは本当です。"),
        ])
    }

    #[test]
    fn the_mark_stands_before_the_full_stop() {
        let mark = |evidence: &str| format!("[{evidence}]");
        let all = ["b", "a"].map(str::to_owned);
        assert_eq!(compose(&offers(), &all, mark), "It rains [x]. It pours... [x] それは本当です。 [y]");
    }

    #[test]
    fn a_paragraph_is_made_whatever_is_chosen() {
        for labels in [vec![], vec!["z".to_owned()]] {
            assert_eq!(compose(&offers()[1..], &labels, |_| "!".to_owned()), "それは本当です。 !");
        }
        assert_eq!(compose(&[], &[], |_| String::new()), "");
    }

    #[test]
    fn a_choice_is_of_offered_labels_and_of_four_at_most() {
        let many = lettered((0..40).map(|n| Offer::new("x", n.to_string())));
        assert_eq!((many.len(), many[25].label.as_str()), (26, "z"));
        for (offers, most) in [(offers(), 2), (many, 4)] {
            let facts = &choice_schema(&offers)["properties"]["facts"];
            assert_eq!(facts["items"]["enum"].as_array().map(Vec::len), Some(offers.len()));
            assert_eq!((&facts["minItems"], &facts["maxItems"]), (&json!(1), &json!(most)));
        }
    }
}
