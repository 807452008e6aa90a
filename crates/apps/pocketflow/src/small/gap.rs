//! The gap: a sentence for each group of records, and the choice of the one that matters most.

use graphloom_core_graph::NodeError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Small;
use super::forms::{Part, subjects};
use super::sentence::{check, clip};
use crate::nodes::{Numbered, ids_of, numbered};
use crate::session::{Gap, Session};

/// The most records of a group that are shown at once.
const SHOWN: usize = 4;
/// A gap and its reason are said in at least so many words.
const FEWEST_WORDS: usize = 6;
#[derive(Clone, Serialize, Deserialize)]
struct Open {
    gap: String,
    #[serde(default)]
    records: Vec<String>,
}

/// Finds the gap of a session's review.
///
/// # Errors
/// The model says nothing that can stand as a gap; and those of the model.
pub(crate) async fn find_gap(small: &Small<'_>, session: &Session) -> Result<Gap, NodeError> {
    let mut notes = Vec::new();
    let topic = clip(session.topic.as_deref().unwrap_or_default());
    let findings = numbered(session);
    let mut found: Vec<Open> = Vec::new();
    let mut problem = String::new();
    let groups = groups(session, &findings);
    for (at, group) in groups.iter().take(small.rules().groups.max(1)).enumerate() {
        let material = group.iter().fold(topic.clone(), |material, finding| format!("{material} {}", finding.claim));
        let args = json!({ "topic": topic, "findings": group });
        let check = |open: &Open| check(&open.gap, FEWEST_WORDS, &topic, &material, &[]);
        match small.value("open", &format!("open/{at}"), &args, &properties(&topic, group), check).await? {
            Ok(open) if found.iter().any(|other| other.gap == open.gap) => {}
            Ok(open) => found.push(open),
            Err(why) => {
                let records = group.iter().map(|finding| format!("[{}]", finding.number)).collect::<String>();
                notes.push(format!("the model said no gap of the records {records}: {why}"));
                problem = why;
            }
        }
    }
    let chosen = match found.len() {
        0 => {
            let model = small.model()?;
            return Err(NodeError::terminal(format!(
                "`{model}` said nothing that can stand as a gap ({problem}); a more capable `--model` may"
            )));
        }
        _ => {
            let sentences: Vec<String> = found.iter().map(|open| open.gap.clone()).collect();
            small.best("pick", &topic, &sentences).await?
        }
    };
    let open = found.swap_remove(chosen.min(found.len() - 1));
    let numbers: Vec<u32> = open.records.iter().filter_map(|number| number.parse().ok()).collect();
    let why = why(small, session, &topic, &open.gap, &findings, &mut notes).await?;
    let known = findings.iter().filter(|finding| numbers.iter().any(|number| *number as usize == finding.number));
    let summary = known.map(|finding| finding.claim).collect::<Vec<_>>().join(" ");
    Ok(Gap { summary, gap: open.gap, why, evidence: ids_of(session, &numbers), notes })
}

#[derive(Serialize, Deserialize)]
struct Said {
    text: String,
}

async fn why(
    small: &Small<'_>,
    session: &Session,
    topic: &str,
    gap: &str,
    findings: &[Numbered<'_>],
    notes: &mut Vec<String>,
) -> Result<String, NodeError> {
    let material = material(session, gap, findings);
    let args = json!({ "topic": topic, "gap": gap, "part": Part::Why.name(), "feedback": Value::Null });
    let (said, about) = ([gap.to_owned()], format!("{topic} {gap}"));
    let check = |made: &Said| check(&made.text, FEWEST_WORDS, &about, &material, &said);
    Ok(match small.value("why", "why", &args, &json!({ "text": Part::Why.schema(&[]) }), check).await? {
        Ok(made) => made.text,
        Err(problem) => {
            notes.push(format!("why the gap matters could not be said: {problem}"));
            String::new()
        }
    })
}

/// What a sentence of the model may take names and numbers from.
pub(super) fn material(session: &Session, gap: &str, findings: &[Numbered<'_>]) -> String {
    let mut material = format!("{} {gap}", session.topic.as_deref().unwrap_or_default());
    for part in findings.iter().map(|finding| finding.claim).chain(session.feedback.iter().map(String::as_str)) {
        material.push(' ');
        material.push_str(part);
    }
    material
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

fn properties(topic: &str, group: &[&Numbered<'_>]) -> Value {
    let subjects = subjects(std::iter::once(topic).chain(group.iter().map(|finding| finding.claim)));
    let mut properties = json!({ "gap": Part::Gap.schema(&subjects) });
    if !group.is_empty() {
        let numbers: Vec<String> = group.iter().map(|finding| finding.number.to_string()).collect();
        let most = numbers.len();
        properties["records"] =
            json!({ "type": "array", "items": { "enum": numbers }, "minItems": 1, "maxItems": most });
    }
    properties
}
