//! A directory of Markdown notes as a vault: read as Obsidian reads it, changed as one transaction.
//!
//! * A [`Vault`] is plain files: notes with frontmatter, tags and links, and [`LinkIndex`] says what each link leads to.
//! * An [`Overlay`] collects changes that are not written yet, and reads as if they were; [`diff`] shows them.
//! * [`transaction`] applies changes all or nothing, survives a crash at any moment, and undoes a whole run.
//!
//! ```
//! use std::sync::Arc;
//! use graphloom_vault::{Changes, NotePath, Notes, Overlay, Vault, VaultOptions, diff, transaction};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let place = tempfile::tempdir()?;
//! # let root = place.path();
//! std::fs::write(root.join("Index.md"), "---\nstatus: draft # for now\n---\nSee [[Engine|the engine]].\n")?;
//! std::fs::write(root.join("Engine.md"), "# Engine\n")?;
//! let vault = Arc::new(Vault::open(root, VaultOptions::default())?);
//!
//! // Changes are made over the vault; nothing is written.
//! let mut overlay = Overlay::new(Arc::clone(&vault), Changes::default());
//! let (index, engine) = (NotePath::parse("Index.md")?, NotePath::parse("Engine.md")?);
//! overlay.set_frontmatter(&index, "status", serde_json::json!("done"))?;
//! overlay.rename(&engine, &NotePath::parse("Parts/Motor.md")?)?;
//! assert!(overlay.links().unresolved().is_empty());
//!
//! // A person reviews them, then they are applied together, and can be taken back together.
//! println!("{}", diff(&vault, overlay.changes()));
//! transaction::apply(&vault, "run-1", overlay.changes())?;
//! let now = vault.expect(&index)?;
//! assert_eq!(now.text(), "---\nstatus: done # for now\n---\nSee [[Motor|the engine]].\n");
//! transaction::undo(&vault, "run-1", &transaction::UndoOptions::default())?;
//! assert_eq!(std::fs::read_to_string(root.join("Engine.md"))?, "# Engine\n");
//! # Ok(())
//! # }
//! ```
//!
//! # Paths
//! A [`NotePath`] cannot lead out of the vault or to a hidden file. A file that is there may have any name but one with
//! control characters; a new name must be legal on every system and break no link. What is not read is listed by
//! [`Vault::skipped`]. Symbolic links are never followed, neither to read nor to write.
//!
//! # Notes
//! Reading accepts every UTF-8 text: broken frontmatter reads as none and says where it is broken. Links, tags,
//! headings and block ids are not looked for in code, math, HTML comments and `%%comments%%`. The mark that opens first
//! counts: a wikilink is one whatever stands between its brackets. Amounts of money are no math. Every link knows its
//! bytes, so that it can be rewritten in place. Editing keeps the byte order mark, the kind of line breaks, the end of
//! the last line, and every byte of the frontmatter but the lines of the edited key.
//!
//! # Links
//! Targets are compared without case: the exact path, then files whose path ends so, those below the folder of the
//! link first, then the shortest path. A move of a file or folder, a merge and a new note rewrite only the links that would
//! lead elsewhere, and keep the form of each: bare name, path, relative path, percent-encoding, alias, heading. Canvases
//! (`.canvas`) and bases (`.base`) hold links too: cards, their Markdown, and the files and folders that filters name. What
//! is rewritten is read again, and a link that cannot be written so that it leads where it led refuses the whole.
//!
//! # Changes
//! [`Changes`] are data that can be stored with a run: for each note the hash of what it was and the text it is to
//! have, and which bytes of it the author of the edits wrote. Applying refuses when a note is no longer what it was. A move
//! and the links rewritten for it are one group; [`Changes::only`] takes whole groups.
//!
//! # Settings
//! [`Settings`] are what a person has set in Obsidian of new links and of excluded files. Nothing below `.obsidian` is
//! ever written: no [`NotePath`] leads there.
//!
//! # What is deliberately absent
//! Daily notes and other settings of Obsidian are not handled, and links in HTML are not seen. There is no index of words and
//! no model.

#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod changes;
mod diff;
mod error;
mod hash;
mod links;
mod note;
mod notes;
mod overlay;
mod path;
mod settings;
mod source;
pub mod transaction;
mod vault;

pub use changes::{Change, ChangeKind, Changes, Move};
pub use diff::{Diff, FileDiff, SemanticChange, diff};
pub use error::VaultError;
pub use hash::ContentHash;
pub use links::{LinkIndex, Resolution, ResolvedLink};
pub use note::{Anchor, Block, Frontmatter, FrontmatterProblem, Heading, Link, LinkForm, Note, Tag};
pub use notes::Notes;
pub use overlay::{Conflict, Merged, Overlay, Reconciled, Relinked, Renamed};
pub use path::{NotePath, TitledPath};
pub use settings::{Excluded, LinkFormat, LinkStyle, Settings};
pub use vault::{SkipReason, Skipped, Vault, VaultOptions};
