//! What becomes of statements, by the verdicts of their citations.

use std::collections::BTreeMap;

use graphloom_citations::{
    CheckOptions, Claim, Examined, SourceText, Target, examine, replace_marks, sentences, without_marks,
};
use graphloom_core_graph::{Context, NodeError};
use serde_json::json;

use super::check::{Judged, with_span};
use super::judge::ModelJudge;
use super::outcome::{Resolution, UnsupportedStatement};
use crate::ask::{Ask, text};
use crate::config::Unsupported;
use crate::evidence::Document;
use crate::resources::{Resources, Slot, Stage};
use crate::state::{Locale, Verdict};

/// The longest sentence of a source that is put in the place of a statement, in bytes.
const LONGEST_QUOTATION: usize = 400;
/// What a model answers when the passage says nothing.
const NOTHING: &str = "NONE";

/// A text whose statements were settled.
pub(super) struct SettledText {
    /// The text with `[citation:K]` for the citations that stay.
    pub(super) text: String,
    /// Those citations, each with the statement that it stands behind.
    pub(super) citations: Vec<(String, Judged)>,
    pub(super) unsupported: Vec<UnsupportedStatement>,
}

/// Keeps, flags, rewrites or drops each statement.
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

/// A sentence with the marks of `kept` only, each once.
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

/// A sentence with a remark at its end; in a row of a table, inside its last bar.
fn with_remark(sentence: &str, remark: &str) -> String {
    let end = if sentence.starts_with('|') { sentence.trim_end_matches(['|', ' ']).len() } else { sentence.len() };
    format!("{}{remark}{}", &sentence[..end], &sentence[end..])
}

/// A sentence in whose place another stands, with what it began with: the sign of an item.
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

/// What the source says instead, if that can be found and stands the same checks.
async fn corrected<'e>(
    cx: &Context<Resources>,
    place: usize,
    claim: &Claim,
    verdicts: &[Judged],
    evidence: &impl Fn(usize) -> Option<&'e Document>,
) -> Result<Option<(String, Judged)>, NodeError> {
    // A row of a table is no sentence that could be written anew.
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
            text(cx, &ask, &args, |answer| Ok(one_line(answer))).await?.ok()
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

/// The first sentence of a passage, if it can stand in running text.
fn quotation(passage: &str) -> Option<String> {
    let first = sentences(passage).into_iter().next()?;
    let line = one_line(&passage[first]);
    (line.len() <= LONGEST_QUOTATION && !line.starts_with(['|', '#'])).then_some(line)
}

/// A text as one line without marks.
fn one_line(text: &str) -> String {
    without_marks(text).split_whitespace().collect::<Vec<_>>().join(" ")
}
