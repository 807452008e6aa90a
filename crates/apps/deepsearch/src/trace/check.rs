//! Stage 2: gives every citation of a report a verdict.

use std::collections::BTreeMap;

use graphloom_citations::{
    Basis, CheckOptions, Checked, Claim, Examined, OpenClaim, Question, SourceText, Span, Target, Verdict as Found,
    best_overlap, claims, examine, replace_marks, sentences,
};
use graphloom_core_graph::{Context, NodeError};
use graphloom_text::link_target;

use super::chart_citation::chart_verdict;
use super::judge::{ModelJudge, UnjudgedCounts};
use super::message::message;
use super::number::number;
use super::outcome::{CitationCount, UnsupportedStatement};
use super::unsupported::settle;
use crate::config::Config;
use crate::evidence::{Document, EvidenceId, canonical};
use crate::markup::trace_marks;
use crate::markup::without_references;
use crate::resources::Resources;
use crate::state::{CitationMessage, Locale, Report, TraceSource, Verdict};
use crate::status::{Notice, StatusCode};

/// A report whose citations were checked.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CheckedReport {
    /// The report with `[checked_citation:id][[n]](url)` and its list of references.
    pub content: String,
    /// The citations in the report, in the order of their ids.
    pub data: Vec<CitationMessage>,
    /// The sources of the citations, in the same order.
    pub sources: Vec<TraceSource>,
    /// The number of citations with each verdict, removed citations included.
    pub count: CitationCount,
    /// Statements that no source supports, each with its treatment.
    pub unsupported: Vec<UnsupportedStatement>,
    /// Failures of the check.
    pub notices: Vec<Notice>,
    /// Remarks for the user.
    pub notes: Vec<String>,
}

/// A citation that stays in the report.
#[derive(Clone, Debug)]
pub(super) struct KeptCitation {
    pub(super) message: CitationMessage,
}

/// A citation with its verdict.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    /// The index of the source in `merged_trace_source_datas`.
    pub(super) data: usize,
    pub(super) checked: Checked,
    /// The cited span of the evidence: the span of the verdict, or else the span with the closest wording.
    pub(super) span: Option<Span>,
}

impl Judged {
    pub(super) fn verdict(&self) -> Verdict {
        match self.checked.verdict {
            Found::Supported { .. } => Verdict::Supported,
            Found::Contradicted { .. } => Verdict::Contradicted,
            Found::NotFound => Verdict::NotFound,
            _ => Verdict::NotChecked,
        }
    }
}

/// Checks the citations of a report.
///
/// Rules decide when the source holds the statement as a quotation, and when it has another number, unit or date for
/// the same quantity. The model judges every other citation; the doubts of the rules are part of the question.
///
/// A citation stays in place, not checked, when the model cannot be asked (212105), when a judgement is missing
/// (212103) and when a judgement cannot be read (212104). A citation without a source is removed (212102).
/// `source_tracer_unsupported` chooses the treatment of statements without support.
///
/// # Errors
/// Only errors that no model caused.
pub async fn check_report(
    cx: &Context<Resources>,
    report: &Report,
    language: Locale,
    config: &Config,
) -> Result<CheckedReport, NodeError> {
    let datas = &report.merged_trace_source_datas;
    let mut out = CheckedReport::default();
    let draft = draft(report, &mut out.notices);
    let sources: BTreeMap<&EvidenceId, &Document> =
        report.all_classified_contents.iter().flatten().map(|evidence| (&evidence.id, evidence)).collect();
    let evidence = |data: usize| datas.get(data).and_then(|data| sources.get(&data.evidence).copied());

    let statements = claims(&draft);
    let (judged, missed) = judge(cx, &statements, datas, &evidence, config).await?;
    for one in judged.values().flatten() {
        out.count.add(one.verdict());
    }
    let all = out.count.all();
    out.notices.extend(missed.into_iter().map(|(code, (count, why))| {
        Notice::exception(code, format!("{count} of {all} citations were not checked: {why}"))
    }));

    let settled =
        settle(cx, &draft, &statements, judged, &evidence, language, config.source_tracer_unsupported).await?;
    let mut citations = BTreeMap::new();
    for (claim, one) in &settled.citations {
        if let (Some(source), Some(span)) = (evidence(one.data), one.span) {
            let message = message(source, claim, one.verdict(), span, one.checked.overlap);
            citations.insert(one.data, KeptCitation { message });
        }
    }
    (out.content, out.data, out.sources) = number(&settled.text, &citations, datas, language);
    out.notes.push(out.count.to_string());
    for (claim, one) in &settled.citations {
        if let (Basis::Doubt, Found::NotChecked { why }) = (one.checked.basis, &one.checked.verdict) {
            out.notes.push(format!("not checked: \"{claim}\": {why}"));
        }
    }
    out.notes.extend(settled.unsupported.iter().map(ToString::to_string));
    out.unsupported = settled.unsupported;
    Ok(out)
}

