//! A directory of Markdown notes as a vault: notes, links, pending changes, transactions.

#![forbid(unsafe_code)]

mod changes;
mod error;
mod hash;
mod note;
mod notes;
mod path;

pub use changes::{Change, ChangeKind, Changes, Move};
pub use error::VaultError;
pub use hash::ContentHash;
pub use note::{Anchor, Block, Frontmatter, FrontmatterProblem, Heading, Link, LinkForm, Note, Tag};
pub use notes::Notes;
pub use path::{NotePath, TitledPath};
