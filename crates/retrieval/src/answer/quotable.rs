//! A sentence that can be quoted.

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
