//! Writing a section from what was found: the documents that count, an outline, a text with citations, a summary.
//!
//! A `[citation:X]` stands behind what the X-th of the chosen documents says, from 1. A small model does not write: it
//! chooses among sentences of the documents, which enter the text as they stand.

mod classify;
mod headings;
mod numbered;
mod outline;
mod quoted;
mod summary;
mod text;

pub use crate::markup::{citation, cited};
pub use classify::rank;
pub use headings::clean_headings;
pub use outline::{SectionOutline, check_outline};

pub(crate) use classify::{best, classify};
pub(crate) use outline::section_outline;
pub(crate) use quoted::quote;
pub(crate) use summary::{quoted_summary, summarise};
pub(crate) use text::write;

use graphloom_core_graph::Context;

use crate::evidence::Document;
use crate::resources::Resources;
use crate::state::SectionBrief;

/// What a section is written with.
#[derive(Clone, Copy)]
pub(crate) struct WritingContext<'a> {
    /// The task.
    pub(crate) cx: &'a Context<Resources>,
    /// The section.
    pub(crate) brief: &'a SectionBrief,
    /// The documents, best first.
    pub(crate) documents: &'a [Document],
    /// What its steps asked, for choosing sentences.
    pub(crate) questions: &'a [String],
}
