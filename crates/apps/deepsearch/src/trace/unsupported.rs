//! The treatment of statements, by the verdicts on their citations.

use std::collections::BTreeMap;

use graphloom_citations::{
    CheckOptions, Claim, Examined, SourceText, Target, examine, replace_marks, sentences, without_marks,
};
use graphloom_core_graph::{Context, NodeError};
use serde_json::json;

use super::check::{Judged, with_span};
use super::judge::ModelJudge;
use super::outcome::{Resolution, UnsupportedStatement};
use crate::ask::{Ask, TakenText, taken_text};
use crate::config::Unsupported;
use crate::evidence::Document;
use crate::resources::{Resources, Slot, Stage};
use crate::state::{Locale, Verdict};

/// The longest sentence of a source that may replace a statement, in bytes.
const LONGEST_QUOTATION: usize = 400;
/// The answer of a model when the passage says nothing on the statement.
const NOTHING: &str = "NONE";

/// A text after the treatment of its statements.
pub(super) struct SettledText {
    /// The text with `[citation:K]` for the citations that stay.
    pub(super) text: String,
    /// The citations that stay, each with the statement before it.
    pub(super) citations: Vec<(String, Judged)>,
    pub(super) unsupported: Vec<UnsupportedStatement>,
}

/// Keeps, flags, rewrites or drops each statement, by its verdicts and the policy.
pub(super) async fn settle<'e>(
    cx: &Context<Resources>,
    draft: &str,
    statements: &[Claim],
    mut judged: BTreeMap<usize, Vec<Judged>>,
    evidence: &impl Fn(usize) -> Option<&'e Document>,
    language: Locale,
    policy: Unsupported,
) -> Result<SettledText, NodeError> {
    let mut settled =
        SettledText { text: String::with_capacity(draft.len()), citations: Vec::new(), unsupported: Vec::new() };
    let mut from = 0;
    for (place, claim) in statements.iter().enumerate() {
        // Marks in headings and code belong to no statement.
        settled.text.push_str(&replace_marks(&draft[from..claim.range.start], |_| None));
        from = claim.range.end;
        let sentence = &draft[claim.range.clone()];
        let verdicts = judged.remove(&place).unwrap_or_default();
        let has = |verdict: Verdict| verdicts.iter().any(|one| one.verdict() == verdict);
        let supported = has(Verdict::Supported) || has(Verdict::NotChecked);
        if verdicts.is_empty() || supported {
            let disagree = has(Verdict::Supported) && has(Verdict::Contradicted);
            let remaining: Vec<Judged> =
                verdicts.into_iter().filter(|one| one.verdict() != Verdict::NotFound).collect();
            let mut text = with_marks_of(sentence, &remaining);
            if disagree {
                text = with_remark(&text, language.pick("（来源说法不一）", " *(sources disagree)*"));
            }
            settled.text.push_str(&text);
            settled.citations.extend(remaining.into_iter().map(|one| (claim.text.clone(), one)));
            continue;
        }
        let verdict = if has(Verdict::Contradicted) { Verdict::Contradicted } else { Verdict::NotFound };
        let mut note = |resolution| {
            settled.unsupported.push(UnsupportedStatement { claim: claim.text.clone(), verdict, resolution });
        };
        match policy {
            Unsupported::Drop => {
                note(Resolution::Dropped);
                if sentence.starts_with('|') {
                    from += draft[from..].len() - draft[from..].trim_start_matches([' ', '\r']).len();
                    from += usize::from(draft[from..].starts_with('\n'));
                } else {
                    let left = settled.text.trim_end_matches([' ', '\t']).len();
                    settled.text.truncate(left);
                }
                continue;
            }
            Unsupported::Rewrite => {
                if let Some((new, one)) = corrected(cx, place, claim, &verdicts, evidence).await? {
                    note(Resolution::Rewritten { to: new.clone() });
                    settled.text.push_str(&replaced(sentence, &new, one.data));
                    settled.citations.push((new, one));
                    continue;
                }
            }
            Unsupported::Flag => {}
        }
        note(Resolution::Flagged);
        let remark = match verdict {
            Verdict::Contradicted => language.pick("（与来源矛盾）", " *(contradicted by its source)*"),
            _ => language.pick("（来源中未找到）", " *(not found in its source)*"),
        };
        settled.text.push_str(&with_remark(&with_marks_of(sentence, &verdicts), remark));
        settled.citations.extend(verdicts.into_iter().map(|one| (claim.text.clone(), one)));
    }
    settled.text.push_str(&replace_marks(&draft[from..], |_| None));
    Ok(settled)
}

