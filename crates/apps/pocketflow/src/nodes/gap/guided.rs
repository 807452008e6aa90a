//! The gap: the model chooses the group of records that says most about the topic; what these leave open is a blank that
//! the person fills in.

use graphloom_core_graph::{Context, NodeError};
use graphloom_retrieval::answer::{Request, unanswered_line};

use crate::resources::Resources;
use crate::session::{Gap, Numbered, Session, numbered};
use crate::small::{SmallQuestions, blank, clip, unmarked};

/// The most records of a group that are shown at once.
const SHOWN: usize = 4;

/// Finds the records that a gap rests on.
///
/// # Errors
/// Those of the model.
pub(super) async fn find(cx: &Context<Resources>, session: &Session) -> Result<Gap, NodeError> {
    let small = SmallQuestions::new(cx, "gap", session.journey.len());
    let topic = clip(session.topic.as_deref().unwrap_or_default());
    let findings = numbered(session);
    let mut groups = groups(session, &findings);
    groups.truncate(small.rules().groups.max(1));
    let claims = |group: &Vec<&Numbered<'_>>| group.iter().map(|finding| finding.claim).collect::<Vec<_>>().join(" ");
    let summaries: Vec<String> = groups.iter().map(claims).collect();
    let chosen = small.best("pick", &topic, &summaries).await?;
    let group = groups.get(chosen).map(Vec::as_slice).unwrap_or_default();
    let lead = match group.is_empty() {
        true => "No record was read, so everything is open:",
        false => "The records that are quoted here do not settle everything:",
    };
    // What no record bears on is the first that is open.
    let claims: Vec<String> =
        findings.iter().map(|finding| format!("# {}\n{}", finding.title, finding.claim)).collect();
    let request = Request::of(&topic);
    let open = unmarked(&unanswered_line(&request.unanswered(&claims.join("\n\n"))));
    Ok(Gap {
        summary: summaries.get(chosen).cloned().unwrap_or_default(),
        gap: format!("{open} {lead} {}.", blank("the open question")).trim().to_owned(),
        why: format!("It matters because {}.", blank("why the question matters")),
        evidence: group.iter().map(|finding| finding.id.to_owned()).collect(),
        notes: Vec::new(),
    })
}

/// The findings of each theme; all of them where there is no theme, and one empty group where there are none.
fn groups<'f, 's>(session: &Session, findings: &'f [Numbered<'s>]) -> Vec<Vec<&'f Numbered<'s>>> {
    let review = session.artifacts.review.as_ref().map(|review| &review.value);
    let mut groups = Vec::new();
    for theme in review.into_iter().flat_map(|review| &review.themes) {
        let of_theme = |finding: &&Numbered<'_>| theme.records.iter().any(|id| id == finding.id);
        let group: Vec<_> = findings.iter().filter(of_theme).take(SHOWN).collect();
        if !group.is_empty() {
            groups.push(group);
        }
    }
    if groups.is_empty() {
        groups.push(findings.iter().take(SHOWN).collect());
    }
    groups
}
