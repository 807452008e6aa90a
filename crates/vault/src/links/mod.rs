//! Links between the notes of a vault: what each names, and what names each.

mod layer;
pub(crate) mod resolve;

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::note::anchor_of;
use crate::path::without_ending;
use crate::{Anchor, Link, LinkForm, Note, NotePath, Notes, Skipped};
pub(crate) use layer::{Entry, Layer};
use resolve::{Resolver, keys_of, target_key};

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
    /// The note that the link leads to, whether or not the part is found. `None` for the note itself and for other
    /// files.
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
/// folder of their note first. Aliases do not resolve; they are suggested. The cards of canvases and the filters of
/// bases are links as well.
///
/// The one of a [`Vault`](crate::Vault) is kept while the vault is open, and the one of an
/// [`Overlay`](crate::Overlay) is that with the files the overlay changes: files that did not change are not read
/// again. What a link leads to is looked up when it is asked for.
///
/// ```
/// use graphloom_vault::{LinkIndex, NotePath, Resolution, Vault, VaultOptions};
///
/// # let place = tempfile::tempdir()?;
/// # let root = place.path();
/// std::fs::write(root.join("A.md"), "[[B]] and [[missing]]")?;
/// std::fs::write(root.join("B.md"), "# B")?;
/// let index = Vault::open(root, VaultOptions::default())?.links();
///
/// let (a, b) = (NotePath::parse("A.md")?, NotePath::parse("B.md")?);
/// assert_eq!(index.outgoing(&a)[0].to, Resolution::Note(b.clone()));
/// assert_eq!(index.backlinks(&b)[0].from, a);
/// assert_eq!(index.unresolved()[0].link.target, "missing");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct LinkIndex {
    base: Arc<Layer>,
    /// Files that differ from the base: new ones, and those with another content.
    over: Layer,
    /// Files of the base that have another content, or are gone.
    hidden: BTreeSet<NotePath>,
    resolver: Resolver,
}

impl LinkIndex {
    /// Reads every file anew and collects its links. A file that cannot be read is listed by [`unread`](Self::unread).
    #[must_use]
    pub fn build(notes: &(impl Notes + ?Sized)) -> Self {
        let mut layer = Layer::default();
        let others = notes.attachments();
        let others = others.iter().filter_map(|path| NotePath::of_file(path).ok());
        for path in notes.paths().into_iter().chain(others) {
            let entry = Entry::read(notes, &path);
            layer.insert(&path, entry);
        }
        Self::over(Arc::new(layer))
    }

    pub(crate) fn over(base: Arc<Layer>) -> Self {
        let resolver = Resolver::over(Arc::clone(&base.names));
        Self { base, over: Layer::default(), hidden: BTreeSet::new(), resolver }
    }

    pub(crate) fn is_over(&self, base: &Arc<Layer>) -> bool {
        Arc::ptr_eq(&self.base, base)
    }

    /// Sets the new content of a file; `None` removes the file.
    pub(crate) fn set(&mut self, path: &NotePath, entry: Option<Entry>) {
        if self.base.entries.contains_key(path) {
            self.hidden.insert(path.clone());
        }
        match entry {
            Some(entry) => {
                self.over.insert(path, entry);
                self.resolver.insert(path);
            }
            None => {
                self.over.remove(path);
                self.resolver.remove(path);
            }
        }
    }

    /// Sets a file to its content in the base.
    pub(crate) fn restore(&mut self, path: &NotePath) {
        self.over.remove(path);
        self.hidden.remove(path);
        if self.base.entries.contains_key(path) {
            self.resolver.insert(path);
        } else {
            self.resolver.remove(path);
        }
    }

    pub(crate) fn resolver(&self) -> &Resolver {
        &self.resolver
    }