/// The body of the report with `[citation:K]` for every mark of stage 1; K is the index of the source in the list.
fn draft(report: &Report, notices: &mut Vec<Notice>) -> String {
    let datas = &report.merged_trace_source_datas;
    // Citation marks of any other form are removed: a document may have brought them into the text.
    let body = replace_marks(&without_references(&report.report_content), |_| None);
    let (mut draft, mut from, mut next, mut lost) = (String::new(), 0, 0, 0_usize);
    for mark in trace_marks(&body) {
        draft.push_str(&body[from..mark.range.start]);
        from = mark.range.end;
        let same =
            |data: &TraceSource| link_target(&data.url) == mark.url || canonical(&data.url) == canonical(&mark.url);
        // Sources stand in the order of the marks. Where the order is broken, the next source with the address is
        // taken.
        let place = datas[next.min(datas.len())..].iter().position(same).map(|ahead| next + ahead);
        match place.or_else(|| datas.iter().position(same)) {
            Some(index) => {
                draft.push_str(&format!("[citation:{index}]"));
                next = next.max(index + 1);
            }
            None => {
                lost += 1;
                draft.truncate(draft.trim_end_matches([' ', '\t']).len());
            }
        }
    }
    draft.push_str(&body[from..]);
    if lost > 0 {
        let message = format!("{lost} citations had no source and were taken out");
        notices.push(Notice::exception(StatusCode::CitationCount, message));
    }
    draft
}

/// The verdicts on the citations of each statement, by the index of the statement.
type Verdicts = BTreeMap<usize, Vec<Judged>>;

/// The verdicts on all citations, and the counts of missing judgements. A source that a statement cites twice counts
/// once.
async fn judge<'e>(
    cx: &Context<Resources>,
    statements: &[Claim],
    datas: &[TraceSource],
    evidence: &impl Fn(usize) -> Option<&'e Document>,
    config: &Config,
) -> Result<(Verdicts, UnjudgedCounts), NodeError> {
    let mut judged = Verdicts::new();
    let mut open: Vec<(usize, usize, OpenClaim)> = Vec::new();
    for (place, claim) in statements.iter().enumerate() {
        for data in cited(claim) {
            let Some(source) = evidence(data) else { continue };
            if let Some(drawn) = datas.get(data).and_then(|trace| chart_verdict(data, trace, source)) {
                judged.entry(place).or_default().push(drawn);
                continue;
            }
            match examine(&claim.text, SourceText::new(&source.title, &source.text), CheckOptions::default()) {
                Examined::Decided(checked) => {
                    judged.entry(place).or_default().push(with_span(data, checked, &claim.text, source));
                }
                Examined::Undecided(question) => open.push((place, data, question)),
            }
        }
    }
    let questions: Vec<&Question> = open.iter().map(|(_, _, open)| &open.question).collect();
    let (answers, missed) = ModelJudge::new(cx).judge_in_batches("trace/verify", &questions, config).await?;
    for ((place, data, question), answer) in open.into_iter().zip(answers) {
        let Some(source) = evidence(data) else { continue };
        let one = with_span(data, question.close(answer.map_err(Into::into)), &statements[place].text, source);
        judged.entry(place).or_default().push(one);
    }
    for (place, verdicts) in &mut judged {
        let order = cited(&statements[*place]);
        verdicts.sort_by_key(|one| order.iter().position(|data| *data == one.data));
        keep_best(verdicts, datas);
    }
    Ok((judged, missed))
}

/// The indices of the sources that a statement cites, each once.
pub(super) fn cited(claim: &Claim) -> Vec<usize> {
    let mut places = Vec::new();
    for mark in &claim.marks {
        if let Target::Source(key) = &mark.target
            && let Ok(place) = key.parse()
            && !places.contains(&place)
        {
            places.push(place);
        }
    }
    places
}

pub(super) fn with_span(data: usize, checked: Checked, claim: &str, source: &Document) -> Judged {
    let closest = || {
        let first = || sentences(&source.text).into_iter().next().map(Span::from);
        best_overlap(claim, &source.text).map(|(span, _)| span).or_else(first)
    };
    let span = checked.verdict.span().or_else(closest);
    Judged { data, checked, span }
}

/// Keeps the best of several citations of one address behind one statement: supported, then not checked, then
/// contradicted, then not found.
fn keep_best(verdicts: &mut Vec<Judged>, datas: &[TraceSource]) {
    let address = |one: &Judged| datas.get(one.data).map(|data| canonical(&data.url));
    let rank = |one: &Judged| match one.verdict() {
        Verdict::Supported => 3,
        Verdict::NotChecked => 2,
        Verdict::Contradicted => 1,
        Verdict::NotFound => 0,
    };
    let mut best: Vec<Judged> = Vec::new();
    for one in verdicts.drain(..) {
        match best.iter_mut().find(|other| address(other) == address(&one)) {
            Some(other) if rank(&one) > rank(other) => *other = one,
            Some(_) => {}
            None => best.push(one),
        }
    }
    *verdicts = best;
}
