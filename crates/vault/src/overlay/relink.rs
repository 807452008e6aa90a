//! Rewrites the links that would otherwise lead elsewhere, and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use unicode_normalization::UnicodeNormalization;

use super::Overlay;
use super::edited::Edited;
use crate::changes::After;
use crate::links::resolve::{Addressing, Resolver, keys_of, relative, target_key};
use crate::path::{has_ending, without_ending};
use crate::source::{Source, holds_links};
use crate::{Link, LinkForm, NotePath, Notes, VaultError};

/// A link's target before and after, as written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Relinked {
    /// The line in the file, counted from 1.
    pub line: usize,
    /// The target it had.
    pub before: String,
    /// The target it has.
    pub after: String,
}

/// Files that move, and a file that is made.
#[derive(Debug, Default)]
pub(super) struct Relocation {
    /// The files before the moves.
    pub(super) before: Resolver,
    /// The new path of each moved file. Several paths may have one new path, as in a merge.
    pub(super) moves: BTreeMap<NotePath, NotePath>,
    /// A file that is made.
    pub(super) fresh: Option<NotePath>,
    /// The path of a folder that moves whole, before and after.
    pub(super) folder: Option<(String, String)>,
    /// Whether the moves are already part of the changes. Then only files without a change are rewritten.
    pub(super) is_made: bool,
}

/// The files to which links lead, before and after a relocation.
#[derive(Debug)]
pub(super) struct LinkTargets {
    before: Resolver,
    after: Resolver,
    /// The keys of all names that appear or disappear. A link whose target has any other key leads to the same file as
    /// before.
    touched: BTreeSet<String>,
}

/// The files whose links have to be rewritten.
#[derive(Debug, Default)]
pub(super) struct Relinking {
    /// The edits, by the path of the file now.
    pub(super) edits: BTreeMap<NotePath, Edited>,
    /// The rewritten links, by the path of the file after the moves.
    pub(super) relinked: BTreeMap<NotePath, Vec<Relinked>>,
    pub(super) unread: Vec<NotePath>,
}

impl Relocation {
    fn place<'a>(&'a self, path: &'a NotePath) -> &'a NotePath {
        self.moves.get(path).unwrap_or(path)
    }

    /// The edits that keep every link on the file to which it led.
    ///
    /// # Errors
    /// A link that cannot be written with the new target.
    pub(super) fn relink(&self, overlay: &Overlay) -> Result<Relinking, VaultError> {
        let link_targets = self.link_targets(overlay);
        let links = overlay.links();
        // When the moves are already made, files with a change are left out.
        let is_left = |path: &NotePath| !(self.is_made && overlay.changes.get(path).is_some());
        let mut unread: BTreeSet<NotePath> = links.unread_paths().filter(|path| is_left(path)).cloned().collect();
        let mut paths = links.linking(&link_targets.touched);
        paths.extend(self.moves.keys().filter(|path| links.resolver().contains(path)).cloned());
        if self.folder.is_some() {
            paths.extend(links.with_folders().cloned());
        }
        let mut found = Relinking::default();
        for path in paths.into_iter().filter(is_left) {
            let source = match read(overlay, &path) {
                Ok(Some(source)) => source,
                Ok(None) => continue,
                Err(_) => {
                    unread.insert(path);
                    continue;
                }
            };
            if let Some((edit, done)) = self.edit(&link_targets, &path, &source)? {
                found.relinked.entry(self.place(&path).clone()).or_default().extend(done);
                found.edits.insert(path, edit);
            }
        }
        found.unread = unread.into_iter().collect();
        Ok(found)
    }

    /// The files to which links lead, before and after.
    pub(super) fn link_targets(&self, overlay: &Overlay) -> LinkTargets {
        let after = if self.is_made {
            overlay.links().resolver().clone()
        } else {
            let mut after = self.before.clone();
            self.moves.keys().for_each(|from| after.remove(from));
            self.moves.values().chain(&self.fresh).for_each(|to| after.insert(to));
            after
        };
        let ends = self.moves.iter().flat_map(|(from, to)| [from, to]).chain(&self.fresh);
        LinkTargets { before: self.before.clone(), after, touched: ends.flat_map(keys_of).collect() }
    }

