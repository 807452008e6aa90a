//! Finding the note that a model names, and saying what does not fit.

use std::collections::BTreeMap;

use graphloom_agents::ToolError;
use graphloom_vault::{LinkIndex, NotePath, Notes, Overlay, Relinked, Resolution};

use super::workspace::tool_error;
use crate::index::VaultIndex;

/// How many names a message lists.
const SHOWN: usize = 10;

/// The note that is named by its path, the end of its path, its name, its title or an alias, in this order, whatever the
/// case of letters. A name that several notes have is refused with their paths.
pub(super) fn find_note(overlay: &Overlay, index: &VaultIndex, name: &str) -> Result<NotePath, ToolError> {
    let meant = NotePath::candidates_for(name);
    if let Some(path) = meant.iter().find(|path| overlay.contains(path)) {
        return Ok(path.clone());
    }
    let paths = overlay.paths();
    for path in &meant {
        if let Some(found) = by_ending(name, path, &paths)? {
            return Ok(found);
        }
    }
    let plain_name = name.trim().trim_start_matches("[[").trim_end_matches("]]").to_lowercase();
    let named = index.cards(overlay).into_iter().filter_map(|(card, _)| {
        let named = card.title.to_lowercase() == plain_name
            || card.aliases.iter().any(|alias| alias.to_lowercase() == plain_name);
        named.then(|| card.path.clone())
    });
    if let Some(found) = only(name, named)? {
        return Ok(found);
    }
    match meant.into_iter().next() {
        Some(path) => overlay.expect(&path).map(|note| note.path().clone()),
        None => NotePath::parse_lenient(name),
    }
    .map_err(|error| tool_error(&error))
}

/// The file that is no note and is named by its path or the end of it, whatever the case of letters.
pub(super) fn find_file(overlay: &Overlay, name: &str) -> Result<Option<NotePath>, ToolError> {
    let bare = name.trim().trim_start_matches("![[").trim_start_matches("[[").trim_end_matches("]]");
    let Ok(path) = NotePath::of_file(bare.trim_start_matches("./")) else { return Ok(None) };
    let files: Vec<NotePath> = overlay.attachments().iter().filter_map(|path| NotePath::of_file(path).ok()).collect();
    if files.contains(&path) {
        return Ok(Some(path));
    }
    by_ending(name, &path, &files)
}

/// The path with these letters in whatever case, else the one path that ends so.
fn by_ending(name: &str, path: &NotePath, paths: &[NotePath]) -> Result<Option<NotePath>, ToolError> {
    let key = path.key();
    if let Some(found) = paths.iter().find(|other| other.key() == key) {
        return Ok(Some(found.clone()));
    }
    let ending = format!("/{key}");
    only(name, paths.iter().filter(|other| other.key().ends_with(&ending)).cloned())
}

/// A sentence about links that were rewritten; empty when there are none.
pub(super) fn links_in_words(relinked: &BTreeMap<NotePath, Vec<Relinked>>) -> String {
    let links: usize = relinked.values().map(Vec::len).sum();
    if links == 0 {
        return String::new();
    }
    let files: Vec<&NotePath> = relinked.keys().collect();
    let kind = if files.iter().all(|file| file.is_note()) { ("note", "notes") } else { ("file", "files") };
    format!(
        " {} rewritten in {}: {}.",
        count(links, "link was", "links were"),
        count(files.len(), kind.0, kind.1),
        ticked(&files)
    )
}

fn only(name: &str, found: impl Iterator<Item = NotePath>) -> Result<Option<NotePath>, ToolError> {
    let found: Vec<NotePath> = found.collect();
    match found.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one.clone())),
        several => Err(ToolError::refused(format!(
            "several notes are named `{name}`: {}; give the whole path",
            ticked(several)
        ))),
    }
}

/// Paths in backticks, a few of them.
pub(super) fn ticked<P: AsRef<str>>(paths: &[P]) -> String {
    let mut text = paths.iter().take(SHOWN).map(|path| format!("`{}`", path.as_ref())).collect::<Vec<_>>().join(", ");
    if paths.len() > SHOWN {
        text.push_str(&format!(" and {} more", paths.len() - SHOWN));
    }
    text
}

/// The targets of a note's links that lead nowhere, each once, as written.
pub(super) fn broken_links(links: &LinkIndex, path: &NotePath) -> Vec<String> {
    let mut broken: Vec<String> = Vec::new();
    for link in links.outgoing(path).iter().filter(|link| !link.to.is_sound()) {
        let target = match &link.to {
            Resolution::MissingHeading(to) | Resolution::MissingBlock(to) => {
                format!("{} (no such part in {to})", link.link.target)
            }
            _ => link.link.target.clone(),
        };
        if !broken.contains(&target) {
            broken.push(target);
        }
    }
    broken
}

/// A sentence about links that lead nowhere; empty when there are none.
pub(super) fn broken_in_words(broken: &[String]) -> String {
    if broken.is_empty() { String::new() } else { format!(" Links that lead nowhere: {}.", ticked(broken)) }
}

/// `1 note`, `2 notes`.
pub(super) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
