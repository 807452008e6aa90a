//! What the index remembers of a note besides its text.

use std::fs::Metadata;
use std::time::{SystemTime, UNIX_EPOCH};

use graphloom_retrieval::extract;
use graphloom_vault::{ContentHash, Note, NotePath};
use serde::{Deserialize, Serialize};

/// A file that changed less than this before it was read may change again without a new time stamp; in milliseconds.
const GRAIN: u64 = 2_000;

/// What the index remembers of a note besides its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Card {
    /// Where the note is.
    pub path: NotePath,
    /// Its title.
    pub title: String,
    /// Its other names.
    pub aliases: Vec<String>,
    /// Its tags, without `#`.
    pub tags: Vec<String>,
    /// The hash of its bytes.
    pub hash: ContentHash,
    /// When it was last changed, in milliseconds since 1970; 0 when the system does not tell.
    pub modified: u64,
    /// The search terms of title, aliases and name, in order.
    pub(super) name_terms: Vec<String>,
    /// The search terms of the tags, in order.
    pub(super) tag_terms: Vec<String>,
}

/// What the system tells of a file without reading it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    pub(super) bytes: u64,
    /// Milliseconds since 1970.
    pub(super) modified: u64,
    nanoseconds: u32,
    /// Whether the time was old enough to tell of every later change.
    settled: bool,
}

impl Stamp {
    pub(super) fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok();
        let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let age = now.saturating_sub(since).as_millis();
        Self {
            bytes: metadata.len(),
            modified: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
            nanoseconds: since.subsec_nanos(),
            settled: modified.is_some() && age > u128::from(GRAIN),
        }
    }

    /// Whether a file with the stamp `now` surely has the content it had at this stamp.
    pub(super) fn still_holds(&self, now: &Self) -> bool {
        self.settled && (self.bytes, self.modified, self.nanoseconds) == (now.bytes, now.modified, now.nanoseconds)
    }
}

impl Card {
    /// The card of a note.
    pub(super) fn of(note: &Note, modified: u64) -> Self {
        let aliases = note.aliases();
        let tags: Vec<String> = note.tag_names().into_iter().map(str::to_owned).collect();
        let names = std::iter::once(note.title()).chain(aliases.iter().map(String::as_str)).chain([note.path().name()]);
        Self {
            path: note.path().clone(),
            title: note.title().to_owned(),
            name_terms: sorted_terms(names),
            tag_terms: sorted_terms(tags.iter().map(String::as_str)),
            hash: note.hash().clone(),
            aliases,
            tags,
            modified,
        }
    }

    /// Whether the note has a tag or one below it: `area` stands for `area/home` too.
    pub fn has_tag(&self, tag: &str) -> bool {
        let wanted = tag.trim().trim_start_matches('#').to_lowercase();
        self.tags.iter().any(|own| {
            let own = own.to_lowercase();
            own == wanted || own.strip_prefix(&wanted).is_some_and(|rest| rest.starts_with('/'))
        })
    }
}

fn sorted_terms<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut terms: Vec<String> = texts.into_iter().flat_map(extract::terms).collect();
    terms.sort_unstable();
    terms.dedup();
    terms
}
