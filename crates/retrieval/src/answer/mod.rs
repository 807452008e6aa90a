//! What a request asks for, which sentences answer it, and whether a text does: for programs that quote because their model
//! is too small to write.
//!
//! ```
//! use graphloom_retrieval::answer::{Material, Request};
//!
//! let request = Request::of("What is the write-ahead log and when does a checkpoint run?");
//! assert_eq!(request.parts().len(), 2);
//!
//! let text = "The write-ahead log is a file that holds every change before the database does. It is synced. \
//!             A checkpoint runs when the log has a thousand pages.";
//! let found = request.quotable("", [Material::new("doc#1", "The log", text)], "");
//! assert_eq!(found.len(), 2);
//! assert!(request.unanswered(text).is_empty());
//! assert_eq!(request.unanswered("Bees find flowers by their colour and scent.").len(), 2);
//! ```
//!
//! # What a part is
//! A thing that is asked for and could be left unanswered by itself: an item of a list, or a question of several. A part has
//! terms of its own, and terms around it that all parts of a list share.
//!
//! # What bears on a part
//! A sentence that shares enough terms with it, where its passage and the headings above it count for a little, in a document
//! that is about the part when it is compared with the best that was found. The bars were set in view of forty requests over
//! the documents of SQLite and PostgreSQL; `docs/testing.md` has the figures, which miss what is wanted.

mod check;
mod form;
mod pool;
mod quotable;
mod quote;
mod relevance;
mod request;
mod split;
mod words;

pub use check::{Findings, check};
pub use quotable::Quotable;
pub use quote::Material;
pub use request::{Part, Request, unanswered_line};
