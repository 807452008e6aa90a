//! Where statements come from: sources found and checked, and what conclusions rest on.
//!
//! - [`trace_section`] is stage 1: a section's `[citation:X]` and the statements that the tracer matches with sources
//!   become `[source_tracer_result][title](url)`.
//! - [`check_report`] is stage 2: every citation of the report gets a verdict; what stays is
//!   `[checked_citation:id][[n]](url)` with an entry in `citation_messages`.
//! - Statements without a citation are looked up in those whose citations are supported; the others are the writer's own.
//! - [`infer`] draws what conclusions rest on.

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
