//! Edits of what is reviewed.

use crate::actions::Action;
use crate::cite::cite_again;
use crate::feedback::Edit;
use crate::session::{Artifact, SearchQuery, Section, Session, Waiting};

/// Applies edits to what the session has under review, as a new version that nobody has approved yet. Nothing changes
/// when one of them does not fit. What a model has to write stays as it is here, see [`to_write`].
///
/// # Errors
/// What does not fit, in words.
pub(crate) fn apply(session: &mut Session, edits: &[Edit], now: u64) -> Result<(), String> {
    match session.waiting_for {
        // Where other queries are asked for, edits make them of those that found nothing.
        Waiting::Queries | Waiting::Slot { .. } => {
            let Some(artifact) = &session.artifacts.queries else { return Err("there are no queries".to_owned()) };
            let edited = edited(&artifact.value, edits, |query| &query.text, |_, text| SearchQuery::new(text))?;
            let version = artifact.version + 1;
            session.artifacts.queries = Some(Artifact::new(version, Action::ReviewQueries, now, edited));
            session.approvals.queries = None;
        }
        Waiting::Report => {
            let Some(artifact) = &session.artifacts.proposal else { return Err("there is no proposal".to_owned()) };
            let mut proposal = artifact.value.clone();
            proposal.sections = edited(
                &proposal.sections,
                edits,
                |section| &section.text,
                |before, text| Section {
                    heading: before.map_or_else(|| "Addition".to_owned(), |section| section.heading.clone()),
                    text: text.to_owned(),
                },
            )?;
            let version = artifact.version + 1;
            let proposal = cite_again(proposal);
            session.artifacts.proposal = Some(Artifact::new(version, Action::ReviewReport, now, proposal));
            session.approvals.proposal = None;
        }
        Waiting::None => return Err("nothing is under review".to_owned()),
    }
    Ok(())
}

/// What edits leave to a model, as the reason that its next attempt is given; none where they leave nothing.
pub(crate) fn to_write(session: &Session, edits: &[Edit]) -> Option<String> {
    let artifacts = &session.artifacts;
    let names: Vec<&str> = match session.waiting_for {
        Waiting::Report => {
            artifacts.proposal.iter().flat_map(|one| &one.value.sections).map(|one| one.heading.as_str()).collect()
        }
        _ => artifacts.queries.iter().flat_map(|one| &one.value).map(|one| one.text.as_str()).collect(),
    };
    let wanted: Vec<String> = edits
        .iter()
        .filter_map(|edit| match edit {
            Edit::Rework { at: Some(at), how } => {
                let name = names.get(at - 1).map(|name| format!("`{name}`"));
                Some(format!("change only {}: {how}", name.unwrap_or_else(|| "the references".to_owned())))
            }
            Edit::Rework { at: None, how } => Some(how.clone()),
            _ => None,
        })
        .collect();
    if wanted.is_empty() {
        return None;
    }
    // The edits that need no model are made by then.
    let mut before = session.clone();
    apply(&mut before, edits, 0).ok()?;
    let queries: Vec<String> = match before.waiting_for {
        Waiting::Queries | Waiting::Slot { .. } => {
            before.artifacts.queries.iter().flat_map(|one| &one.value).map(|one| one.text.clone()).collect()
        }
        _ => Vec::new(),
    };
    let queries =
        if queries.is_empty() { String::new() } else { format!("; the queries are now: {}", queries.join("; ")) };
    Some(format!("{}{queries}", wanted.join("; ")))
}

/// Places are those of the list before any edit.
fn edited<T: Clone>(
    items: &[T],
    edits: &[Edit],
    text: impl Fn(&T) -> &str,
    make: impl Fn(Option<&T>, &str) -> T,
) -> Result<Vec<T>, String> {
    // What stands in each place; moves change the order of the places at the end.
    let mut slots: Vec<Option<T>> = items.iter().cloned().map(Some).collect();
    let mut order: Vec<usize> = (0..items.len()).collect();
    let mut added = Vec::new();
    let there = |at: usize| match at.checked_sub(1).filter(|at| *at < items.len()) {
        Some(at) => Ok(at),
        None => Err(format!("there is no number {at}; the numbers are 1 to {}", items.len())),
    };
    for edit in edits {
        match edit {
            Edit::Add(text) => added.push(make(None, text)),
            Edit::Remove(at) => slots[there(*at)?] = None,
            Edit::Replace(at, text) => {
                let at = there(*at)?;
                slots[at] = Some(make(slots[at].as_ref(), text));
            }
            Edit::Swap(one, other) => order.swap(there(*one)?, there(*other)?),
            Edit::Move(from, to) => {
                let (from, to) = (there(*from)?, there(*to)?);
                let moved = order.remove(from);
                order.insert(to, moved);
            }
            Edit::Merge(one, other) => {
                let (one, other) = (there(*one)?, there(*other)?);
                let words = format!("{} {}", text(&items[one]), text(&items[other]));
                slots[one] = Some(make(Some(&items[one]), &words));
                slots[other] = None;
            }
            // One more than there are: the references of a proposal.
            Edit::Rework { at: Some(at), .. } if *at > items.len() + 1 => drop(there(*at)?),
            Edit::Rework { .. } => {}
        }
    }
    let edited: Vec<T> = order.into_iter().filter_map(|at| slots[at].take()).chain(added).collect();
    if edited.is_empty() { Err("nothing would be left".to_owned()) } else { Ok(edited) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_name_places_of_the_list_before() {
        let apply = |edits: &[Edit]| {
            edited(&["a", "b", "c"].map(str::to_owned), edits, String::as_str, |_, text| text.to_owned())
        };
        let both = [Edit::Remove(1), Edit::Replace(3, "z".into()), Edit::Add("d".into())];
        assert_eq!(apply(&both).unwrap(), ["b", "z", "d"]);
        assert_eq!(apply(&[Edit::Swap(1, 3), Edit::Remove(1)]).unwrap(), ["c", "b"]);
        assert_eq!(apply(&[Edit::Move(3, 1)]).unwrap(), ["c", "a", "b"]);
        assert_eq!(apply(&[Edit::Merge(1, 3)]).unwrap(), ["a c", "b"]);
        assert!(apply(&[Edit::Rework { at: Some(5), how: "shorter".into() }]).is_err());
        assert!(apply(&[Edit::Remove(4)]).unwrap_err().contains("1 to 3"));
        assert!(apply(&[Edit::Remove(1), Edit::Remove(2), Edit::Remove(3)]).is_err(), "nothing is left");
    }
}
