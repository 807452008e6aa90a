//! Rules that every reader of text needs: the bounds of sentences, the language of a text, stems of words, stop words,
//! numbers as they are written, units that compare by value, and addresses that compare by the page they lead to.
//!
//! ```
//! use graphloom_text::{canonical, is_stop_word, number, sentences, stem, unit, Language};
//!
//! let text = "Dr. Gray measured 4 KiB, e.g. in `a.b. C`. It held.";
//! let found: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
//! assert_eq!(found, ["Dr. Gray measured 4 KiB, e.g. in `a.b. C`.", "It held."]);
//!
//! let language = Language::detect("Die Häuser sind nicht alt.");
//! assert_eq!(stem("häuser", language), stem("haus", language));
//! assert!(is_stop_word("nicht", language));
//!
//! assert_eq!(number::readings("1.234,5"), [1234.5]);
//! assert!(unit::same_amount((4.0, unit::named("kib").unwrap()), (4096.0, unit::named("bytes").unwrap())));
//! assert_eq!(canonical("HTTPS://Example.org:443/a/#top"), canonical("https://example.org/a"));
//! ```
#![forbid(unsafe_code)]

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod address;
mod fold;
mod key_mark;
mod language;
mod link;
pub mod markdown;
pub mod number;
mod reference_list;
mod script;
pub mod sentence;
mod stem;
mod stop_words;
pub mod unit;
mod visible;
mod words;

pub use crate::stop_words::is_stop_word;
pub use address::{LONGEST_ADDRESS, canonical, has_credentials};
pub use fold::fold;
pub use key_mark::{KeyMark, KeyWords, key_marks, key_marks_anywhere, without_brackets, without_cut_mark};
pub use language::Language;
pub use link::{BracketedNumbers, bracketed_numbers, link_target, link_words, target_length, target_path};
pub use reference_list::{ReferenceList, Unlisted, reference_lists, references_title, without_reference_lists};
pub use script::{is_ideographic, is_katakana};
pub use sentence::{sentences, sentences_in};
pub use stem::stem;
pub use visible::{is_visible, visible_text};
pub use words::{count_words, words};
