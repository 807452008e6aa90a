//! Moving a note and rewriting the links that would otherwise lead elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::Overlay;
use crate::links::resolve::{File, Resolver, Way, relative};
use crate::{Link, LinkForm, Note, NotePath, Notes, VaultError};

/// What a rename did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Renamed {
    /// Where the note was.
    pub from: NotePath,
    /// Where it is.
    pub to: NotePath,
    /// The rewritten links by the note they stand in; the moved note is named by its new path.
    pub relinked: BTreeMap<NotePath, Vec<Relinked>>,
    /// Notes that could not be read, so that links in them, if any, are as they were.
    pub unread: Vec<NotePath>,
}

impl Renamed {
    /// How many links were rewritten.
    #[must_use]
    pub fn links(&self) -> usize {
        self.relinked.values().map(Vec::len).sum()
    }
}

/// A link's target before and after, as written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Relinked {
    /// The line in the note, counted from 1.
    pub line: usize,
    /// The target it had.
    pub before: String,
    /// The target it has.
    pub after: String,
}

pub(super) fn rename(overlay: &mut Overlay, from: &NotePath, to: &NotePath) -> Result<Renamed, VaultError> {
    let moved = overlay.expect(from)?;
    let mut renamed = Renamed { from: from.clone(), to: to.clone(), relinked: BTreeMap::new(), unread: Vec::new() };
    if from == to {
        return Ok(renamed);
    }
    let paths = overlay.paths();
    overlay.check_free(to, paths.iter().filter(|path| *path != from))?;

    let attachments = overlay.attachments();
    let before = Resolver::new(paths.iter().cloned(), &attachments);
    let after = Resolver::new(paths.iter().filter(|path| *path != from).chain([to]).cloned(), &attachments);
    let touched = [from.name().to_lowercase(), to.name().to_lowercase()];
    let mut rewritten: Vec<(NotePath, String)> = Vec::new();
    for path in &paths {
        let note = match overlay.read(path) {
            Ok(Some(note)) => note,
            Ok(None) => continue,
            Err(_) => {
                renamed.unread.push(path.clone());
                continue;
            }
        };
        let place = if path == from { to } else { path };
        let may_change = |link: &&Link| {
            let key = link.target.to_lowercase();
            let name = key.rsplit('/').next().unwrap_or(&key);
            !key.is_empty() && (path == from || touched.iter().any(|t| t == name || t == name.trim_end_matches(".md")))
        };
        let mut edits = Vec::new();
        for link in note.links().iter().filter(may_change) {
            let Some((file, way)) = before.resolve(path.folder(), &link.target, link.form) else { continue };
            let expected = match file {
                File::Note(note) if note == from => File::Note(to.clone()),
                other => other.clone(),
            };
            if let Some(target) = new_target(link, way, place.folder(), &expected, &after) {
                edits.push((link, target));
            }
        }
        if !edits.is_empty() {
            let (text, done) = written(&note, &edits);
            rewritten.push((place.clone(), text));
            renamed.relinked.insert(place.clone(), done);
        }
    }
    let relinked: BTreeSet<NotePath> = renamed.relinked.keys().cloned().collect();
    // All of it or nothing: one of these can be refused.
    let mut next = overlay.clone();
    next.put(from, None)?;
    next.put(to, Some(moved.shared_text()))?;
    for (path, text) in rewritten {
        next.put(&path, Some(Arc::from(text)))?;
    }
    next.changes.record_move(from, to, relinked);
    *overlay = next;
    Ok(renamed)
}

/// The target the link needs in order to name the same file; `None` when the one it has still does.
fn new_target(link: &Link, way: Way, folder: &str, expected: &File, after: &Resolver) -> Option<String> {
    // A Markdown link that every Markdown reader follows stays one.
    let strict = link.form != LinkForm::Wiki && way == Way::Relative;
    let names = |target: &str| {
        after
            .resolve(folder, target, link.form)
            .is_some_and(|(file, now)| file == expected && (!strict || now == Way::Relative))
    };
    if names(&link.target) {
        return None;
    }
    let path = expected.path();
    let with_ending = matches!(expected, File::Attachment(_)) || link.target.to_lowercase().ends_with(".md");
    let shown = |path: &str| {
        if with_ending { path.to_owned() } else { path.strip_suffix(".md").unwrap_or(path).to_owned() }
    };
    let absolute = link.target.starts_with('/');
    let mut candidates = Vec::new();
    if absolute {
        candidates.push(format!("/{}", shown(path)));
    } else if way == Way::Relative {
        let way = shown(&relative(folder, path));
        let dotted = link.target.starts_with("./") || (link.target.starts_with("../") && link.form == LinkForm::Wiki);
        candidates.push(if dotted && !way.starts_with("../") { format!("./{way}") } else { way });
    } else {
        let depth = link.target.split('/').count();
        let parts: Vec<&str> = path.split('/').collect();
        if way == Way::Name && depth <= parts.len() {
            candidates.push(shown(&parts[parts.len() - depth..].join("/")));
        }
        candidates.push(shown(path));
    }
    candidates.extend([shown(path), path.to_owned(), format!("/{path}")]);
    candidates.into_iter().find(|target| names(target))
}

/// The note's text with the targets replaced.
fn written(note: &Note, edits: &[(&Link, String)]) -> (String, Vec<Relinked>) {
    let mut ordered: Vec<&(&Link, String)> = edits.iter().collect();
    ordered.sort_by_key(|(link, _)| link.target_span.start);
    let old = note.text();
    let mut text = String::with_capacity(old.len() + 64);
    let mut done = Vec::new();
    let mut at = 0;
    for (link, target) in ordered {
        if link.target_span.start < at {
            continue;
        }
        text.push_str(&old[at..link.target_span.start]);
        text.push_str(&link.write_target(target));
        at = link.target_span.end;
        done.push(Relinked { line: link.line, before: link.target.clone(), after: target.clone() });
    }
    text.push_str(&old[at..]);
    (text, done)
}
