//! The text of a section out of quotations: for models that answer inside a grammar, and where no model can be asked.

use std::collections::BTreeSet;

use graphloom_core_graph::NodeError;
use graphloom_retrieval::extract::{Offer, Quotable, compose, offers, quotable};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Desk, SectionOutline, citation};
use crate::ask::{Ask, value};
use crate::resources::{Slot, Stage};

/// Sentences that are offered for one paragraph.
const OFFERED: usize = 4;
/// Paragraphs of one part, and of a section without parts.
const PER_PART: usize = 1;
const WITHOUT_PARTS: usize = 2;
/// How many sentences a paragraph takes when nobody chooses.
const UNCHOSEN: usize = 3;

/// A paragraph: a lead, and the labels of the sentences that follow it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Choice {
    #[schemars(length(min = 10, max = 110))]
    lead: String,
    #[schemars(length(min = 1, max = 3))]
    facts: Vec<Label>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Label {
    A,
    B,
    C,
    D,
}

impl Label {
    fn letter(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
            Self::C => "c",
            Self::D => "d",
        }
    }
}

/// The text and notes; the text is empty when no sentence of the documents can be quoted. With `ask` a model leads to the
/// quotations and chooses among them, else the best stand by themselves.
///
/// # Errors
/// Only what is no model's fault.
pub(crate) async fn quote(
    desk: Desk<'_>,
    outline: &SectionOutline,
    ask: bool,
) -> Result<(String, Vec<String>), NodeError> {
    let mut notes = Vec::new();
    let mut blocks: Vec<String> = Vec::new();
    let mut leads = BTreeSet::new();
    let mut silent = !ask;
    let mut asked = 0;
    let alone = [String::new()];
    let parts = if outline.subtitles.is_empty() { &alone[..] } else { &outline.subtitles };
    let most = if outline.subtitles.is_empty() { WITHOUT_PARTS } else { PER_PART };
    for part in parts {
        let subject = if part.is_empty() { &outline.title } else { part };
        let question = format!("{subject} {} {} {}", outline.title, desk.questions.join(" "), desk.brief.query);
        let mut begun = part.is_empty();
        for _ in 0..most {
            let pool = pool(desk, &question, &blocks.join("\n"));
            let offered = offers(&pool);
            if offered.is_empty() {
                break;
            }
            if !silent && !desk.cx.resources().may_spend(Stage::Writing) {
                silent = true;
                notes.push(format!(
                    "section {}: the rest is quoted, the budget of writing is spent",
                    desk.brief.section.id
                ));
            }
            let choice = if silent {
                None
            } else {
                asked += 1;
                match choose(desk, subject, &offered, asked).await? {
                    Ok(choice) => Some(choice),
                    Err(failure) => {
                        silent = true;
                        let section = &desk.brief.section.id;
                        notes.push(format!(
                            "section {section}: the best sentences are quoted without a choice: {failure}"
                        ));
                        None
                    }
                }
            };
            let (lead, labels): (String, Vec<String>) = match choice {
                Some(choice) => {
                    let labels = choice.facts.iter().map(|label| label.letter().to_owned()).collect();
                    // A small model likes to begin every paragraph alike.
                    let fresh = leads.insert(choice.lead.trim().to_lowercase());
                    (if fresh { choice.lead } else { String::new() }, labels)
                }
                None => (String::new(), offered.iter().take(UNCHOSEN).map(|offer| offer.label.clone()).collect()),
            };
            let material = format!("{subject} {} {}", outline.title, desk.brief.query);
            let mark = |number: &str| citation(number.parse().unwrap_or_default());
            let (paragraph, note) = compose(&offered, &lead, &labels, &material, mark);
            notes.extend(note.map(|note| format!("section {}: {note}", desk.brief.section.id)));
            if !begun {
                blocks.push(format!("## {part}"));
                begun = true;
            }
            blocks.push(paragraph);
        }
    }
    Ok((blocks.join("\n\n"), notes))
}

/// The sentences for the next paragraph, best first; ids are the numbers of the documents.
fn pool(desk: Desk<'_>, question: &str, written: &str) -> Vec<Quotable> {
    let numbers: Vec<String> = (1..=desk.documents.len()).map(|number| number.to_string()).collect();
    let texts = numbers.iter().map(String::as_str).zip(desk.documents.iter().map(|found| &*found.text));
    let mut pool = quotable(question, texts, &without_markers(written));
    pool.truncate(OFFERED);
    pool
}

/// A text without its markers, so that a sentence that was quoted is found again.
pub(super) fn without_markers(text: &str) -> String {
    let (text, _) = super::text::only_known(text, 0);
    text
}

async fn choose(
    desk: Desk<'_>,
    subject: &str,
    offered: &[Offer],
    number: usize,
) -> Result<Result<Choice, crate::ask::AskFailure>, NodeError> {
    let ask = Ask::new(format!("paragraph/{number}"), "sub_report_paragraph")
        .slot(Slot::WritingChecking)
        .tries(1)
        .small_tokens(90);
    let args = json!({ "subject": subject, "section_title": desk.brief.section.title, "offers": offered });
    value(desk.cx, &ask, &args, Ok).await
}
