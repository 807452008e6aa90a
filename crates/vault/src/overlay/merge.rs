//! Merges one note into another, with every link to the note and in it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::Overlay;
use super::edited::Edited;
use super::relink::{Relinked, Relocation};
use super::rename::finish;
use super::text::appended;
use crate::changes::After;
use crate::note::frontmatter::{LeftOutReason, with_keys_of};
use crate::note::lines::Style;
use crate::{Anchor, Link, LinkForm, Note, NotePath, Notes, VaultError};

/// The result of a merge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Merged {
    /// The rewritten links by the file they stand in.
    pub relinked: BTreeMap<NotePath, Vec<Relinked>>,
    /// Files that could not be read, so that links in them, if any, are as they were.
    pub unread: Vec<NotePath>,
    /// What could not be joined, in words: the lines of keys that both notes have, and headings, block ids, footnotes and
    /// references that stand twice.
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
    // A link whose shown text has several rows is the same with the breaks of `into`.
    let added = Note::parse(into.clone(), Style::of(base.text()).breaks(added.text()));
    check_labels(from, &added, &base)?;
    let mut notes = shared_anchors(&gone, &home);
    notes.extend(shared_labels(&gone, &home));

    let joined = appended(base.text(), added.body());
    check_links(into, &Note::parse(into.clone(), joined.text.as_str()), &base, &added)?;
    let whole = with_keys(into, &joined.text, (from, &added), &mut notes);
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

/// One line for each footnote that both notes have, and for each reference that both define, each as something else. What
/// is to be one of them may be taken for the other.
fn shared_labels(gone: &Note, home: &Note) -> Vec<String> {
    let (gone, home) = (labels(gone.body()), labels(home.body()));
    let both = gone.iter().filter_map(|(label, text)| Some((label, text, home.get(label)?)));
    let differ = both.filter(|(label, text, other)| label.starts_with('^') || text != other);
    differ.map(|(label, ..)| format!("`[{label}]` is defined in both notes; give one of them another label")).collect()
}

/// The labels of footnotes and references that rows of a text define, with what stands behind them.
fn labels(body: &str) -> BTreeMap<String, &str> {
    let defined = |row: &'_ str| -> Option<(usize, usize)> {
        let start = row.len() - row.trim_start_matches([' ', '>', '\t']).len();
        let end = start + row[start..].strip_prefix('[')?.find("]:")? + 1;
        Some((start + 1, end))
    };
    let rows = body.lines().filter_map(|row| {
        let (start, end) = defined(row)?;
        Some((row[start..end].trim().to_lowercase(), row[end + 2..].trim()))
    });
    // The first definition of a label counts.
    rows.rev().collect()
}

/// The text with the frontmatter of the other note, whose lines come over as they are. A line in `notes` tells what does not.
fn with_keys(path: &NotePath, text: &str, (from, added): (&NotePath, &Note), notes: &mut Vec<String>) -> String {
    let joined = with_keys_of(added.text(), text);
    for left in joined.left_out {
        let (key, lines) = (&left.key, &left.lines);
        notes.push(match left.why {
            LeftOutReason::Broken(line) => {
                format!("the frontmatter of `{from}` is broken at line {line} and is left out: `{lines}`")
            }
            LeftOutReason::IntoBroken(line) => {
                format!("the frontmatter of `{path}` is broken at line {line}, so that of `{from}` is left out: `{lines}`")
            }
            LeftOutReason::InBoth => {
                format!("both notes have the key `{key}`; the value of `{path}` stays, and that of `{from}` is left out: `{lines}`")
            }
            LeftOutReason::Form => {
                format!("the key `{key}` of `{from}` cannot be added to `{path}` as it is written, and is left out: `{lines}`")
            }
        });
    }
    joined.text
}
