//! Links between the notes of a vault: what each names, and what names each.

pub(crate) mod resolve;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::note::anchor_of;
use crate::path::without_ending;
use crate::source::{Source, holds_links};
use crate::{Anchor, Link, LinkForm, Note, NotePath, Notes, SkipReason, Skipped};
use resolve::Resolver;

/// What a link leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Resolution {
    /// A note, and in it the part that is named, if one is.
    Note(NotePath),
    /// The note itself, and in it the part that is named.
    SameNote,
    /// A note that has no such heading. For a link within a note it is that note.
    MissingHeading(NotePath),
    /// A note that has no such block id.
    MissingBlock(NotePath),
    /// Another file of the vault.
    Attachment(String),
    /// Nothing. The notes are those that have the name as an alias, or a similar one.
    Unresolved(Vec<NotePath>),
}

impl Resolution {
    /// The note it leads to, found or not the part of it; `None` for the note itself and what is no note.
    #[must_use]
    pub fn note(&self) -> Option<&NotePath> {
        match self {
            Self::Note(path) | Self::MissingHeading(path) | Self::MissingBlock(path) => Some(path),
            _ => None,
        }
    }

    /// Whether following the link shows what it names.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        matches!(self, Self::Note(_) | Self::SameNote | Self::Attachment(_))
    }
}

/// A link and what it leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ResolvedLink {
    /// The note it stands in.
    pub from: NotePath,
    /// The link as written.
    pub link: Link,
    /// What it leads to.
    pub to: Resolution,
}

/// All links of a set of notes at one moment.
///
/// Targets are compared without case, as in Obsidian: the exact path from the root first, then files whose path ends
/// so, those below the folder of the link before others, then the shortest path. Markdown links are read from the
/// folder of their note first. Aliases do not resolve; they are suggested. The cards of canvases and the filters of bases
/// are links as well.
///
/// ```
/// use graphloom_vault::{LinkIndex, NotePath, Resolution, Vault, VaultOptions};
///
/// # let place = tempfile::tempdir()?;
/// # let root = place.path();
/// std::fs::write(root.join("A.md"), "[[B]] and [[missing]]")?;
/// std::fs::write(root.join("B.md"), "# B")?;
/// let index = LinkIndex::build(&Vault::open(root, VaultOptions::default())?);
///
/// let (a, b) = (NotePath::parse("A.md")?, NotePath::parse("B.md")?);
/// assert_eq!(index.outgoing(&a)[0].to, Resolution::Note(b.clone()));
/// assert_eq!(index.backlinks(&b)[0].from, a);
/// assert_eq!(index.unresolved()[0].link.target, "missing");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct LinkIndex {
    resolver: Resolver,
    notes: BTreeMap<NotePath, Note>,
    aliases: BTreeMap<String, Vec<NotePath>>,
    outgoing: BTreeMap<NotePath, Vec<ResolvedLink>>,
    /// The links to a note: where each stands, and its number among the links there.
    incoming: BTreeMap<NotePath, Vec<(NotePath, usize)>>,
    unread: Vec<Skipped>,
}

impl LinkIndex {
    /// Reads every note once and resolves its links. A note that cannot be read is listed by [`unread`](Self::unread).
    #[must_use]
    pub fn build(notes: &(impl Notes + ?Sized)) -> Self {
        let paths = notes.paths();
        let others: Vec<NotePath> =
            notes.attachments().iter().filter_map(|path| NotePath::of_file(path).ok()).collect();
        let resolver = Resolver::new(paths.iter().chain(&others).cloned());
        let mut index = Self {
            resolver,
            notes: BTreeMap::new(),
            aliases: BTreeMap::new(),
            outgoing: BTreeMap::new(),
            incoming: BTreeMap::new(),
            unread: Vec::new(),
        };
        for path in paths {
            match notes.read(&path) {
                Ok(Some(note)) => {
                    for alias in note.aliases() {
                        index.aliases.entry(alias.to_lowercase()).or_default().push(path.clone());
                    }
                    index.notes.insert(path, note);
                }
                Ok(None) => {}
                Err(error) => index.unread.push(Skipped::of(&path, &error)),
            }
        }
        let mut sources: Vec<(NotePath, Source)> = Vec::new();
        for path in others.into_iter().filter(holds_links) {
            let read = notes.text(&path).map_err(|error| error.to_string());
            match read.and_then(|text| text.map(|text| Source::read(&path, text)).transpose()) {
                Ok(Some(source)) => sources.push((path, source)),
                Ok(None) => {}
                Err(reason) => {
                    let reason = SkipReason::Unreadable(reason);
                    index.unread.push(Skipped { path: path.as_str().to_owned(), reason });
                }
            }
        }
        let mut outgoing = BTreeMap::new();
        let mut incoming: BTreeMap<NotePath, Vec<(NotePath, usize)>> = BTreeMap::new();
        let of_notes = index.notes.iter().map(|(path, note)| (path, note.links()));
        for (path, links) in of_notes.chain(sources.iter().map(|(path, source)| (path, source.links.as_slice()))) {
            let resolve =
                |link: &Link| ResolvedLink { from: path.clone(), link: link.clone(), to: index.resolve(path, link) };
            let links: Vec<ResolvedLink> = links.iter().map(resolve).collect();
            for (number, link) in links.iter().enumerate() {
                if let Some(to) = link.to.note() {
                    incoming.entry(to.clone()).or_default().push((path.clone(), number));
                }
            }
            outgoing.insert(path.clone(), links);
        }
        index.outgoing = outgoing;
        index.incoming = incoming;
        index
    }

