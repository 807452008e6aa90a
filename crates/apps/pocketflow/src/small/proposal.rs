//! The proposal, section by section. Only sentences of records are cited, each with the number of its record.

use graphloom_core_graph::NodeError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Small;
use super::forms::{Part, subjects};
use super::gap::material;
use super::quote::cited;
use super::sentence::{check, clip};
use crate::nodes::{Numbered, numbered};
use crate::session::{Gap, Section, Session};

/// The most sentences that a section quotes.
const QUOTED: usize = 3;
/// The most findings that are offered to be quoted.
const OFFERED: usize = 6;
/// A sentence of a section has at least so many words.
const FEWEST_WORDS: usize = 5;
/// So many of the newest reasons of rejections are answered.
const ANSWERED: usize = 3;

#[derive(Serialize, Deserialize)]
struct Said {
    text: String,
}

#[derive(Serialize, Deserialize)]
struct Quotes {
    text: String,
    records: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Title {
    title: String,
}

/// A proposal that is being written.
struct Writing<'w> {
    small: &'w Small<'w>,
    topic: String,
    gap: &'w Gap,
    findings: Vec<Numbered<'w>>,
    /// The newest reason of a rejection.
    feedback: Option<String>,
    /// A sentence has a word of this.
    about: String,
    /// What a sentence may take names and numbers from.
    material: String,
    said: Vec<String>,
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
    let findings = numbered(session);
    let material = material(session, &gap.gap, &findings);
    let evidence: String = findings
        .iter()
        .filter(|finding| gap.evidence.iter().any(|id| id == finding.id))
        .map(|finding| format!("[{}]", finding.number))
        .collect();
    let topic = clip(session.topic.as_deref().unwrap_or_default());
    let mut writing = Writing {
        small,
        about: format!("{topic} {}", gap.gap),
        topic,
        gap,
        findings,
        feedback: feedback.last().map(|reason| clip(reason)),
        material,
        said: vec![gap.gap.clone(), gap.why.clone()],
        sections: Vec::new(),
        notes,
    };
    let title = writing.title().await?;
    writing.quoting("Background", Part::Background, QUOTED).await?;
    let stated = match evidence.is_empty() {
        true => gap.gap.clone(),
        false => format!("{} {evidence}.", gap.gap.trim_end_matches('.')),
    };
    writing.add("Gap", &format!("{stated} {}", gap.why));
    writing.part("Objectives", Part::Objective, 2).await?;
    writing.quoting("Method", Part::Method, 1).await?;
    writing.part("Expected impact", Part::Impact, 1).await?;
    writing.part("Risks", Part::Risk, 1).await?;
    writing.part("Timeline", Part::Timeline, 1).await?;
    let oldest = feedback.len().saturating_sub(ANSWERED);
    for (at, reason) in feedback.iter().enumerate().skip(oldest) {
        writing.answer(at, reason).await?;
    }
    let Writing { sections, .. } = writing;
    Ok((title, sections))
}

