//! Texts of notes: the list of an index, plain words out of Markdown, links that lead somewhere.

mod index_note;
mod plain;
mod quoted;
mod redirect;
mod repair_links;

pub use index_note::{Grouping, IndexEntry, entry_line, groupings, index_text, link_to};
pub use plain::{first_sentence, plain};
pub use quoted::{Quoted, quoted};
pub use repair_links::repair_links;
pub(crate) use repair_links::{MissingNotes, is_written};
