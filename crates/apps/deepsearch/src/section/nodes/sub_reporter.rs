//! Writes a section, with charts of its own. In: the documents of all plans. Out: `sub_report` with text, documents,
//! summary and charts.
//! Failure: a model that cannot be asked leads to a text of quotations with a warning (212000), and to `unwritten`; no
//! documents, or none that can be quoted, to an exception (212000) and the end of the section. A chart that fails is left out (212411).
//! Source: openJiuwen DeepSearch, `SubReporterNode`.

use graphloom_core_graph::{Context, NodeError, Snapshot, Step};

use crate::ask::is_constrained;
use crate::charts::{ChartRules, chart_section};
use crate::names::SECTION_END_NODE;
use crate::resources::{Resources, Slot, Stage};
use crate::section::SectionState;
use crate::state::{Locale, SubReport, SubReportContent, Unwritten};
use crate::status::{Notice, StatusCode};
use crate::stream::{self, Place};
use crate::writing::{WritingContext, classify, clean_headings, quote, section_outline, summarise, write};

pub(crate) async fn sub_reporter(
    state: Snapshot<SectionState>,
    cx: Context<Resources>,
) -> Result<Step<SectionState>, NodeError> {
    let brief = &*state.brief;
    let section = &brief.section;
    let place = |notice: Notice| notice.in_section(&section.id);
    let failed = |message: String, mut notices: Vec<Notice>, notes: Vec<String>, unwritten: Option<Unwritten>| {
        notices.push(place(Notice::exception(StatusCode::SubReport, message)));
        let unwritten = unwritten.map(|unwritten| unwritten.and(&notices, &notes));
        Step::goto(SECTION_END_NODE).with(SectionState::update().notices(notices).notes(notes).unwritten(unwritten))
    };
    let found = state.documents();
    if found.is_empty() {
        return Ok(failed(format!("there is nothing to write `{}` from", section.title), Vec::new(), Vec::new(), None));
    }
    let (documents, mut notes) = classify(&cx, brief, found.clone()).await?;
    let steps = state.plans.values().flat_map(|plan| &plan.steps);
    let questions: Vec<String> = steps.map(|step| step.title.clone()).collect();
    let context = WritingContext { cx: &cx, brief, documents: &documents, questions: &questions };
    let (outline, note) = section_outline(context).await?;
    notes.extend(note);

    let small = is_constrained(cx.resources(), Slot::WritingChecking);
    let mut notices = Vec::new();
    let mut written = None;
    if !small && !cx.resources().may_spend(Stage::Writing) {
        let message = "writing has spent its share of the budget; the section is quoted from its documents";
        notices.push(place(Notice::warning(StatusCode::BudgetReached, message)));
    } else if !small {
        match write(context, &outline).await? {
            Ok((text, more)) => {
                notes.extend(more);
                written = Some(text);
            }
            Err(failure) => {
                let message = format!("the section is quoted from its documents: {failure}");
                notices.push(place(Notice::warning(StatusCode::SubReport, message)));
            }
        }
    }
    let quoted = written.is_none();
    // A small model chooses quotations, which is its way of writing.
    let unwritten = (quoted && !small).then(|| Unwritten::new(&section.id, found));
    let text = match written {
        Some(text) => text,
        None => {
            let (text, more) = quote(context, &outline, small).await?;
            notes.extend(more);
            if small && text.is_empty() { left_open(context, &mut notes) } else { text }
        }
    };
    if text.trim().is_empty() {
        let message = format!("no sentence of {} documents can be quoted for `{}`", documents.len(), section.title);
        return Ok(failed(message, notices, notes, unwritten));
    }
    let text = clean_headings(&outline.title, &text);
    if quoted {
        stream::say(&cx, crate::names::SUB_REPORTER.as_str(), Place::section(&section.id), text.clone()).await;
    }
    let (summary, note) = summarise(context, &text).await?;
    notes.extend(note);
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
    let unwritten = unwritten.map(|unwritten| unwritten.and(&notices, &notes));
    let update = SectionState::update().sub_report(Some(sub_report)).unwritten(unwritten);
    Ok(Step::update(update.notices(notices).notes(notes)))
}

/// What stands in a section where no sentence of the documents bears on its part of the question.
fn left_open(context: WritingContext<'_>, notes: &mut Vec<String>) -> String {
    let WritingContext { brief, documents, .. } = context;
    let (count, title) = (documents.len(), &brief.section.title);
    notes.push(format!(
        "section {}: no sentence of {count} documents bears on `{}`",
        brief.section.id, brief.section.title
    ));
    match brief.language {
        Locale::Chinese => format!("找到的{count}份文档中没有与“{title}”相关的原文。"),
        _ => format!("Nothing that was found bears on “{title}”: documents looked through, {count}."),
    }
}