/// A sentence with the marks of `citations` only, each once. A citation without a span loses its mark.
fn with_marks_of(sentence: &str, citations: &[Judged]) -> String {
    let mut seen: Vec<usize> = Vec::new();
    replace_marks(sentence, |mark| {
        let Target::Source(key) = &mark.target else { return None };
        let data: usize = key.parse().ok()?;
        let stays = citations.iter().any(|one| one.data == data && one.span.is_some()) && !seen.contains(&data);
        seen.push(data);
        stays.then(|| format!("[citation:{data}]"))
    })
}

/// A sentence with a remark at its end; in a row of a table the remark stands before the last bar.
fn with_remark(sentence: &str, remark: &str) -> String {
    let end = if sentence.starts_with('|') { sentence.trim_end_matches(['|', ' ']).len() } else { sentence.len() };
    format!("{}{remark}{}", &sentence[..end], &sentence[end..])
}

/// The new sentence with its citation. The marker of a list item at the start of the old sentence stays.
fn replaced(sentence: &str, new: &str, data: usize) -> String {
    let plain = without_marks(sentence);
    let marker = plain.split_whitespace().next().unwrap_or_default();
    let is_item = matches!(marker, "-" | "*" | "+" | "•" | "–" | ">")
        || marker
            .strip_suffix(['.', ')'])
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()));
    let head = if is_item { format!("{marker} ") } else { String::new() };
    format!("{head}{new}[citation:{data}]")
}

/// A replacement of a statement by what a source states; `None` when no replacement passes the check of citations.
async fn corrected<'e>(
    cx: &Context<Resources>,
    place: usize,
    claim: &Claim,
    verdicts: &[Judged],
    evidence: &impl Fn(usize) -> Option<&'e Document>,
) -> Result<Option<(String, Judged)>, NodeError> {
    // A row of a table is no sentence and cannot be rewritten.
    if claim.text.contains(" | ") {
        return Ok(None);
    }
    for one in verdicts {
        let (Some(source), Some(span)) = (evidence(one.data), one.span) else { continue };
        let Some(passage) = span.of(&source.text) else { continue };
        let new = if cx.resources().may_ask(Slot::WritingChecking, Stage::Checking) {
            let key = format!("trace/correct/{place}/{}", one.data);
            let ask = Ask::new(key, "trace/correct").slot(Slot::WritingChecking).tries(1);
            let args = json!({ "claim": claim.text, "passage": passage, "title": source.title });
            taken_text(cx, &ask, &args, |answer| Ok(one_line(answer)))
                .await?
                .ok()
                .and_then(|taken: TakenText<_>| taken.all().ok())
        } else {
            quotation(passage)
        };
        let Some(new) = new.filter(|new| !new.is_empty() && new != NOTHING) else { continue };
        let judge = ModelJudge::new(cx);
        let checked = match examine(&new, SourceText::new(&source.title, &source.text), CheckOptions::default()) {
            Examined::Decided(checked) => checked,
            Examined::Undecided(open) => {
                let key = format!("trace/verify/again/{place}/{}", one.data);
                let answers = judge.judge_all(&key, std::slice::from_ref(&open.question)).await?;
                let Some(answer) = answers.map(|mut answers| answers.pop()).transpose() else { continue };
                open.close(answer.map_err(Into::into))
            }
        };
        if checked.verdict.is_supported() {
            return Ok(Some((new.clone(), with_span(one.data, checked, &new, source))));
        }
    }
    Ok(None)
}

/// The first sentence of a passage, if the sentence is short enough and no row or heading.
fn quotation(passage: &str) -> Option<String> {
    let first = sentences(passage).into_iter().next()?;
    let line = one_line(&passage[first]);
    (line.len() <= LONGEST_QUOTATION && !line.starts_with(['|', '#'])).then_some(line)
}

/// A text as one line without marks.
fn one_line(text: &str) -> String {
    without_marks(text).split_whitespace().collect::<Vec<_>>().join(" ")
}
