//! The proposal, section by section: sentences of records with their numbers, sentences of fixed forms, and blanks with a
//! name for what the person has to fill in. Nothing in it is the model's own words; the model chooses what is quoted.

use graphloom_agents::guided::{Offer, Quoting};
use graphloom_core_graph::{Context, NodeError};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Written;
use crate::resources::Resources;
use crate::session::{Gap, Numbered, Section, Session, numbered};
use crate::small::{SmallQuestions, blank, clip, unmarked};

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
    small: &'w SmallQuestions<'w>,
    topic: String,
    /// What can still be quoted.
    findings: Vec<Numbered<'w>>,
    /// The newest reason of a rejection.
    feedback: Option<String>,
    sections: Vec<Section>,
    notes: &'w mut Vec<String>,
}

/// Writes the title and the sections. Marks in the sections are numbers of records, as in prompts.
pub(super) async fn write(
    cx: &Context<Resources>,
    session: &Session,
    gap: &Gap,
    feedback: &[String],
    notes: &mut Vec<String>,
) -> Result<Written, NodeError> {
    let small = &SmallQuestions::new(cx, "proposal", session.journey.len());
    let model = small.model()?;
    notes.push(format!(
        "`{model}` is a small model: it chose which sentences of the records are quoted, and only quotations are cited; all \
         else is of a fixed form, with blanks to fill in"
    ));
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
    Ok(Written { title: format!("Research proposal: {topic}"), sections })
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
        let offers: Vec<Offer> = offered
            .iter()
            .map(|finding| Offer::new(finding.number.to_string(), finding.claim).labelled(finding.number.to_string()))
            .collect();
        let numbers: Vec<&str> = offers.iter().map(|offer| offer.label.as_str()).collect();
        let args = json!({ "topic": self.topic, "part": part, "feedback": self.feedback, "findings": offered });
        let most = most.min(numbers.len());
        let properties =
            json!({ "records": { "type": "array", "items": { "enum": numbers }, "minItems": 1, "maxItems": most } });
        let ask = async {
            let made = self.small.value("quotes", part, &args, &properties, |_: &Quotes| Ok(())).await?;
            Ok::<_, NodeError>(made.map(|made| made.records))
        };
        let quoted = Quoting::new(most).paragraph(&offers, |number| format!("[{number}]"), ask).await?;
        if let Some(problem) = quoted.failure {
            self.notes.push(format!("the records quoted for the {part} are the first, not chosen: {problem}"));
        }
        self.findings.retain(|finding| !quoted.labels.contains(&finding.number.to_string()));
        Ok(quoted.text)
    }
}