    /// The edit of one file, which is at `path` before the moves; `None` when no link changes.
    ///
    /// # Errors
    /// A link that cannot be written with the new target.
    pub(super) fn edit(
        &self,
        link_targets: &LinkTargets,
        path: &NotePath,
        source: &Source,
    ) -> Result<Option<(Edited, Vec<Relinked>)>, VaultError> {
        let is_moved = self.moves.contains_key(path);
        let place = self.place(path);
        let mut edits: Vec<(&Link, String)> = Vec::new();
        for link in &source.links {
            if link.is_same_note() || !(is_moved || link_targets.touched.contains(&target_key(&link.target))) {
                continue;
            }
            let Some((file, addressing)) = link_targets.before.resolve(path.folder(), &link.target, link.form) else {
                continue;
            };
            let expected = self.place(file);
            if self.is_made && !is_moved && expected == file {
                continue;
            }
            if let Some(target) = new_target(link, addressing, place.folder(), expected, &link_targets.after)
                .map_err(|()| unwritable(path, link, expected))?
            {
                edits.push((link, target));
            }
        }
        let folders = source.folders.iter().filter_map(|folder| Some((folder, self.new_folder(&folder.target)?)));
        edits.extend(folders);
        if edits.is_empty() { Ok(None) } else { with_targets(place, source, edits).map(Some) }
    }

    /// The files with links to the moved files.
    pub(super) fn linking(&self, overlay: &Overlay) -> Vec<NotePath> {
        let touched: BTreeSet<String> = self.moves.keys().flat_map(keys_of).collect();
        let leads = |path: &NotePath, link: &Link| {
            let file = self.before.resolve(path.folder(), &link.target, link.form);
            file.is_some_and(|(file, _)| self.moves.contains_key(file))
        };
        let holds = |path: &NotePath| {
            let source = read(overlay, path).ok().flatten();
            source.is_some_and(|source| source.links.iter().any(|link| leads(path, link)))
        };
        overlay.links().linking(&touched).into_iter().filter(holds).collect()
    }

    fn new_folder(&self, folder: &str) -> Option<String> {
        let (from, to) = self.folder.as_ref()?;
        let composed: String = folder.nfc().collect();
        let rest = composed.strip_prefix(from.as_str())?;
        (rest.is_empty() || rest.starts_with('/')).then(|| format!("{to}{rest}").trim_start_matches('/').to_owned())
    }
}

/// A file and its links; `None` for a file of a kind without links.
pub(super) fn read(overlay: &Overlay, path: &NotePath) -> Result<Option<Source>, VaultError> {
    if path.is_note() {
        return Ok(overlay.read(path)?.map(|note| Source::of_note(&note)));
    }
    if !holds_links(path) {
        return Ok(None);
    }
    let unreadable = |reason: String| VaultError::illegal_edit(path, reason);
    let text = overlay.text(path)?.ok_or_else(|| unreadable("it is no text".to_owned()))?;
    Source::read(path, text).map(Some).map_err(unreadable)
}

/// The target with which the link leads to `expected`; `None` when the present target does, an error when no target
/// that does can be written.
fn new_target(
    link: &Link,
    addressing: Addressing,
    folder: &str,
    expected: &NotePath,
    after: &Resolver,
) -> Result<Option<String>, ()> {
    // A Markdown link with a relative path, which every Markdown reader follows, keeps a relative path.
    let strict = matches!(link.form, LinkForm::Markdown | LinkForm::Definition) && addressing == Addressing::Relative;
    let names = |target: &str| {
        after
            .resolve(folder, target, link.form)
            .is_some_and(|(file, now)| file == expected && (!strict || now == Addressing::Relative))
    };
    if names(&link.target) {
        return Ok(None);
    }
    let path = expected.as_str();
    let with_ending = !expected.is_note() || link.form == LinkForm::Path || has_ending(&link.target);
    let shown = |path: &str| if with_ending { path.to_owned() } else { without_ending(path).to_owned() };
    let absolute = link.target.starts_with('/');
    let mut candidates = Vec::new();
    if absolute {
        candidates.push(format!("/{}", shown(path)));
    } else if addressing == Addressing::Relative {
        let from_here = shown(&relative(folder, path));
        let dotted = link.target.starts_with("./") || (link.target.starts_with("../") && link.form == LinkForm::Wiki);
        candidates.push(if dotted && !from_here.starts_with("../") { format!("./{from_here}") } else { from_here });
    } else {
        let depth = link.target.split('/').count();
        let parts: Vec<&str> = path.split('/').collect();
        if addressing == Addressing::Name && depth <= parts.len() {
            candidates.push(shown(&parts[parts.len() - depth..].join("/")));
        }
        candidates.push(shown(path));
    }
    candidates.extend([shown(path), path.to_owned(), format!("/{path}")]);
    candidates.into_iter().find(|target| names(target) && can_hold(link.form, target)).map(Some).ok_or(())
}

