//! The proposal, section by section: sentences of records with their numbers, sentences of fixed forms, and blanks with a
//! name for what the person has to fill in. Nothing in it is the model's own words; the model chooses what is quoted.

use graphloom_core_graph::NodeError;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Small;
use super::quote::cited;
use super::sentence::{blank, clip, unmarked};
use crate::session::{Gap, Section, Session};
use crate::session::{Numbered, numbered};

/// The most sentences that the background quotes.
const QUOTED: usize = 3;
/// The most findings that are offered to be quoted.
const OFFERED: usize = 6;
/// So many of the newest reasons of rejections are answered.
const ANSWERED: usize = 3;

#[derive(Serialize, Deserialize)]
struct Quotes {
    records: Vec<String>,
}

/// A proposal that is being written.
struct Writing<'w> {
    small: &'w Small<'w>,
    topic: String,
    /// What can still be quoted.
    findings: Vec<Numbered<'w>>,
    /// The newest reason of a rejection.
    feedback: Option<String>,
    sections: Vec<Section>,
    notes: &'w mut Vec<String>,
}

/// Writes the title and the sections. Marks in the sections are numbers of records, as in prompts.
pub(crate) async fn write(
    small: &Small<'_>,
    session: &Session,
    gap: &Gap,
    feedback: &[String],
    notes: &mut Vec<String>,
) -> Result<(String, Vec<Section>), NodeError> {
    let mut findings = numbered(session);
    // Those that lead to the gap come first.
    findings.sort_by_key(|finding| !gap.evidence.iter().any(|id| id == finding.id));
    let topic = unmarked(&clip(session.topic.as_deref().unwrap_or_default()));
    let mut writing = Writing {
        small,
        topic,
        findings,
        feedback: feedback.last().map(|reason| clip(reason)),
        sections: Vec::new(),
        notes,
    };
    let known = writing.quotes("background", QUOTED).await?;
    writing.add("Background", &[known, blank("what else is known, and why it matters")]);
    writing.add("Gap", &[gap.gap.clone(), gap.why.clone()]);
    writing.add("Objectives", &["Answer the open question:".to_owned(), blank("what shall be found out")]);
    let method = writing.quotes("method", 1).await?;
    writing.add("Method", &[method, blank("who or what is studied, what is measured, and what it is compared with")]);
    writing.add("Expected impact", &[blank("who would act otherwise if the question were answered")]);
    writing.add("Risks", &[blank("what may keep the question from being answered")]);
    writing.add("Timeline", &[blank("what is done first, what next, and what last")]);
    let oldest = feedback.len().saturating_sub(ANSWERED);
    for (number, reason) in (1..).zip(feedback).skip(oldest) {
        let reason = unmarked(&clip(reason));
        writing
            .add("Answers to the review", &[format!("“{reason}”:"), blank(&format!("the answer to reason {number}"))]);
    }
    let Writing { sections, topic, .. } = writing;
    Ok((format!("Research proposal: {topic}"), sections))
}

impl Writing<'_> {
    fn add(&mut self, heading: &str, parts: &[String]) {
        let parts: Vec<&str> = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect();
        let text = parts.join(" ");
        match self.sections.iter_mut().find(|section| section.heading == heading) {
            Some(section) => section.text = format!("{}\n\n{text}", section.text),
            None => self.sections.push(Section { heading: heading.to_owned(), text }),
        }
    }

    /// Sentences of records that the model chooses for a part, each once in the whole proposal.
    async fn quotes(&mut self, part: &str, most: usize) -> Result<String, NodeError> {
        let offered = &self.findings[..self.findings.len().min(OFFERED)];
        if offered.is_empty() {
            return Ok(String::new());
        }
        let numbers: Vec<String> = offered.iter().map(|finding| finding.number.to_string()).collect();
        let args = json!({ "topic": self.topic, "part": part, "feedback": self.feedback, "findings": offered });
        let most = most.min(numbers.len());
        let properties =
            json!({ "records": { "type": "array", "items": { "enum": numbers }, "minItems": 1, "maxItems": most } });
        let records = match self.small.value("quotes", part, &args, &properties, |_: &Quotes| Ok(())).await? {
            Ok(made) => made.records,
            Err(problem) => {
                self.notes.push(format!("the records quoted for the {part} are the first, not chosen: {problem}"));
                numbers.into_iter().take(most).collect()
            }
        };
        let is_chosen = |finding: &Numbered<'_>| records.contains(&finding.number.to_string());
        let quoted: Vec<String> =
            offered.iter().filter(|finding| is_chosen(finding)).map(|one| cited(one.claim, one.number)).collect();
        self.findings.retain(|finding| !is_chosen(finding));
        Ok(quoted.join(" "))
    }
}
