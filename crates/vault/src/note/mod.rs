//! One note: its text, and what is written in it.

pub(crate) mod encoding;
pub(crate) mod frontmatter;
pub(crate) mod heading;
mod inline;
pub(crate) mod lines;
pub(crate) mod link;
mod markdown;
mod math;
pub(crate) mod ranges;
mod scan;
mod tag;
pub(crate) mod wikilink;

use std::fmt;
use std::sync::Arc;

use crate::{ContentHash, NotePath};
pub use frontmatter::{Frontmatter, FrontmatterProblem};
pub use heading::{Block, Heading};
use lines::{BOM, Lines};
pub(crate) use link::anchor_of;
pub use link::{Anchor, Link, LinkForm};
pub use tag::Tag;

/// A note as it was when it was read. Cloning is cheap.
///
/// ```
/// use graphloom_vault::{Note, NotePath};
///
/// let text = "---\ntags: [graph]\n---\n# Plan\n\nSee [[Engine#Steps|the steps]]. #idea\n";
/// let note = Note::parse(NotePath::parse("Plan.md")?, text);
/// assert_eq!(note.frontmatter().get("tags"), Some(&serde_json::json!(["graph"])));
/// assert_eq!(note.tag_names(), ["graph", "idea"]);
/// assert_eq!(note.links()[0].target, "Engine");
/// assert_eq!(note.title(), "Plan");
/// # Ok::<(), graphloom_vault::VaultError>(())
/// ```
#[derive(Clone)]
pub struct Note(Arc<Parsed>);

struct Parsed {
    path: NotePath,
    text: Arc<str>,
    hash: ContentHash,
    frontmatter: Frontmatter,
    links: Vec<Link>,
    tags: Vec<Tag>,
    headings: Vec<Heading>,
    blocks: Vec<Block>,
}

impl Note {
    /// Reads a note's text. Every text is a note: what is broken in it reads as text.
    #[must_use]
    pub fn parse(path: NotePath, text: impl Into<Arc<str>>) -> Self {
        let text: Arc<str> = text.into();
        let hash = ContentHash::of(text.as_bytes());
        Self::with_hash(path, text, hash)
    }

    pub(crate) fn with_hash(path: NotePath, text: Arc<str>, hash: ContentHash) -> Self {
        let lines = Lines::of(&text);
        let frontmatter = Frontmatter::read(&text);
        let mut found = scan::scan(&text, frontmatter.span.end, &lines);
        let mut links = frontmatter_links(&text, &frontmatter, &lines);
        links.append(&mut found.links);
        let mut tags: Vec<Tag> = ["tags", "tag"]
            .iter()
            .filter_map(|key| frontmatter.get(key))
            .flat_map(tag::tags_of)
            .map(|name| Tag { name, line: 1, span: None })
            .collect();
        tags.append(&mut found.tags);
        let (headings, blocks) = (found.headings, found.blocks);
        Self(Arc::new(Parsed { path, text, hash, frontmatter, links, tags, headings, blocks }))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &NotePath {
        &self.0.path
    }

    /// The whole file, with frontmatter and, where there is one, byte order mark.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The whole file, shared.
    #[must_use]
    pub fn shared_text(&self) -> Arc<str> {
        Arc::clone(&self.0.text)
    }

    /// The hash of the file's bytes.
    #[must_use]
    pub fn hash(&self) -> &ContentHash {
        &self.0.hash
    }

    /// The text after the frontmatter.
    #[must_use]
    pub fn body(&self) -> &str {
        self.0.text[self.0.frontmatter.span.end..].trim_start_matches(BOM)
    }

    /// The `title` of the frontmatter, else the first heading of level 1, else the file's name.
    #[must_use]
    pub fn title(&self) -> &str {
        let named = self.0.frontmatter.get("title").and_then(|title| title.as_str()).map(str::trim);
        let headed = || self.0.headings.iter().find(|heading| heading.level == 1).map(|heading| heading.text.as_str());
        let named = named.filter(|title| !title.is_empty());
        named.or_else(|| headed().filter(|title| !title.is_empty())).unwrap_or_else(|| self.0.path.name())
    }

    /// The keys and values at the start of the note.
    #[must_use]
    pub fn frontmatter(&self) -> &Frontmatter {
        &self.0.frontmatter
    }

    /// Every tag where it stands: those of the frontmatter first, then those of the text.
    #[must_use]
    pub fn tags(&self) -> &[Tag] {
        &self.0.tags
    }

    /// The names of the tags, each once whatever its case, in the order they first stand.
    #[must_use]
    pub fn tag_names(&self) -> Vec<&str> {
        let mut seen = std::collections::BTreeSet::new();
        self.0.tags.iter().filter(|tag| seen.insert(tag.name.to_lowercase())).map(|tag| tag.name.as_str()).collect()
    }

    /// Other names of the note, from the frontmatter. They suggest; they do not resolve.
    #[must_use]
    pub fn aliases(&self) -> Vec<String> {
        let split = |text: &str| text.split(',').map(|alias| alias.trim().to_owned()).collect();
        ["aliases", "alias"]
            .iter()
            .filter_map(|key| self.0.frontmatter.get(key))
            .flat_map(|value| tag::texts_of(value, split))
            .filter(|alias| !alias.is_empty())
            .collect()
    }

    /// Every link to a file of the vault: those of the frontmatter first, then those of the text, in order.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.0.links
    }

    /// The headings in order.
    #[must_use]
    pub fn headings(&self) -> &[Heading] {
        &self.0.headings
    }

    /// The block ids in order.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        &self.0.blocks
    }

    /// Whether the part that the anchor names is there.
    #[must_use]
    pub fn holds(&self, anchor: &Anchor) -> bool {
        heading::holds(&self.0.headings, &self.0.blocks, anchor)
    }
}

impl fmt::Debug for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Note").field("path", &self.0.path).field("bytes", &self.0.text.len()).finish_non_exhaustive()
    }
}

impl PartialEq for Note {
    fn eq(&self, other: &Self) -> bool {
        self.0.path == other.0.path && self.0.hash == other.0.hash
    }
}

/// Wikilinks in the texts of the frontmatter's values.
fn frontmatter_links(text: &str, frontmatter: &Frontmatter, lines: &Lines) -> Vec<Link> {
    let mut links = Vec::new();
    for scalar in &frontmatter.scalars {
        let Some(value) = scalar.decoded(text) else { continue };
        links.extend(wikilink::wikilinks(&value.text).into_iter().map(|link| {
            let mut link = value.placed(link, lines);
            link.in_frontmatter = true;
            link
        }));
    }
    links.sort_by_key(|link| link.span.start);
    links
}
