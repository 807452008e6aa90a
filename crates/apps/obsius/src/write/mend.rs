//! Links in written text that lead nowhere: repaired where one note is meant, else turned into plain words.

use graphloom_vault::{LinkForm, LinkIndex, Note, Notes, Overlay, VaultError};

use crate::probe::find_note;
use crate::write::link_to;

/// Mends the links that this run wrote and that lead nowhere. Links that were dead before are left as they are. Returns
/// what was done, in words.
///
/// # Errors
/// Those of the overlay.
pub fn mend_links(overlay: &mut Overlay) -> Result<Vec<String>, VaultError> {
    let mut told = Vec::new();
    let links = LinkIndex::build(&*overlay);
    let changed: Vec<_> =
        overlay.changes().iter().filter(|(_, change)| change.after.is_some()).map(|(path, _)| path.clone()).collect();
    let all = overlay.paths();
    for path in changed {
        let Some(note) = overlay.read(&path)? else { continue };
        let origin = overlay.changes().get(&path).and_then(|change| change.moved_from.clone()).unwrap_or(path.clone());
        let before = overlay.vault().read(&origin)?;
        let was_dead = |target: &str| {
            before.as_ref().is_some_and(|before| before.links().iter().any(|link| link.target == target))
        };
        let mut text = note.text().to_owned();
        let dead: Vec<_> = note
            .links()
            .iter()
            .filter(|link| !links.resolve(&path, link).is_sound())
            .filter(|link| !link.in_frontmatter && !was_dead(&link.target))
            .collect();
        // From the end, so that earlier spans stay right.
        for link in dead.into_iter().rev() {
            let shown = link.shown.clone().unwrap_or_else(|| link.target.clone());
            let there = links.resolve(&path, link).note().and_then(|path| overlay.read(path).ok().flatten());
            let meant =
                there.or_else(|| find_note(&*overlay, &link.target)).or_else(|| by_title(overlay, &link.target));
            let new = match meant {
                Some(meant) => {
                    told.push(format!("`{path}`: the link `{}` was corrected to `{}`", link.target, meant.path()));
                    link_to(meant.path(), &shown, &all)
                }
                None => {
                    told.push(format!("`{path}`: the link `{}` led nowhere and became plain text", link.target));
                    match link.form {
                        // Without its target a definition says nothing.
                        LinkForm::Definition => String::new(),
                        _ => shown,
                    }
                }
            };
            text.replace_range(link.span.clone(), &new);
        }
        if text != note.text() {
            overlay.write(&path, &text)?;
        }
    }
    Ok(told)
}

fn by_title(overlay: &Overlay, wanted: &str) -> Option<Note> {
    let wanted = wanted.trim().to_lowercase();
    let mut meant = overlay.paths().into_iter().filter_map(|path| overlay.read(&path).ok().flatten()).filter(|note| {
        note.title().to_lowercase() == wanted || note.aliases().iter().any(|a| a.to_lowercase() == wanted)
    });
    let found = meant.next()?;
    // Two notes of one title: nobody knows which is meant.
    meant.next().is_none().then_some(found)
}
