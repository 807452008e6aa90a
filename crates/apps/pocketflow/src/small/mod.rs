//! What a model that answers inside a grammar is asked: one small question at a time.
//!
//! A model of a few hundred million parameters fills no large schema, forgets long instructions and invents figures. So it
//! writes search queries and short answers, chooses among sentences that stand in the records, and names records from a
//! closed set. A proposal holds what it chose, sentences of fixed forms, and blanks for the person; only quotations are
//! cited. What had to be left out or replaced is a note, which the person is told with the next message.

mod answer;
mod ask;
mod example;
mod gap;
mod proposal;
mod queries;
mod quote;
mod read;
mod sentence;

pub(crate) use answer::answer;
pub(crate) use ask::Small;
pub(crate) use gap::find_gap;
pub(crate) use proposal::write;
pub(crate) use queries::make_queries;
pub(crate) use read::{Search, read, themes};
