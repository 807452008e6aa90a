//! The sources of statements: search and check of citations, and the reasons of conclusions.
//!
//! - [`trace_section`] is stage 1: a section's `[citation:X]` and the statements that the tracer matches with sources
//!   become `[source_tracer_result][title](url)`.
//! - [`check_report`] is stage 2: every citation of the report gets a verdict. A citation that stays becomes
//!   `[checked_citation:id][[n]](url)`, with an entry in `citation_messages`.
//! - A statement without a citation is looked up in the statements whose citations are supported; a statement that is
//!   not found there is the writer's own.
//! - [`infer`] draws the reasons of conclusions.

mod chart_citation;
mod check;
mod gather;
pub mod infer;
mod judge;
mod message;
mod number;
mod outcome;
mod references;
mod section;
mod uncited;
mod unsupported;

pub use crate::markup::{TraceMark, trace_mark, trace_marks};
pub use check::{CheckedReport, check_report};
pub use judge::{JudgeFailure, ModelJudge};
pub use outcome::{CitationCount, Resolution, UnsupportedStatement};
pub use references::unchecked;
pub use section::{SectionTrace, trace_section};
pub(crate) use uncited::check_uncited;
