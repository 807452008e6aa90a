//! A directory of Markdown notes as a vault: notes, links, pending changes, transactions.

#![forbid(unsafe_code)]

mod changes;
mod diff;
mod error;
mod hash;
mod links;
mod note;
mod notes;
mod overlay;
mod path;
pub mod transaction;
mod vault;

pub use changes::{Change, ChangeKind, Changes, Move};
pub use diff::{Diff, FileDiff, Meaning, diff};
pub use error::VaultError;
pub use hash::ContentHash;
pub use links::{LinkIndex, Resolution, ResolvedLink};
pub use note::{Anchor, Block, Frontmatter, FrontmatterProblem, Heading, Link, LinkForm, Note, Tag};
pub use notes::Notes;
pub use overlay::{Overlay, Relinked, Renamed};
pub use path::{NotePath, TitledPath};
pub use vault::{SkipReason, Skipped, Vault, VaultOptions};