    /// The files with links that can mean a name of one of these [keys](target_key), in order.
    pub(crate) fn linking<'a>(&self, keys: impl IntoIterator<Item = &'a String>) -> BTreeSet<NotePath> {
        let of_key = |key: &'a String| self.both(self.base.linking(key), self.over.linking(key));
        keys.into_iter().flat_map(of_key).cloned().collect()
    }

    /// The files that name folders.
    pub(crate) fn with_folders(&self) -> impl Iterator<Item = &NotePath> {
        self.both(self.base.with_folders(), self.over.with_folders())
    }

    /// The files that hold links and could not be read.
    pub(crate) fn unread_paths(&self) -> impl Iterator<Item = &NotePath> {
        self.both(self.base.unread(), self.over.unread())
    }

    fn both<'a>(
        &'a self,
        base: impl Iterator<Item = &'a NotePath>,
        over: impl Iterator<Item = &'a NotePath>,
    ) -> impl Iterator<Item = &'a NotePath> {
        base.filter(|path| !self.hidden.contains(*path)).chain(over)
    }

    fn entry(&self, path: &NotePath) -> Option<&Entry> {
        let of_base = || self.base.entries.get(path).filter(|_| !self.hidden.contains(path));
        self.over.entries.get(path).or_else(of_base)
    }

    /// All files in the order of their paths.
    fn entries(&self) -> Vec<(&NotePath, &Entry)> {
        let base = self.base.entries.iter().filter(|(path, _)| !self.hidden.contains(*path));
        let mut all: Vec<(&NotePath, &Entry)> = base.chain(&self.over.entries).collect();
        all.sort_unstable_by_key(|(path, _)| *path);
        all
    }

    /// A note as it was read; `None` when there is none, or it could not be read.
    #[must_use]
    pub fn note(&self, path: &NotePath) -> Option<&Note> {
        self.entry(path)?.note()
    }

    /// What a link in a note leads to.
    #[must_use]
    pub fn resolve(&self, from: &NotePath, link: &Link) -> Resolution {
        if link.is_same_note() {
            return match (self.note(from), &link.anchor) {
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
            Some((path, _)) => match (self.note(path), anchor) {
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
    pub fn outgoing(&self, path: &NotePath) -> Vec<ResolvedLink> {
        let links = self.entry(path).map_or(&[][..], Entry::links);
        links.iter().map(|link| self.resolved(path, link)).collect()
    }

    /// The links to a note from other notes and from itself by name, by the note they stand in; those of other files
    /// come last.
    #[must_use]
    pub fn backlinks(&self, path: &NotePath) -> Vec<ResolvedLink> {
        let keys = keys_of(path);
        let (notes, others): (Vec<_>, Vec<_>) = self.linking(&keys).into_iter().partition(NotePath::is_note);
        let leads = |from: &NotePath| {
            let links = self.entry(from).map_or(&[][..], Entry::links);
            let named = links.iter().filter(|link| !link.is_same_note() && keys.contains(&target_key(&link.target)));
            let to = named.map(|link| self.resolved(from, link)).filter(|link| link.to.note() == Some(path));
            to.collect::<Vec<_>>()
        };
        notes.iter().chain(&others).flat_map(leads).collect()
    }

    /// The links that name no file.
    #[must_use]
    pub fn unresolved(&self) -> Vec<ResolvedLink> {
        self.all().filter(|link| matches!(link.to, Resolution::Unresolved(_))).collect()
    }

    /// Whether a link with this target, whatever the case of its letters, stands somewhere and names no file.
    #[must_use]
    pub fn is_unresolved_target(&self, target: &str) -> bool {
        let (key, wanted) = (target_key(target), target.to_lowercase());
        self.linking([&key]).iter().any(|from| {
            let links = self.entry(from).map_or(&[][..], Entry::links);
            let same = links.iter().filter(|link| link.target.to_lowercase() == wanted);
            let mut to = same.map(|link| self.resolve(from, link));
            to.any(|to| matches!(to, Resolution::Unresolved(_)))
        })
    }

    /// The links to a heading or a block that is not in its note.
    #[must_use]
    pub fn broken_anchors(&self) -> Vec<ResolvedLink> {
        let broken =
            |link: &ResolvedLink| matches!(link.to, Resolution::MissingHeading(_) | Resolution::MissingBlock(_));
        self.all().filter(broken).collect()
    }

    /// The notes that no other note links to.
    #[must_use]
    pub fn orphans(&self) -> Vec<&NotePath> {
        let linked: BTreeSet<NotePath> =
            self.all().filter_map(|link| link.to.note().filter(|to| **to != link.from).cloned()).collect();
        self.notes().into_iter().map(Note::path).filter(|path| !linked.contains(*path)).collect()
    }

    /// The notes that link to no other note.
    #[must_use]
    pub fn dead_ends(&self) -> Vec<&NotePath> {
        let leads =
            |path: &&NotePath| self.outgoing(path).iter().any(|link| link.to.note().is_some_and(|to| to != *path));
        self.notes().into_iter().map(Note::path).filter(|path| !leads(path)).collect()
    }

    /// The files that could not be read, with the reason, in the order of their paths.
    #[must_use]
    pub fn unread(&self) -> Vec<Skipped> {
        let entries = self.entries().into_iter();
        let unread = entries.filter_map(|(_, entry)| match entry {
            Entry::Unread(skipped) => Some(skipped.clone()),
            _ => None,
        });
        unread.collect()
    }

    /// The notes that were read, in the order of their paths.
    #[must_use]
    pub fn notes(&self) -> Vec<&Note> {
        self.entries().into_iter().filter_map(|(_, entry)| entry.note()).collect()
    }

    fn all(&self) -> impl Iterator<Item = ResolvedLink> {
        let entries = self.entries().into_iter();
        entries.flat_map(|(path, entry)| entry.links().iter().map(|link| self.resolved(path, link)))
    }

    fn resolved(&self, from: &NotePath, link: &Link) -> ResolvedLink {
        ResolvedLink { from: from.clone(), link: link.clone(), to: self.resolve(from, link) }
    }

    /// Notes that have the target as an alias, or as their title.
    fn suggest(&self, target: &str) -> Vec<NotePath> {
        const SHOWN: usize = 5;
        let key = without_ending(target).to_lowercase();
        let name = key.rsplit('/').next().unwrap_or(&key);
        let called = |alias: &str| -> Vec<NotePath> {
            self.both(self.base.called(alias), self.over.called(alias)).cloned().collect()
        };
        let by_alias = called(&key).into_iter().chain(called(name));
        let by_name =
            self.resolver.resolve("", name, LinkForm::Wiki).map(|(path, _)| path).filter(|path| path.is_note());
        let found: BTreeSet<NotePath> = by_alias.chain(by_name.cloned()).collect();
        found.into_iter().take(SHOWN).collect()
    }
}

fn missing(path: NotePath, anchor: &Anchor) -> Resolution {
    match anchor {
        Anchor::Heading(_) => Resolution::MissingHeading(path),
        Anchor::Block(_) => Resolution::MissingBlock(path),
    }
}