/// Whether a link of this form can hold a target. In a wikilink, some characters have another meaning.
pub(super) fn can_hold(form: LinkForm, target: &str) -> bool {
    let breaks = || target.contains(['#', '|', '\n']) || target.contains("[[") || target.contains("]]");
    form != LinkForm::Wiki || !(breaks() || target.ends_with([']', '\\']) || target.trim() != target)
}

/// The text of the file with the targets replaced. The new text is parsed: every link must be unchanged or have its new
/// target.
fn with_targets(
    path: &NotePath,
    source: &Source,
    mut edits: Vec<(&Link, String)>,
) -> Result<(Edited, Vec<Relinked>), VaultError> {
    edits.sort_by_key(|(link, _)| link.target_span.start);
    let targets: Vec<String> = edits.iter().map(|(link, target)| link.write_target(target)).collect();
    let mut end = 0;
    for (link, target) in &edits {
        if link.target_span.start < end {
            return Err(VaultError::illegal_edit(path, stuck(link, target)));
        }
        end = link.target_span.end;
    }
    let spans = edits.iter().map(|(link, _)| link.target_span.clone());
    let edit = Edited::replacing(&source.text, spans.zip(targets.iter().map(String::as_str)));

    let again = Source::read(path, Arc::from(edit.text.as_str()));
    let again = again.map_err(|problem| VaultError::illegal_edit(path, problem))?;
    for (old, new) in [(&source.links, &again.links), (&source.folders, &again.folders)] {
        for (at, link) in old.iter().enumerate() {
            let edited = edits.iter().find(|(edited, _)| std::ptr::eq(*edited, link)).map(|(_, target)| target);
            let target = edited.unwrap_or(&link.target);
            let is_right = new.get(at).is_some_and(|new| new.target == *target && link.is_like(new));
            if !is_right || old.len() != new.len() {
                return Err(VaultError::illegal_edit(path, stuck(link, target)));
            }
        }
    }
    let done = edits.iter().map(|(link, target)| Relinked {
        line: link.line,
        before: link.target.clone(),
        after: target.clone(),
    });
    Ok((edit, done.collect()))
}

fn stuck(link: &Link, target: &str) -> String {
    format!("its link `{}` on line {} cannot be written as `{target}`; choose another name", link.target, link.line)
}

fn unwritable(path: &NotePath, link: &Link, expected: &NotePath) -> VaultError {
    VaultError::illegal_edit(path, stuck(link, expected.as_str()))
}

/// Gives links of a note other targets, each link named by the byte it starts at.
pub(super) fn retargeted(
    overlay: &mut Overlay,
    path: &NotePath,
    links: &[(usize, NotePath)],
) -> Result<Vec<Relinked>, VaultError> {
    let note = overlay.expect(path)?;
    let source = Source::of_note(&note);
    let index = overlay.links();
    let resolver = index.resolver();
    let mut edits = Vec::new();
    for (start, to) in links {
        let Some(link) = source.links.iter().find(|link| link.span.start == *start) else { continue };
        // The shortest target is the bare name, when the bare name leads to the file.
        let bare = Link { target: to.file_name().to_owned(), ..link.clone() };
        let bare = if has_ending(&link.target) || link.form != LinkForm::Wiki {
            bare
        } else {
            Link { target: to.name().to_owned(), ..link.clone() }
        };
        let names = |target: &str| {
            resolver.resolve(path.folder(), target, link.form).is_some_and(|(file, _)| file == to)
                && can_hold(link.form, target)
        };
        let addressing = if link.form == LinkForm::Wiki { Addressing::Name } else { Addressing::Relative };
        let target = if names(&bare.target) && link.form == LinkForm::Wiki {
            Some(bare.target.clone())
        } else {
            new_target(&bare, addressing, path.folder(), to, resolver).map_err(|()| unwritable(path, link, to))?
        };
        edits.push((link, target.unwrap_or(bare.target)));
    }
    let (edit, done) = with_targets(path, &source, edits)?;
    let written = edit.written(overlay.written(path), false);
    overlay.put(path, After::Text(edit.text.into(), written))?;
    overlay.changes.settle();
    Ok(done)
}
