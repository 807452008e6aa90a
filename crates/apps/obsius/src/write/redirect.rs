//! Links to a note that is deleted after its text was written into another note.

use std::collections::BTreeSet;

use graphloom_vault::{ChangeKind, NotePath, Notes, Overlay, VaultError};

/// How much of a deleted note's lines another note must hold to have taken its place, of ten.
const HELD: usize = 8;

/// Lets links to a deleted note lead to the one note that this run wrote its lines into; where there is none, links that
/// lead nowhere now are told. Returns what was done, in words.
///
/// # Errors
/// Those of the overlay.
pub(super) fn redirect_merged(overlay: &mut Overlay) -> Result<Vec<String>, VaultError> {
    let changes = overlay.changes().iter();
    let deleted = changes.filter(|(path, change)| change.kind() == ChangeKind::Deleted && path.is_note());
    let deleted: Vec<NotePath> = deleted.map(|(path, _)| path.clone()).collect();
    let mut notices = Vec::new();
    for gone in deleted {
        let linking = overlay.linking_to_deleted(&gone);
        if linking.is_empty() {
            continue;
        }
        let names = |paths: &[NotePath]| paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
        match holder(overlay, &gone) {
            Some(holder) => match overlay.redirect(&gone, &holder) {
                Ok(done) => notices.push(format!(
                    "{} links to `{gone}` lead to `{holder}` now, which has its text, in {}",
                    done.links(),
                    names(&linking)
                )),
                Err(error) => {
                    notices
                        .push(format!("links to `{gone}` in {} do not lead to it any more: {error}", names(&linking)));
                }
            },
            None => notices.push(format!("`{gone}` is deleted; links in {} led to it", names(&linking))),
        }
    }
    Ok(notices)
}

/// The one note that this run wrote most lines of a deleted note into.
fn holder(overlay: &Overlay, gone: &NotePath) -> Option<NotePath> {
    let before = overlay.vault().read(gone).ok().flatten()?;
    let lines: BTreeSet<&str> = before.body().lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return None;
    }
    let holds = |path: &NotePath| {
        let Some(note) = overlay.read(path).ok().flatten() else { return false };
        let written = overlay.written(path).iter().filter_map(|range| note.text().get(range.clone()));
        let written: BTreeSet<&str> = written.flat_map(str::lines).map(str::trim).collect();
        lines.intersection(&written).count() * 10 >= lines.len() * HELD
    };
    let mut holders = overlay.changes().iter().map(|(path, _)| path).filter(|path| path.is_note() && holds(path));
    let holder = holders.next()?.clone();
    holders.next().is_none().then_some(holder)
}
