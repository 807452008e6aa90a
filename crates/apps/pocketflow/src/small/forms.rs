//! The forms of sentences, as patterns of the grammar.
//!
//! A small model that may write anything says the question again. A form gives it the first words of the kind of sentence
//! that is wanted, and one full stop; what the sentence says is the model's.

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

    /// The schema of a sentence of this part.
    pub(super) fn schema(self) -> Value {
        let form = match self {
            Self::Gap => "It is not known (whether|how|why|which|when|what) ~{20,130}",
            Self::Why => "(With|Without) an answer,? ~{15,110}",
            Self::Background => "It is known (that|how|why|which) ~{15,110}",
            Self::Objective => "(Measure|Compare|Count|Describe|Find out) ~{15,110}",
            Self::Method => "We (measure|compare|count|test|build|read) ~{15,120}",
            Self::Impact => "(People|Programs|Writers|Users) (can|could|will) ~{15,110}",
            Self::Risk => "(It may be that|There may be too few|It may take too long to) ~{10,100}",
            Self::Timeline => "First we ~{10,50}, then we ~{10,50}, and last we ~{10,50}",
            Self::Answer => "(We|The proposal) ~{15,110}",
        };
        // No second sentence, no citation, no markup.
        let pattern = format!("^{}\\.$", form.replace('~', r#"[^"\\\[\]{}<>|\n\r.]"#));
        json!({ "type": "string", "pattern": pattern })
    }
}
