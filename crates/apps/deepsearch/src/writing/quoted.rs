//! The text of a section out of quotations: for models that answer inside a grammar, and where no model can be asked.

use graphloom_agents::guided::{Offer, Quoting, lettered};
use graphloom_core_graph::NodeError;
use graphloom_retrieval::answer::{Material, Quotable, Request};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{SectionOutline, WritingContext, citation};
use crate::ask::{Ask, AskFailure, value};
use crate::resources::{Slot, Stage};

/// Sentences that are offered for one paragraph.
const OFFERED: usize = 4;
/// Paragraphs of one part, and of a section without parts.
const PER_PART: usize = 1;
const WITHOUT_PARTS: usize = 2;
/// How many sentences a paragraph takes when nobody chooses.
const UNCHOSEN: usize = 3;

/// The labels of the sentences of a paragraph.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Choice {
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

/// The text and notes; the text is empty when no sentence of the documents can be quoted. With `ask` a model chooses among the
/// quotations, else the best are taken. What is quoted bears on the question; only where nobody chooses and nothing does, the
/// title of the section stands for it.
///
/// # Errors
/// Only errors that no model caused.
pub(crate) async fn quote(
    context: WritingContext<'_>,
    outline: &SectionOutline,
    ask: bool,
) -> Result<(String, Vec<String>), NodeError> {
    let mut notes = Vec::new();
    let mut blocks: Vec<String> = Vec::new();
    let mut quoting = Quoting::new(UNCHOSEN);
    if !ask {
        quoting.stop_asking();
    }
    let mut asked = 0;
    let alone = [String::new()];
    let parts = if outline.subtitles.is_empty() { &alone[..] } else { &outline.subtitles };
    let most = if outline.subtitles.is_empty() { WITHOUT_PARTS } else { PER_PART };
    for part in parts {
        let subject = if part.is_empty() { &outline.title } else { part };
        let section = &context.brief.section;
        let focus = format!("{subject} {} {}", outline.title, context.questions.join(" "));
        let mut requests = vec![Request::of(&context.brief.query).about(&section.description)];
        if !ask {
            requests.push(Request::of(&format!("{subject} {}", outline.title)));
            requests.extend(context.questions.iter().map(|question| Request::of(question)));
        }
        let mut begun = part.is_empty();
        for _ in 0..most {
            let written = blocks.join("\n");
            let pools = requests.iter().map(|request| pool(context, request, &focus, &written));
            let pool = pools.into_iter().find(|pool| !pool.is_empty()).unwrap_or_default();
            let offered = lettered(
                pool.into_iter().map(|found| Offer::new(found.evidence, found.text).followed_by(found.followers)),
            );
            if offered.is_empty() {
                break;
            }
            let section = &context.brief.section.id;
            if !quoting.has_stopped_asking() && !context.cx.resources().may_spend(Stage::Writing) {
                quoting.stop_asking();
                notes.push(format!("section {section}: the rest is quoted, the budget of writing is spent"));
            }
            asked += usize::from(!quoting.has_stopped_asking());
            let mark = |number: &str| citation(number.parse().unwrap_or_default());
            let paragraph = quoting.paragraph(&offered, mark, choose(context, subject, &offered, asked)).await?;
            if let Some(failure) = paragraph.failure {
                notes.push(format!("section {section}: the best sentences are quoted without a choice: {failure}"));
            }
            if !begun {
                blocks.push(format!("## {part}"));
                begun = true;
            }
            blocks.push(paragraph.text);
        }
    }
    Ok((blocks.join("\n\n"), notes))
}

/// The sentences for the next paragraph, best first; ids are the numbers of the documents.
fn pool(context: WritingContext<'_>, request: &Request, focus: &str, written: &str) -> Vec<Quotable> {
    let numbers: Vec<String> = (1..=context.documents.len()).map(|number| number.to_string()).collect();
    let material =
        numbers.iter().zip(context.documents).map(|(id, found)| Material::new(id, &found.title, &found.text));
    let mut pool = request.quotable(focus, material, &without_markers(written));
    pool.truncate(OFFERED);
    pool
}

/// A text without its markers, so that a sentence that was quoted is found again.
pub(super) fn without_markers(text: &str) -> String {
    let (text, _) = crate::markup::only_known(text, 0);
    text
}

/// The labels of the sentences that the model chooses.
async fn choose(
    context: WritingContext<'_>,
    subject: &str,
    offered: &[Offer],
    number: usize,
) -> Result<Result<Vec<String>, AskFailure>, NodeError> {
    let ask = Ask::new(format!("paragraph/{number}"), "sub_report_paragraph")
        .slot(Slot::WritingChecking)
        .tries(1)
        .small_tokens(40);
    let args = json!({ "subject": subject, "section_title": context.brief.section.title, "offers": offered });
    let labels = |choice: Choice| Ok(choice.facts.iter().map(|label| label.letter().to_owned()).collect());
    value(context.cx, &ask, &args, labels).await
}
