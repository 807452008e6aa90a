//! Writes the proposal and resolves its citations. In: gap, feedback. Out: the proposal, as a new version.

use std::collections::BTreeMap;

use graphloom_core_graph::{Context, NodeError, Snapshot, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{finished, numbered, stray, think_all};
use crate::actions::{Action, Call};
use crate::decide::Finish;
use crate::nodes::router::call_of;
use crate::research::{Record, told};
use crate::resources::Resources;
use crate::session::{Artifact, Proposal, Reference, Section, Session};
use crate::small::{self, Small};
use crate::state::Conversation;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Written {
    title: String,
    #[schemars(length(min = 1, max = 9))]
    sections: Vec<Section>,
}

pub(crate) async fn write_proposal(
    state: Snapshot<Conversation>,
    cx: Context<Resources>,
) -> Result<Step<Conversation>, NodeError> {
    let Some(Call::WriteProposal(parameters)) = call_of(&state.turn) else { return Err(stray("write_proposal")) };
    let mut session = state.session.clone();
    let Some(gap) = session.artifacts.gap.as_ref().map(|gap| gap.value.clone()) else {
        return Err(stray("write_proposal"));
    };
    let mut notes = Vec::new();
    let written = match Small::of(&cx, "proposal", session.journey.len())? {
        Some(small) => {
            let model = small.model()?;
            notes.push(format!(
                "`{model}` is a small model: it wrote single sentences and chose what is quoted; only quotations are \
                 cited, and what it wrote itself may be wrong"
            ));
            let (title, sections) = small::write(&small, &session, &gap, &parameters.feedback, &mut notes).await?;
            Written { title, sections }
        }
        None => in_one_call(&cx, &session, &parameters.feedback).await?,
    };
    let review = session.artifacts.review.as_ref().map(|review| &review.value);
    let records = review.map(|review| review.records.as_slice()).unwrap_or_default();
    let mut proposal = cite(written.title, written.sections, records);
    if records.is_empty() {
        proposal.notes.push("No literature was found; this proposal rests on none.".to_owned());
    }
    proposal.sources = review.map(|review| told(&review.sources)).unwrap_or_default();
    let earlier = review.into_iter().flat_map(|review| &review.notes).chain(&gap.notes);
    proposal.notes.extend(earlier.cloned().chain(notes).map(|note| as_sentence(&note)));
    think_all(&cx, &proposal.notes).await;
    let version = session.artifacts.proposal.as_ref().map_or(1, |proposal| proposal.version + 1);
    session.action_result = Some(proposal.title.clone());
    session.artifacts.proposal = Some(Artifact::new(version, Action::WriteProposal, cx.now(), proposal));
    Ok(finished(session, &state.turn, Finish::Ok))
}

async fn in_one_call(cx: &Context<Resources>, session: &Session, feedback: &[String]) -> Result<Written, NodeError> {
    let args = json!({
        "topic": session.topic.as_deref().unwrap_or_default(),
        "gap": session.artifacts.gap.as_ref().map(|gap| &gap.value),
        "findings": numbered(session),
        "feedback": feedback,
    });
    cx.resources().ask(cx, "proposal", "proposal", &args).await
}

/// A note as it stands in a list of sentences.
fn as_sentence(note: &str) -> String {
    let end = if note.ends_with(['.', '。']) { "" } else { "." };
    let mut letters = note.chars();
    letters.next().map(|first| format!("{}{}{end}", first.to_uppercase(), letters.as_str())).unwrap_or_default()
}

/// Resolves the marks of a text: numbers of records are counted anew in the order of their first use, numbers of no
/// record are taken out and noted.
fn cite(title: String, sections: Vec<Section>, records: &[Record]) -> Proposal {
    let mut numbers: BTreeMap<usize, u32> = BTreeMap::new();
    let mut references: Vec<Reference> = Vec::new();
    let mut unknown: Vec<String> = Vec::new();
    let mut resolve = |mark: &str| -> Option<u32> {
        let at = mark.parse::<usize>().ok().and_then(|number| number.checked_sub(1)).filter(|at| *at < records.len());
        let Some(at) = at else {
            unknown.push(format!("[{mark}]"));
            return None;
        };
        let next = u32::try_from(references.len()).unwrap_or(u32::MAX).saturating_add(1);
        let number = *numbers.entry(at).or_insert(next);
        if number == next {
            references.push(Reference { number, record: records[at].clone() });
        }
        Some(number)
    };
    let sections: Vec<Section> = sections
        .into_iter()
        .map(|section| Section { text: marks(&section.text, &mut resolve), heading: section.heading })
        .collect();
    let mut notes = Vec::new();
    if !unknown.is_empty() {
        notes.push(format!("Marks that name no record were taken out: {}.", unknown.join(", ")));
    }
    if references.is_empty() && !records.is_empty() {
        notes.push("The text cites none of the records that were read.".to_owned());
    }
    Proposal { title, sections, references, notes, sources: Vec::new() }
}

/// Replaces every `[1]` or `[1, 2]` of a text.
fn marks(text: &str, resolve: &mut impl FnMut(&str) -> Option<u32>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let (before, from) = rest.split_at(open);
        let inner = from.find(']').map(|close| &from[1..close]);
        let is_mark = |inner: &&str| {
            !inner.is_empty()
                && inner.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | ' ' | ';'))
                && inner.contains(|c: char| c.is_ascii_digit())
        };
        let Some(inner) = inner.filter(is_mark) else {
            out.push_str(before);
            out.push('[');
            rest = &from[1..];
            continue;
        };
        let parts = inner.split([',', ';']).map(str::trim).filter(|part| !part.is_empty());
        let resolved: Vec<String> = parts.filter_map(&mut *resolve).map(|number| format!("[{number}]")).collect();
        if resolved.is_empty() {
            out.push_str(before.trim_end_matches(' '));
        } else {
            out.push_str(before);
            out.push_str(&resolved.concat());
        }
        rest = &from[inner.len() + 2..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_resolve_or_go() {
        let record = |id: &str| {
            let mut record = Record::new(id);
            record.id = id.to_owned();
            record
        };
        let section = |text: &str| Section { heading: "H".to_owned(), text: text.to_owned() };
        let sections = vec![section("Known [3]. Also [1, 3] and [9]."), section("See [note] and [1] [x.")];
        let proposal = cite("T".to_owned(), sections, &[record("a"), record("b"), record("c")]);
        let texts: Vec<&str> = proposal.sections.iter().map(|section| section.text.as_str()).collect();
        assert_eq!(texts, ["Known [1]. Also [2][1] and.", "See [note] and [2] [x."]);
        let references: Vec<_> = proposal.references.iter().map(|one| (one.number, one.record.id.as_str())).collect();
        assert_eq!(references, [(1, "c"), (2, "a")]);
        assert_eq!(proposal.notes, ["Marks that name no record were taken out: [9]."]);
    }
}
