//! Edits of what is reviewed.

use crate::actions::Action;
use crate::cite::cite_again;
use crate::feedback::Edit;
use crate::session::{Artifact, SearchQuery, Section, Session, Waiting};

/// Applies edits to what the session has under review, as a new version that nobody has approved yet. Nothing changes
/// when one of them does not fit.
///
/// # Errors
/// What does not fit, in words.
pub(crate) fn apply(session: &mut Session, edits: &[Edit], now: u64) -> Result<(), String> {
    match session.waiting_for {
        Waiting::Queries => {
            let Some(artifact) = &session.artifacts.queries else { return Err("there are no queries".to_owned()) };
            let edited = edited(&artifact.value, edits, |_, text| SearchQuery::new(text))?;
            let version = artifact.version + 1;
            session.artifacts.queries = Some(Artifact::new(version, Action::ReviewQueries, now, edited));
            session.approvals.queries = None;
        }
        Waiting::Report => {
            let Some(artifact) = &session.artifacts.proposal else { return Err("there is no proposal".to_owned()) };
            let mut proposal = artifact.value.clone();
            proposal.sections = edited(&proposal.sections, edits, |before, text| Section {
                heading: before.map_or_else(|| "Addition".to_owned(), |section| section.heading.clone()),
                text: text.to_owned(),
            })?;
            let version = artifact.version + 1;
            let proposal = cite_again(proposal);
            session.artifacts.proposal = Some(Artifact::new(version, Action::ReviewReport, now, proposal));
            session.approvals.proposal = None;
        }
        Waiting::None | Waiting::Slot { .. } => return Err("nothing is under review".to_owned()),
    }
    Ok(())
}

/// Places are those of the list before any edit.
fn edited<T: Clone>(items: &[T], edits: &[Edit], make: impl Fn(Option<&T>, &str) -> T) -> Result<Vec<T>, String> {
    let mut slots: Vec<Option<T>> = items.iter().cloned().map(Some).collect();
    let mut added = Vec::new();
    for edit in edits {
        let (at, text) = match edit {
            Edit::Add(text) => {
                added.push(make(None, text));
                continue;
            }
            Edit::Remove(at) => (*at, None),
            Edit::Replace(at, text) => (*at, Some(text)),
        };
        let Some(slot) = at.checked_sub(1).and_then(|at| slots.get_mut(at)) else {
            return Err(format!("there is no number {at}; the numbers are 1 to {}", items.len()));
        };
        *slot = text.map(|text| make(slot.as_ref(), text));
    }
    let edited: Vec<T> = slots.into_iter().flatten().chain(added).collect();
    if edited.is_empty() { Err("nothing would be left".to_owned()) } else { Ok(edited) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_name_places_of_the_list_before() {
        let apply = |edits: &[Edit]| edited(&["a", "b", "c"].map(str::to_owned), edits, |_, text| text.to_owned());
        let both = [Edit::Remove(1), Edit::Replace(3, "z".into()), Edit::Add("d".into())];
        assert_eq!(apply(&both).unwrap(), ["b", "z", "d"]);
        assert!(apply(&[Edit::Remove(4)]).unwrap_err().contains("1 to 3"));
        assert!(apply(&[Edit::Remove(1), Edit::Remove(2), Edit::Remove(3)]).is_err(), "nothing is left");
    }
}
