//! What a small model is asked: one small question at a time.
//!
//! A model of a few hundred million parameters fills no large schema, forgets long instructions and invents figures. So it
//! writes search queries and short answers, chooses among sentences that stand in the records, and names records from a
//! closed set. A proposal holds what it chose, sentences of fixed forms, and blanks for the person; only quotations are
//! cited. What had to be left out or replaced is a note, which the person is told with the next message.
//!
//! Here is what those questions share. What is asked stands beside the node that asks it: `free.rs` for a model that is asked
//! for the whole, `guided.rs` for a small one.

mod questions;
mod quote;
mod sentence;

pub(crate) use questions::SmallQuestions;
pub(crate) use quote::{claims, quotable};
pub(crate) use sentence::{blank, clip, unmarked};
