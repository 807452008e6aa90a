//! Merges one note into another, with every link to the note and in it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::Overlay;
use super::edited::Edited;
use super::relink::{Relinked, Relocation};
use super::rename::finish;
use super::text::appended;
use crate::changes::After;
use crate::note::frontmatter::set_key;
use crate::{Anchor, Link, LinkForm, Note, NotePath, Notes, VaultError};

/// The result of a merge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Merged {
    /// The rewritten links by the file they stand in.
    pub relinked: BTreeMap<NotePath, Vec<Relinked>>,
    /// Files that could not be read, so that links in them, if any, are as they were.
    pub unread: Vec<NotePath>,
    /// What could not be joined, in words: keys that both notes have, headings and block ids that stand twice.
    pub told: Vec<String>,
}

impl Merged {
    /// How many links were rewritten.
    #[must_use]
    pub fn links(&self) -> usize {
        self.relinked.values().map(Vec::len).sum()
    }
}

pub(super) fn merge(overlay: &mut Overlay, from: &NotePath, into: &NotePath) -> Result<Merged, VaultError> {
    if from == into {
        return Err(VaultError::illegal_edit(from, "a note cannot be put into itself"));
    }
    let (gone, home) = (overlay.expect(from)?, overlay.expect(into)?);
    let mut relocation = Relocation { before: overlay.links().resolver().clone(), ..Relocation::default() };
    relocation.moves.insert(from.clone(), into.clone());
    let mut found = relocation.relink(overlay)?;

    // Both notes, with their links rewritten for the path of `into`.
    let text_of = |note: &Note| {
        let edit = found.edits.get(note.path());
        Note::parse(into.clone(), edit.map_or_else(|| note.shared_text(), |edit| Arc::from(edit.text.as_str())))
    };
    let (added, base) = (text_of(&gone), text_of(&home));
    check_labels(from, &added, &base)?;
    let mut notes = shared_anchors(&gone, &home);

    let joined = appended(base.text(), added.body());
    check_links(into, &Note::parse(into.clone(), joined.text.as_str()), &base, &added)?;
    let whole = with_keys(into, joined.text.clone(), &added, &mut notes);
    overlay.check_size(into, &whole)?;

    let mut written = overlay.written(into).to_vec();
    if let Some(edit) = found.edits.get(into) {
        written = edit.written(&written, false);
    }
    written = joined.written(&written, false);
    written = Edited::between(&joined.text, whole.clone()).written(&written, false);
    let mut next = overlay.clone();
    next.put(from, After::Gone)?;
    next.put(into, After::Text(whole.into(), written))?;
    found.edits.remove(into);
    found.edits.remove(from);
    next.changes.redirect(from, into);
    let done = finish(next, overlay, found, [from.clone(), into.clone()])?;
    Ok(Merged { relinked: done.relinked, unread: done.unread, told: notes })
}

/// Checks that the links of the joined text are the links of the two notes, in order.
fn check_links(path: &NotePath, joined: &Note, base: &Note, added: &Note) -> Result<(), VaultError> {
    let own = base.links().iter();
    let more = added.links().iter().filter(|link| !link.in_frontmatter);
    let expected: Vec<&Link> = own.chain(more).collect();
    let same = |(a, b): (&&Link, &Link)| a.target == b.target && a.is_like(b);
    if expected.len() == joined.links().len() && expected.iter().zip(joined.links()).all(same) {
        return Ok(());
    }
    let reason =
        "its text does not end so that more can follow: a code block, comment or the like is open; close it first";
    Err(VaultError::illegal_edit(path, reason))
}

/// Refuses a merge when both notes define a reference label with different targets: links of one note would then lead
/// elsewhere.
fn check_labels(from: &NotePath, added: &Note, base: &Note) -> Result<(), VaultError> {
    let labels = |note: &Note| -> BTreeMap<String, String> {
        let definitions = note.links().iter().filter(|link| link.form == LinkForm::Definition);
        let label = |link: &Link| {
            let label = note.text().get(link.span.clone())?.split("]:").next()?;
            Some((label.trim_start_matches('[').trim().to_lowercase(), link.target.clone()))
        };
        definitions.filter_map(label).collect()
    };
    let own = labels(base);
    match labels(added).into_iter().find(|(label, target)| own.get(label).is_some_and(|other| other != target)) {
        None => Ok(()),
        Some((label, _)) => {
            let reason =
                format!("both notes define the reference `[{label}]`, each as something else; rename one first");
            Err(VaultError::illegal_edit(from, reason))
        }
    }
}

/// One line for each heading and block id that both notes have. Links to such an anchor lead to the first.
fn shared_anchors(gone: &Note, home: &Note) -> Vec<String> {
    let headings = gone.headings().iter().map(|heading| Anchor::Heading(vec![heading.text.clone()]));
    let blocks = gone.blocks().iter().map(|block| Anchor::Block(block.id.clone()));
    let both: BTreeSet<String> = headings
        .chain(blocks)
        .filter(|anchor| home.holds(anchor))
        .map(|anchor| match anchor {
            Anchor::Heading(chain) => format!("#{}", chain.join("#")),
            Anchor::Block(id) => format!("#^{id}"),
        })
        .collect();
    both.iter().map(|anchor| format!("`{anchor}` is in both notes; links to it lead to the first")).collect()
}

/// The text with the frontmatter of the other note: missing keys are added, lists are joined, and every other key
/// stays. A line in `notes` reports each key that is not taken over.
fn with_keys(path: &NotePath, mut text: String, added: &Note, notes: &mut Vec<String>) -> String {
    if let Some(problem) = added.frontmatter().problem() {
        notes.push(format!("its frontmatter is broken at line {} and is left out", problem.line));
    }
    for (key, value) in added.frontmatter().iter() {
        let now = Note::parse(path.clone(), text.as_str());
        let joined = match (now.frontmatter().get(key), value) {
            (Some(own), value) if own == value => continue,
            (None | Some(Value::Null), value) => value.clone(),
            (Some(Value::Array(own)), Value::Array(more)) => {
                let missing = more.iter().filter(|item| !own.contains(item));
                let joined: Vec<Value> = own.iter().chain(missing).cloned().collect();
                if joined.len() == own.len() {
                    continue;
                }
                Value::Array(joined)
            }
            _ => {
                notes.push(format!("both notes have the key `{key}`; the value of `{path}` stays"));
                continue;
            }
        };
        match set_key(&text, key, &joined) {
            Ok(whole) => text = whole,
            Err(_) => notes.push(format!("the key `{key}` could not be added to `{path}`")),
        }
    }
    text
}
