//! Sections that no model wrote.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::evidence::Document;
use crate::status::Notice;

/// A section whose writer could not be asked, because it failed or the budget of writing was spent: quotations stand in for
/// its text, or nothing does. [`crate::rewrite`] writes it again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Unwritten {
    /// The section.
    pub section_id: String,
    /// All documents that its research found; a writer gets those of them that count.
    pub documents: Vec<Document>,
    /// The notices of the quoted text, which no longer hold once the section is written.
    pub notices: Vec<Notice>,
    /// The notes of the quoted text.
    pub notes: Vec<String>,
}

impl Unwritten {
    /// A section with the documents that it is written from.
    pub fn new(section_id: impl Into<String>, documents: Vec<Document>) -> Self {
        Self { section_id: section_id.into(), documents, ..Self::default() }
    }

    /// The same section with further notices and notes.
    #[must_use]
    pub(crate) fn with_reports(mut self, notices: &[Notice], notes: &[String]) -> Self {
        self.notices.extend_from_slice(notices);
        self.notes.extend_from_slice(notes);
        self
    }
}
