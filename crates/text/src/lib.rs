//! What every reader of text needs: where sentences begin and end, which language a text looks like, units that compare by
//! value, and addresses that compare by the page they lead to.
//!
//! ```
//! use graphloom_text::{canonical, sentences, unit};
//!
//! let text = "Dr. Gray measured 4 KiB, e.g. in `a.b. C`. It held.";
//! let found: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
//! assert_eq!(found, ["Dr. Gray measured 4 KiB, e.g. in `a.b. C`.", "It held."]);
//!
//! assert!(unit::same_amount((4.0, unit::named("kib").unwrap()), (4096.0, unit::named("bytes").unwrap())));
//! assert_eq!(canonical("HTTPS://Example.org:443/a/#top"), canonical("https://example.org/a"));
//! ```
#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod address;
mod language;
mod script;
pub mod sentence;
pub mod unit;

pub use address::{LONGEST_ADDRESS, canonical, has_credentials, link_target};
pub use language::Language;
pub use script::{is_ideographic, is_katakana};
pub use sentence::{sentences, sentences_in};