impl Writing<'_> {
    fn add(&mut self, heading: &str, text: &str) {
        let text = text.trim();
        match self.sections.iter_mut().find(|section| section.heading == heading) {
            _ if text.is_empty() => {}
            Some(section) => section.text = format!("{}\n\n{text}", section.text),
            None => self.sections.push(Section { heading: heading.to_owned(), text: text.to_owned() }),
        }
    }

    fn args(&self, part: Part) -> Value {
        json!({ "topic": self.topic, "gap": self.gap.gap, "part": part.name(), "feedback": self.feedback })
    }

    async fn title(&mut self) -> Result<String, NodeError> {
        let properties = json!({ "title": { "type": "string", "minLength": 10, "maxLength": 90 } });
        let check = |made: &Title| match made.title.split_whitespace().count() {
            0..3 => Err("it is too short".to_owned()),
            _ if made.title.contains(['[', ']', '<', '>', '{', '}', '|', '\n']) => Err("it has brackets".to_owned()),
            _ => Ok(()),
        };
        match self.small.value("title", "title", &self.args(Part::Gap), &properties, check).await? {
            Ok(made) => Ok(made.title.trim().trim_end_matches('.').to_owned()),
            Err(problem) => {
                self.notes.push(format!("the topic stands for a title: {problem}"));
                Ok(self.topic.clone())
            }
        }
    }

    /// A section of the model's own sentences.
    async fn part(&mut self, heading: &str, part: Part, count: usize) -> Result<(), NodeError> {
        for at in 0..count {
            let (about, material, said) = (&self.about, &self.material, &self.said);
            let check = |made: &Said| check(&made.text, FEWEST_WORDS, about, material, said);
            let key = format!("{}/{at}", part.name());
            let mut args = self.args(part);
            args["said"] = json!(self.sections.iter().find(|section| section.heading == heading).map(|one| &one.text));
            match self.small.value("part", &key, &args, &json!({ "text": part.schema(&[]) }), check).await? {
                Ok(made) => {
                    self.said.push(made.text.clone());
                    self.add(heading, &made.text);
                }
                // A section that has a sentence can do without a second one.
                Err(_) if at > 0 => break,
                Err(problem) => self.notes.push(format!("there is no section `{heading}`: {problem}")),
            }
        }
        Ok(())
    }

    /// A section of a sentence of the model and sentences of records that it chose.
    async fn quoting(&mut self, heading: &str, part: Part, most: usize) -> Result<(), NodeError> {
        if self.findings.is_empty() {
            return self.part(heading, part, 1).await;
        }
        let offered = &self.findings[..self.findings.len().min(OFFERED)];
        let numbers: Vec<String> = offered.iter().map(|finding| finding.number.to_string()).collect();
        let mut args = self.args(part);
        args["findings"] = json!(offered);
        let subjects = subjects([self.topic.as_str(), self.gap.gap.as_str()]);
        let mut properties = json!({ "text": part.schema(&subjects) });
        properties["records"] = json!({ "type": "array", "items": { "enum": numbers }, "minItems": 1, "maxItems": most.min(numbers.len()) });
        let (about, material, said) = (&self.about, &self.material, &self.said);
        let asked = self.small.value("quotes", part.name(), &args, &properties, |_: &Quotes| Ok(())).await?;
        // The choice counts also where the sentence before it cannot be shown.
        let (lead, records) = match asked {
            Ok(made) => match check(&made.text, FEWEST_WORDS, about, material, said) {
                Ok(()) => (made.text, made.records),
                Err(problem) => {
                    self.notes.push(format!("a sentence of `{heading}` was left out: {problem}"));
                    (String::new(), made.records)
                }
            },
            Err(problem) => {
                self.notes.push(format!("the records quoted in `{heading}` are the first, not chosen: {problem}"));
                (String::new(), numbers.into_iter().take(most).collect())
            }
        };
        let mut parts = Vec::new();
        for finding in offered.iter().filter(|finding| records.contains(&finding.number.to_string())) {
            parts.push(cited(finding.claim, finding.number));
        }
        if !lead.is_empty() {
            self.said.push(lead.clone());
            parts.insert(0, lead);
        }
        self.add(heading, &parts.join(" "));
        Ok(())
    }

    /// What the proposal has for a reason of a rejection.
    async fn answer(&mut self, at: usize, reason: &str) -> Result<(), NodeError> {
        let reason = clip(reason);
        let mut args = self.args(Part::Answer);
        args["feedback"] = json!(reason);
        args["said"] = Value::Null;
        let (said, material) = (&self.said, format!("{} {reason}", self.material));
        let about = format!("{} {reason}", self.about);
        let check = |made: &Said| check(&made.text, FEWEST_WORDS, &about, &material, said);
        match self
            .small
            .value("part", &format!("answer/{at}"), &args, &json!({ "text": Part::Answer.schema(&[]) }), check)
            .await?
        {
            Ok(made) => {
                self.said.push(made.text.clone());
                let asked = reason.replace(['[', ']', '\n'], " ");
                self.add("Answers to the review", &format!("“{asked}”: {}", made.text));
            }
            Err(problem) => self.notes.push(format!("no answer to “{reason}” could be used: {problem}")),
        }
        Ok(())
    }
}
