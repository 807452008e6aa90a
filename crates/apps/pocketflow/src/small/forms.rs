//! The forms of sentences, as patterns of the grammar.
//!
//! A small model that may write anything says the question again. A form gives it the first words of the kind of sentence
//! that is wanted, and one full stop; what the sentence says is the model's.

use graphloom_retrieval::extract::query_terms;
use serde_json::{Value, json};

/// A part of a gap or a proposal that is one sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Gap,
    Why,
    Background,
    Objective,
    Method,
    Impact,
    Risk,
    Timeline,
    Answer,
}

/// The most subjects of a form.
const MOST_SUBJECTS: usize = 40;

/// The words of texts that can be the subject of a sentence: those that a search would look for, longer ones only, once
/// each.
pub(super) fn subjects<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for text in texts {
        let wanted = query_terms(text);
        for word in text.split(|c: char| !c.is_alphanumeric() && c != '-').map(str::to_lowercase) {
            let subject = word.chars().count() >= 4 && word.chars().all(|c| c.is_alphabetic() || c == '-');
            if subject
                && query_terms(&word).iter().all(|term| wanted.contains(term))
                && !found.contains(&word)
                && found.len() < MOST_SUBJECTS
            {
                found.push(word);
            }
        }
    }
    found
}

impl Part {
    /// The name in prompts and keys.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Gap => "gap",
            Self::Why => "why",
            Self::Background => "background",
            Self::Objective => "objective",
            Self::Method => "method",
            Self::Impact => "impact",
            Self::Risk => "risk",
            Self::Timeline => "timeline",
            Self::Answer => "answer",
        }
    }

    /// The schema of a sentence of this part. Where the form has a subject, it is one of `subjects`.
    pub(super) fn schema(self, subjects: &[String]) -> Value {
        let form = match self {
            Self::Gap => "It is not known (whether|how|why|when|what) (the )?@~{15,120}",
            Self::Why => "(With|Without) an answer,? ~{15,110}",
            Self::Background => "It is known (that|how|why) (the )?@~{15,110}",
            Self::Objective => "(Measure|Compare|Count|Describe|Find out) ~{15,110}",
            Self::Method => "We (measure|compare|count|test|build|read) ~{15,120}",
            Self::Impact => "(People|Programs|Writers|Users) (can|could|will) ~{15,110}",
            Self::Risk => "(It may be that|There may be too few|It may take too long to) ~{10,100}",
            Self::Timeline => "First we %{10,50}, then we %{10,50}, and last we %{10,50}",
            Self::Answer => "(We|The proposal) ~{15,110}",
        };
        // No second sentence, no citation, no markup.
        let subject = match subjects {
            [] => String::new(),
            words => format!("({}) ", words.join("|")),
        };
        let form = form.replace('@', &subject);
        let form = form.replace('~', r#"[^"\\\[\]{}<>|\n\r.]"#).replace('%', r#"[^"\\\[\]{}<>|\n\r.,]"#);
        let pattern = format!("^{form}\\.$");
        json!({ "type": "string", "pattern": pattern })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_has_one_of_its_subjects_and_no_second_sentence() {
        let subjects = subjects(["The inverted index, a full-text one", "an index of 32 KiB"]);
        assert_eq!(subjects, ["inverted", "index", "full-text"]);
        let schema = Part::Gap.schema(&subjects);
        let fits = |text: &str| graphloom_llm::parse::read_value(&json!(text).to_string(), Some(&schema)).is_ok();
        assert!(fits("It is not known how the index grows while it is read."));
        for text in [
            "It is not known how long a lane stays safe without repair.",
            "It is not known how the index grows while it is read [1].",
            "It is not known how the index grows while it is read. It is not known.",
            "The index grows while it is read.",
        ] {
            assert!(!fits(text), "{text}");
        }
    }
}
