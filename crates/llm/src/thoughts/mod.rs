//! Thoughts that a model writes into its text, told from its answer.
//!
//! Providers give the reasoning of a model beside its answer. Servers that do not know a model's form leave it in the
//! text: in tags (`<think>…</think>`, `[THINK]…[/THINK]`, `◁think▷…◁/think▷`), in tokens
//! (`<|begin_of_thought|>…<|end_of_thought|>`), or in channels (`<|channel|>analysis<|message|>…`), whose tokens may be
//! gone (`analysis…assistantfinal…`). [`separate`] tells the thoughts from the answer, [`Splitter`] does the same while a
//! text comes, and [`apart`] and [`apart_stream`] do it for the answer of a model: its message then has the thoughts as
//! [`Part::Reasoning`](crate::Part::Reasoning), and its text has none.
//!
//! # What counts
//!
//! - Tags are read in any case, with spaces and attributes.
//! - An opening tag begins thoughts at the beginning of an answer, of a line, behind the end of a sentence, or at a word
//!   without a space between. Thoughts that nothing closes take the rest of the text.
//! - A closing tag that nothing opened ends thoughts that the server's template began: all text before it is thoughts.
//!   Where several such tags follow each other the last one counts.
//! - A tag in code counts nowhere: in a fence, between backticks, in quotes, in a text of JSON. A fence that is not closed
//!   where thoughts end is no code.
//! - A tag amid a sentence that speaks of it counts nowhere: an opening one behind a word, with the closing one that belongs
//!   to it, and a closing one between words such as "with" or "tag".
//! - Tokens and channels stand in no other text, and count wherever they stand, but in code.

mod apply;
mod code;
mod marks;
mod separate;
mod splitter;
mod spoken;
mod walk;

pub use apply::{apart, apart_stream};
pub use separate::{Separated, separate};
pub use splitter::{Piece, Splitter};

#[cfg(test)]
mod drawn;
#[cfg(test)]
mod tests;