    /// What a link in a note leads to.
    #[must_use]
    pub fn resolve(&self, from: &NotePath, link: &Link) -> Resolution {
        if link.is_same_note() {
            return match (self.notes.get(from), &link.anchor) {
                (Some(note), Some(anchor)) if !note.holds(anchor) => missing(from.clone(), anchor),
                _ => Resolution::SameNote,
            };
        }
        self.resolve_target(from.folder(), &link.target, link.anchor.as_ref(), link.form)
    }

    fn resolve_target(&self, folder: &str, target: &str, anchor: Option<&Anchor>, form: LinkForm) -> Resolution {
        match self.resolver.resolve(folder, target, form) {
            None => Resolution::Unresolved(self.suggest(target)),
            Some((path, _)) if !path.is_note() => Resolution::Attachment(path.as_str().to_owned()),
            Some((path, _)) => match (self.notes.get(path), anchor) {
                (Some(note), Some(anchor)) if !note.holds(anchor) => missing(path.clone(), anchor),
                _ => Resolution::Note(path.clone()),
            },
        }
    }

    /// What a target written as in a wikilink, such as `Note`, `dir/Note` or `Note#Heading`, leads to from the root.
    #[must_use]
    pub fn resolve_name(&self, target: &str) -> Resolution {
        let (name, anchor) = match target.split_once('#') {
            Some((name, anchor)) => (name.trim(), anchor_of(anchor)),
            None => (target.trim(), None),
        };
        if name.is_empty() {
            return Resolution::Unresolved(Vec::new());
        }
        self.resolve_target("", name, anchor.as_ref(), LinkForm::Wiki)
    }

    /// The links in a note, in order.
    #[must_use]
    pub fn outgoing(&self, path: &NotePath) -> &[ResolvedLink] {
        self.outgoing.get(path).map_or(&[], Vec::as_slice)
    }

    /// The links to a note from other notes and from itself by name, by the note they stand in.
    #[must_use]
    pub fn backlinks(&self, path: &NotePath) -> Vec<&ResolvedLink> {
        let links = self.incoming.get(path).map_or(&[][..], Vec::as_slice);
        links.iter().filter_map(|(from, number)| self.outgoing.get(from)?.get(*number)).collect()
    }

    /// The links that name no file.
    #[must_use]
    pub fn unresolved(&self) -> Vec<&ResolvedLink> {
        self.all().filter(|link| matches!(link.to, Resolution::Unresolved(_))).collect()
    }

    /// The links to a heading or a block that is not in its note.
    #[must_use]
    pub fn broken_anchors(&self) -> Vec<&ResolvedLink> {
        let broken =
            |link: &&ResolvedLink| matches!(link.to, Resolution::MissingHeading(_) | Resolution::MissingBlock(_));
        self.all().filter(broken).collect()
    }

    /// The notes that no other note links to.
    #[must_use]
    pub fn orphans(&self) -> Vec<&NotePath> {
        let linked =
            |path: &&NotePath| self.incoming.get(*path).is_some_and(|from| from.iter().any(|(f, _)| f != *path));
        self.notes.keys().filter(|path| !linked(path)).collect()
    }

    /// The notes that link to no other note.
    #[must_use]
    pub fn dead_ends(&self) -> Vec<&NotePath> {
        let leads =
            |path: &&NotePath| self.outgoing(path).iter().any(|link| link.to.note().is_some_and(|to| to != *path));
        self.notes.keys().filter(|path| !leads(path)).collect()
    }

    /// The notes that could not be read, with the reason.
    #[must_use]
    pub fn unread(&self) -> &[Skipped] {
        &self.unread
    }

    /// The notes that were read, in the order of their paths.
    pub fn notes(&self) -> impl ExactSizeIterator<Item = &Note> {
        self.notes.values()
    }

    fn all(&self) -> impl Iterator<Item = &ResolvedLink> {
        self.outgoing.values().flatten()
    }

    /// Notes that have the target as an alias, or as their title.
    fn suggest(&self, target: &str) -> Vec<NotePath> {
        const SHOWN: usize = 5;
        let key = without_ending(target).to_lowercase();
        let name = key.rsplit('/').next().unwrap_or(&key);
        let by_alias = self.aliases.get(&key).into_iter().chain(self.aliases.get(name)).flatten();
        let by_name =
            self.resolver.resolve("", name, LinkForm::Wiki).map(|(path, _)| path).filter(|path| path.is_note());
        let found: BTreeSet<&NotePath> = by_alias.chain(by_name).collect();
        found.into_iter().take(SHOWN).cloned().collect()
    }
}

fn missing(path: NotePath, anchor: &Anchor) -> Resolution {
    match anchor {
        Anchor::Heading(_) => Resolution::MissingHeading(path),
        Anchor::Block(_) => Resolution::MissingBlock(path),
    }
}
