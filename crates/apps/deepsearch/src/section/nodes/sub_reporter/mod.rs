//! Node `sub_reporter` of a section.

mod free;
mod guided;

use graphloom_agents::Strategy;
use graphloom_core_graph::{Context, NodeError, Snapshot, Step};

use crate::charts::{ChartRules, chart_section};
use crate::evidence::Document;
use crate::names::SECTION_END_NODE;
use crate::resources::{Resources, Slot};
use crate::section::SectionState;
use crate::state::{SubReport, SubReportContent, Unwritten};
use crate::status::{Notice, StatusCode};
use crate::stream::{self, Place};
use crate::writing::{WritingContext, clean_headings};

/// The text of a section as it was drafted.
struct Draft {
    /// The documents that it rests on.
    documents: Vec<Document>,
    text: String,
    /// Whether it is made of quotations, so that nothing of it was streamed.
    quoted: bool,
    /// What a model has still to write.
    unwritten: Option<Unwritten>,
    notices: Vec<Notice>,
    notes: Vec<String>,
}

/// Writes a section, with charts of its own. In: the documents of all plans. Out: `sub_report` with text, documents,
/// summary and charts. Failure: a model that cannot be asked leads to a text of quotations with a warning (212000), and
/// to `unwritten`; no documents, or none that can be quoted, to an exception (212000) and the end of the section. A
/// chart that fails is left out (212411).
///
/// Source: openJiuwen DeepSearch, `SubReporterNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn sub_reporter(
    state: Snapshot<SectionState>,
    cx: Context<Resources>,
) -> Result<Step<SectionState>, NodeError> {
    let brief = &*state.brief;
    let section = &brief.section;
    let place = |notice: Notice| notice.in_section(&section.id);
    let failed = |message: String, mut notices: Vec<Notice>, notes: Vec<String>, unwritten: Option<Unwritten>| {
        notices.push(place(Notice::exception(StatusCode::SubReport, message)));
        let unwritten = unwritten.map(|unwritten| unwritten.with_reports(&notices, &notes));
        Step::goto(SECTION_END_NODE).with(SectionState::update().notices(notices).notes(notes).unwritten(unwritten))
    };
    let found = state.documents();
    if found.is_empty() {
        return Ok(failed(format!("there is nothing to write `{}` from", section.title), Vec::new(), Vec::new(), None));
    }
    let steps = state.plans.values().flat_map(|plan| &plan.steps);
    let questions: Vec<String> = steps.map(|step| step.title.clone()).collect();
    let strategy = cx.resources().strategy(Slot::WritingChecking);
    let draft = match strategy {
        Strategy::Free => free::draft(&cx, brief, found, &questions).await?,
        Strategy::Guided => guided::draft(&cx, brief, found, &questions).await?,
    };
    let Draft { documents, text, quoted, unwritten, notices, mut notes } = draft;
    let mut notices: Vec<Notice> = notices.into_iter().map(place).collect();
    if text.trim().is_empty() {
        let message = format!("no sentence of {} documents can be quoted for `{}`", documents.len(), section.title);
        return Ok(failed(message, notices, notes, unwritten));
    }
    let text = clean_headings(&section.title, &text);
    if quoted {
        stream::emit_whole(&cx, crate::names::SUB_REPORTER.as_str(), Place::section(&section.id), text.clone()).await;
    }
    let context = WritingContext { cx: &cx, brief, documents: &documents, questions: &questions };
    let summary = match strategy {
        Strategy::Free => free::summary(context, &text, &mut notes).await?,
        Strategy::Guided => guided::summary(context, &text),
    };
    let (text, charts) = if brief.config.visualization_enable {
        let rules = ChartRules::of_section(brief.language, brief.config.report_max_generate_retry_num);
        let charted = chart_section(&cx, &section.id, &text, &documents, rules).await?;
        notices.extend(charted.notices);
        notes.extend(charted.notes);
        (charted.text, charted.charts)
    } else {
        (text, Vec::new())
    };
    let background = brief.parents.iter().map(|parent| (parent.section_id.clone(), parent.content_summary.clone()));
    let sub_report = SubReport {
        section_id: section.id.clone(),
        section_task: section.title.clone(),
        background_knowledge: background.collect(),
        content: SubReportContent {
            classified_content: documents,
            text,
            summary,
            charts,
            ..SubReportContent::default()
        },
    };
    let unwritten = unwritten.map(|unwritten| unwritten.with_reports(&notices, &notes));
    let update = SectionState::update().sub_report(Some(sub_report)).unwritten(unwritten);
    Ok(Step::update(update.notices(notices).notes(notes)))
}
