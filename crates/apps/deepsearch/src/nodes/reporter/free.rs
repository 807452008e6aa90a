//! Transitions, abstract and conclusion in the model's own words.

use futures::stream::{self as futures_stream, StreamExt, TryStreamExt};
use graphloom_core_graph::{Context, NodeError};
use graphloom_text::markdown::close;
use graphloom_text::without_reference_lists;
use serde_json::{Value, json};

use super::ReportFrame;
use crate::ask::{Ask, AskFailure, TakenText, taken_text};
use crate::resources::{Resources, Stage};
use crate::state::{SearchContext, SubReport};

/// Transitions that are asked for at the same time.
const AT_ONCE: usize = 4;
/// The most words of a transition.
const TRANSITION_WORDS: usize = 60;

/// What the model writes around the sections.
pub(super) async fn frame(
    state: &SearchContext,
    cx: &Context<Resources>,
    title: &str,
    sections: &[SubReport],
) -> Result<ReportFrame, NodeError> {
    let transitions = transitions(state, cx, sections);
    let summary = part(state, cx, "report_abstract", title, sections);
    let conclusion = part(state, cx, "report_conclusion", title, sections);
    let (transitions, summary, conclusion) = futures::join!(transitions, summary, conclusion);
    let (transitions, mut notes) = transitions?;
    let mut noted = |part: PartText| {
        notes.extend(part.notes);
        part.text
    };
    let (summary, conclusion) = (summary?.map(&mut noted), conclusion?.map(&mut noted));
    Ok(ReportFrame { transitions, notes, summary, conclusion })
}

/// A sentence from each section to the next; none after the last, and none where the model fails, which the notes tell.
async fn transitions(
    state: &SearchContext,
    cx: &Context<Resources>,
    sections: &[SubReport],
) -> Result<(Vec<String>, Vec<String>), NodeError> {
    let asks = sections.len().saturating_sub(1);
    let made: Vec<(String, Option<String>)> = futures_stream::iter((0..asks).map(|at| async move {
        if !cx.resources().may_spend(Stage::Writing) {
            return Ok((String::new(), Some("a transition is missing: the budget of writing is spent".to_owned())));
        }
        let side = |report: &SubReport| json!({ "title": report.section_task, "summary": report.content.summary });
        let args = json!({
            "query": state.query, "language": state.language.as_str(),
            "previous": side(&sections[at]), "next": side(&sections[at + 1]),
        });
        let ask = Ask::new(format!("transition/{at}"), "generate_transition_sentence")
            .tries(state.config.report_max_generate_retry_num);
        let made = taken_text(cx, &ask, &args, |text| {
            let words = text.split_whitespace().count();
            if text.is_empty() || text.contains("\n\n") || text.starts_with('#') {
                Err("one paragraph without a heading is wanted".to_owned())
            } else if words > TRANSITION_WORDS {
                Err(format!("{words} words are too many; {TRANSITION_WORDS} are allowed"))
            } else {
                Ok(close(text).text)
            }
        });
        Ok::<_, NodeError>(match made.await? {
            // A transition that was broken off is half a sentence.
            Ok(TakenText { broken_off: Some(how), .. }) => {
                (String::new(), Some(format!("a transition is missing: it {how}")))
            }
            Ok(made) => (made.value, None),
            Err(failure) => (String::new(), Some(format!("a transition is missing: {failure}"))),
        })
    }))
    .buffered(AT_ONCE)
    .try_collect()
    .await?;
    let (mut made, notes): (Vec<String>, Vec<Option<String>>) = made.into_iter().unzip();
    made.resize(sections.len(), String::new());
    Ok((made, notes.into_iter().flatten().collect()))
}

/// An abstract or a conclusion, with notes on what was changed.
struct PartText {
    text: TakenText<String>,
    notes: Vec<String>,
}

/// Abstract or conclusion.
async fn part(
    state: &SearchContext,
    cx: &Context<Resources>,
    name: &str,
    title: &str,
    sections: &[SubReport],
) -> Result<Result<PartText, AskFailure>, NodeError> {
    // The summaries say what the sections say; a section without one is given by its beginning.
    let shown: Vec<Value> = sections
        .iter()
        .map(|report| {
            let content = &report.content;
            let summary = if content.summary.trim().is_empty() { &content.text } else { &content.summary };
            let summary: String = summary.chars().take(1_500).collect();
            json!({ "title": report.section_task, "summary": summary })
        })
        .collect();
    let args = json!({
        "query": state.query, "language": state.language.as_str(), "title": title, "sections": shown,
    });
    let ask = Ask::new(name, name).tries(state.config.report_max_generate_retry_num);
    let made = taken_text(cx, &ask, &args, |text| {
        let closed = close(text);
        let unlisted = without_reference_lists(&closed.text);
        match unlisted.text.is_empty() {
            true => Err("the text is empty".to_owned()),
            false => Ok((unlisted.text.clone(), closed.told().into_iter().chain(unlisted.told()).collect::<Vec<_>>())),
        }
    });
    let what = name.trim_start_matches("report_");
    Ok(made.await?.map(|taken| {
        let (text, changes) = taken.value;
        let notes = changes.into_iter().map(|note| format!("{what}: {note}"));
        PartText { text: TakenText { value: text, broken_off: taken.broken_off }, notes: notes.collect() }
    }))
}
