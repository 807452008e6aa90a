//! Node `prepare` of a change.

use graphloom_core_graph::{Context, NodeError, Shared, Snapshot, Step as GraphStep};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::failed;
use crate::ask::{Ask, value};
use crate::collector::CollectRequest;
use crate::evidence::Document;
use crate::feedback::blocks::major_block;
use crate::feedback::payload::{Action, Rejection};
use crate::feedback::state::{Assessment, EditStrategy, FeedbackState, Pending};
use crate::markup::clean;
use crate::markup::without_number;
use crate::names::{COMPOSE, FEEDBACK_COLLECTOR, FEEDBACK_END};
use crate::resources::{Resources, Slot};
use crate::state::{Report, Step, SubReport};
use crate::status::StatusCode;

/// How many bytes of a document a model sees.
const DOCUMENT: usize = 1500;

/// One question to look for.
#[derive(Serialize, Deserialize, JsonSchema)]
struct SearchTask {
    /// The question in a few words.
    title: String,
    /// What is to be found.
    description: String,
}

/// What the documents are good for.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Assessed {
    /// The numbers of the documents that serve the task.
    relevant: Vec<usize>,
    /// Whether they are enough.
    is_sufficient: bool,
    /// What is missing.
    missing_aspects: Vec<String>,
    /// Where the material goes.
    edit_strategy: EditStrategy,
    /// The title of a new subsection.
    title: String,
}

/// Says what has to be found for a change. In: the change, the section's documents. Out: what the collector is asked,
/// for a new task also its assessment. Failure: 212405 outside of sections; a model that fails has the person's words
/// searched.
///
/// Source: openJiuwen DeepSearch, `UserFeedbackProcessorNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn prepare(
    state: Snapshot<FeedbackState>,
    cx: Context<Resources>,
) -> Result<GraphStep<FeedbackState>, NodeError> {
    let Some(pending) = &state.pending else { return Ok(GraphStep::goto(FEEDBACK_END)) };
    let report = &state.result.response_content;
    let selected = clean(report, pending.selection.range.clone()).text.trim().to_owned();
    let wish = if pending.instruction.trim().is_empty() { selected.clone() } else { pending.instruction.clone() };
    if pending.action == Action::SupplementarySearch {
        let ask = Ask::new("search_task", "feedback/search_task").slot(Slot::PlanUnderstanding).tries(2);
        let args = json!({ "text": selected, "instruction": pending.instruction, "query": state.query });
        let task = value(&cx, &ask, &args, |task: SearchTask| {
            if task.title.trim().is_empty() { Err("the title is empty".to_owned()) } else { Ok(task) }
        });
        let (task, note) = match task.await? {
            Ok(task) => (task, None),
            Err(failure) => {
                let note = format!("the words of the wish are searched, as no question was made of them: {failure}");
                (SearchTask { title: short(&wish), description: wish.clone() }, Some(note))
            }
        };
        let update = FeedbackState::update().request(Some(request(&state, task.title, task.description)));
        return Ok(GraphStep::goto(FEEDBACK_COLLECTOR).with(update.notes(note)));
    }
    let Some((_, block)) = major_block(report, &pending.selection.range) else {
        let message = "the selection stands in no numbered section".to_owned();
        let rejection = Rejection { code: StatusCode::FeedbackRewrite, message };
        return Ok(GraphStep::goto(FEEDBACK_END).with(failed(&cx, &state, rejection).await));
    };
    let known = state.report.as_deref().and_then(|report| section_of(report, &block.title));
    let documents: &[Document] = known.map_or(&[], |section| section.content.classified_content.as_slice());
    let (assessment, note) = assess(&cx, &state, pending, &block.title, &selected, documents).await?;
    let update = FeedbackState::update().assessment(Some(assessment.clone())).notes(note);
    if assessment.is_sufficient && !assessment.relevant.is_empty() {
        return Ok(GraphStep::goto(COMPOSE).with(update));
    }
    let missing = if assessment.missing_aspects.is_empty() { wish } else { assessment.missing_aspects.join("; ") };
    let update = update.request(Some(request(&state, short(&missing), missing)));
    Ok(GraphStep::goto(FEEDBACK_COLLECTOR).with(update))
}

async fn assess(
    cx: &Context<Resources>,
    state: &FeedbackState,
    pending: &Pending,
    section: &str,
    selected: &str,
    documents: &[Document],
) -> Result<(Assessment, Option<String>), NodeError> {
    let shown: Vec<_> = documents
        .iter()
        .enumerate()
        .map(|(index, document)| {
            let cut = document.text.floor_char_boundary(DOCUMENT.min(document.text.len()));
            json!({ "label": format!("document {}: {}", index + 1, document.title), "text": &document.text[..cut] })
        })
        .collect();
    let ask = Ask::new("assess", "feedback/assess").slot(Slot::PlanUnderstanding).tries(2);
    let args = json!({
        "section": section, "text": selected, "instruction": pending.instruction, "query": state.query, "documents": shown,
    });
    let assessed = value(cx, &ask, &args, |assessed: Assessed| Ok(assessed)).await?;
    let wish = if pending.instruction.trim().is_empty() { selected } else { pending.instruction.as_str() };
    Ok(match assessed {
        Ok(assessed) => (
            Assessment {
                relevant: assessed
                    .relevant
                    .iter()
                    .filter_map(|number| number.checked_sub(1).and_then(|index| documents.get(index)))
                    .map(|document| document.id.clone())
                    .collect(),
                is_sufficient: assessed.is_sufficient,
                missing_aspects: assessed.missing_aspects,
                edit_strategy: assessed.edit_strategy,
                title: if assessed.title.trim().is_empty() { short(wish) } else { short(&assessed.title) },
            },
            None,
        ),
        Err(failure) => {
            let note = format!("a subsection is added, as the documents of the section were not assessed: {failure}");
            let assessment = Assessment {
                missing_aspects: vec![wish.to_owned()],
                edit_strategy: EditStrategy::AppendNewSubsection,
                title: short(wish),
                ..Assessment::default()
            };
            (assessment, Some(note))
        }
    })
}

fn request(state: &FeedbackState, title: String, description: String) -> Shared<CollectRequest> {
    let step = Step { id: "feedback".to_owned(), title, description, ..Step::default() };
    let mut request = CollectRequest::new(step, &state.config);
    request.query.clone_from(&state.query);
    request.language = state.language;
    request.today.clone_from(&state.today);
    Shared::new(request)
}

/// The section of a title, exactly or without number, case and signs.
pub(super) fn section_of<'r>(report: &'r Report, title: &str) -> Option<&'r SubReport> {
    let plain = |title: &str| -> String {
        without_number(title).chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    report
        .sub_reports
        .iter()
        .find(|section| section.section_task == title)
        .or_else(|| report.sub_reports.iter().find(|section| plain(&section.section_task) == plain(title)))
}

/// The first line of a text, without signs of headings, at most 80 characters.
fn short(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim_start_matches(['#', ' ']);
    line.chars().filter(|c| !c.is_control()).take(80).collect::<String>().trim().to_owned()
}
