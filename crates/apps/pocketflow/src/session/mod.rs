//! What a conversation keeps between turns: one versioned record in the long-term store.
//!
//! [`load`] checks what it reads: missing fields get defaults, older schemas are migrated, what cannot be read is put
//! into quarantine and replaced by a fresh record, a newer schema is refused. [`save`] refuses to write over what
//! somebody else saved meanwhile.

mod artifacts;
mod decode;
pub mod delivery;
mod error;
mod numbered;
mod older;
mod question;
mod record;
pub mod stops;
mod storage;

pub use artifacts::{Artifact, Artifacts, Finding, Gap, Proposal, Reference, Review, SearchQuery, Section, Theme};
pub use decode::{Decoded, LoadNote, decode};
pub use error::SessionError;
pub(crate) use numbered::{Numbered, numbered};
pub use question::Question;
pub use record::{Approvals, Archived, Cycles, JourneyStep, Line, Role, SCHEMA, Session, Status, Waiting};
pub use storage::{Loaded, list, load, quarantined, restore, save};
