//! Texts of notes: the list of an index, plain words out of Markdown, links that lead somewhere.

mod index_note;
mod mend;
mod plain;
mod quoted;
mod redirect;

pub use index_note::{Grouping, IndexEntry, entry_line, groupings, index_text, link_to};
pub use mend::mend_links;
pub(crate) use mend::{ToCome, is_written};
pub use plain::{first_sentence, plain};
pub use quoted::{Quoted, quoted};
