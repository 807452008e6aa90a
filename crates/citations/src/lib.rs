//! Finds the claims of a text with the citations they carry, and says whether the cited sources support them.
//!
//! * [`claims`] cuts Markdown into sentences, items and rows with their citation marks; [`sentences`] knows
//!   abbreviations, ordinals, decimals, code and the writing of English, German, Chinese and Japanese.
//! * [`check`] looks for a quotation and for another number, unit or date of the same quantity, and asks an
//!   [`Entailment`] judge for the rest; the [`Verdict`] points at the words of the source.
//! * [`checked_mark`] and [`replace_marks`] write verdicts back as `[checked_citation:ID][[N]](URL)`, and
//!   [`unresolved`] finds marks that lead nowhere.
//!
//! ```
//! use graphloom_citations::{CheckOptions, Extractive, SourceText, Verdict, check, claims};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let text = "A checkpoint starts at 1000 pages.[citation:wal] It starts at 5000 pages.[citation:wal]";
//! let source = SourceText::new("The log", "A checkpoint starts at 1000 pages. It can be turned off.");
//! let found = claims(text);
//!
//! let first = check(&found[0].text, source, &Extractive::default(), CheckOptions::default()).await;
//! let span = first.verdict.span().and_then(|span| span.of(source.text));
//! assert_eq!(span, Some("A checkpoint starts at 1000 pages"));
//!
//! let second = check(&found[1].text, source, &Extractive::default(), CheckOptions::default()).await;
//! assert!(matches!(second.verdict, Verdict::Contradicted { .. }));
//! # });
//! ```
//!
//! # Who may accept, who may reject
//! Only a judge of entailment or a quotation accepts, and a quotation only as a whole sentence that the source states
//! itself: not a myth, a report, a condition, a question, a heading or something that the next sentence takes back. Only
//! another number, unit or date of the same quantity in the same clause rejects. All else that rules find, such as a name
//! that the source does not have or a word that is denied on one side, is a reason to look: it goes to the judge with the
//! question ([`Question::doubts`]) and decides nothing. Where the source has something else in the place of what the claim says
//! ([`Fault::opposes`]) and the judge accepts the claim all the same, nobody is sure: the claim is
//! [`Verdict::NotChecked`].
//!
//! # Outages
//! A judge that cannot be asked leaves [`Verdict::NotChecked`] with its reason, whatever rules doubted. Nothing is deleted
//! for it.
//!
//! # What is deliberately absent
//! No model, no network, no graph: judges are a trait. Whether two names mean the same thing, arithmetic over several
//! sentences, and claims that need several sources at once are left to the judge.
#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod check;
mod claim;
mod disclaimer;
mod entail;
mod locate;
mod mark;
mod marker;
pub mod planted;
mod rules;
mod segment;
mod stem;
mod token;
mod verdict;

pub use check::{CheckOptions, Examined, OpenClaim, check, examine};
pub use claim::{Claim, claims, claims_in};
pub use entail::{Entailment, Extractive, Judgement, Outage, Question};
pub use graphloom_text::Language;
pub use locate::{Span, best_overlap, find_quotation};
pub use mark::{Mark, Target, marks, whole_marks, without_marks};
pub use marker::{checked_ids, checked_mark, replace_marks, unresolved};
pub use rules::{Fault, FaultKind};
pub use segment::{sentences, sentences_in};
pub use verdict::{Basis, Checked, SourceText, Verdict};
