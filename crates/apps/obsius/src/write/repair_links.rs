//! Repairs links that this run wrote and that lead nowhere. A link is corrected where exactly one note is meant, else it is
//! kept and reported. Links that the run did not write are never changed.

use graphloom_vault::{Link, LinkIndex, LinkStyle, Note, NotePath, Notes, Overlay, Resolution, VaultError};

use super::redirect::redirect_merged;

/// Repairs the links that this run wrote, writes them in the style of new links, and leads links to a merged note to the
/// note that has its text now. Returns a line on each repair.
///
/// # Errors
/// Those of the overlay.
pub fn repair_links(overlay: &mut Overlay, request: &str, style: LinkStyle) -> Result<Vec<String>, VaultError> {
    let mut repairs = redirect_merged(overlay)?;
    let changed: Vec<NotePath> = overlay.changes().iter().map(|(path, _)| path.clone()).collect();
    if changed.iter().all(|path| overlay.written(path).is_empty()) {
        return Ok(repairs);
    }
    let links = overlay.links();
    let missing_notes = MissingNotes::new(overlay, request);
    for path in &changed {
        let Some(note) = overlay.read(path).ok().flatten() else { continue };
        let mut corrected = Vec::new();
        for link in dead_links(overlay, &links, &note) {
            if missing_notes.is_known(link) {
                continue;
            }
            match only_note_for(&links, path, &link.target) {
                Some(meant) => corrected.push((link.span.start, meant)),
                None if missing_notes.is_asked_for(link) => {}
                None => {
                    repairs.push(format!("`{path}`: the link `{}` leads to no note; it is kept as it is", link.target));
                }
            }
        }
        if corrected.is_empty() {
            continue;
        }
        match overlay.retarget(path, &corrected) {
            Ok(done) => repairs.extend(
                done.iter().map(|d| format!("`{path}`: the link `{}` was corrected to `{}`", d.before, d.after)),
            ),
            Err(error) => repairs.push(format!("links of `{path}` that lead nowhere could not be corrected: {error}")),
        }
    }
    for path in &changed {
        match overlay.restyle(path, style) {
            Ok(done) if done.is_empty() => {}
            Ok(done) => {
                let links = if done.len() == 1 { "1 link is".to_owned() } else { format!("{} links are", done.len()) };
                repairs.push(format!("`{path}`: {links} written as the settings of the vault have new links"));
            }
            Err(error) => {
                repairs.push(format!(
                    "links of `{path}` are not written as the settings of the vault have new links: {error}"
                ));
            }
        }
    }
    Ok(repairs)
}

/// The links of a note that this run wrote and that name no file.
fn dead_links<'a>(overlay: &Overlay, links: &LinkIndex, note: &'a Note) -> Vec<&'a Link> {
    let unresolved = |link: &&Link| matches!(links.resolve(note.path(), link), Resolution::Unresolved(_));
    let own = note.links().iter().filter(|link| !link.in_frontmatter && is_written(overlay, note.path(), link));
    own.filter(unresolved).collect()
}

/// Whether this run wrote all of a link.
pub(crate) fn is_written(overlay: &Overlay, path: &NotePath, link: &Link) -> bool {
    overlay.written(path).iter().any(|range| range.start <= link.span.start && link.span.end <= range.end)
}

/// Notes that are not there yet, which people link to all the same.
pub(crate) struct MissingNotes {
    request: String,
    /// The links of the vault before this run.
    before: LinkIndex,
}

impl MissingNotes {
    pub(crate) fn new(overlay: &Overlay, request: &str) -> Self {
        Self { request: request.to_lowercase(), before: overlay.vault().links() }
    }

    /// Whether a link may lead to a note that is not there yet.
    pub(crate) fn is_one(&self, link: &Link) -> bool {
        self.is_known(link) || self.is_asked_for(link)
    }

    /// Whether the person has linked to this target before, so that the link is a copy of theirs.
    fn is_known(&self, link: &Link) -> bool {
        self.before.is_unresolved_target(&link.target)
    }

    /// Whether the request names the target.
    fn is_asked_for(&self, link: &Link) -> bool {
        let target = link.target.to_lowercase();
        let is_name = target.chars().count() > 3 || !target.is_ascii();
        self.request.contains(&format!("[[{target}")) || (is_name && self.request.contains(&target))
    }
}

/// The one note that a target can mean: by its name, its title or an alias.
fn only_note_for(links: &LinkIndex, from: &NotePath, target: &str) -> Option<NotePath> {
    let wanted = target.trim().to_lowercase();
    let name = wanted.strip_suffix(".md").unwrap_or(&wanted);
    let named = NotePath::for_title("", target).ok().map(|made| made.path.name().to_lowercase());
    let mut meant = links.notes().into_iter().filter(|note| {
        let own = note.path().name().to_lowercase();
        note.path() != from
            && (own == name
                || Some(&own) == named.as_ref()
                || note.title().to_lowercase() == name
                || note.aliases().iter().any(|alias| alias.to_lowercase() == name))
    });
    let found = meant.next()?.path().clone();
    // Two notes of one name: nobody knows which is meant.
    meant.next().is_none().then_some(found)
}
