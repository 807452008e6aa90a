//! The questions of stage 1 to the model.

use graphloom_core_graph::{Context, NodeError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::ask::{Ask, AskFailure, value};
use crate::evidence::Document;
use crate::resources::{Resources, Slot};

/// The most statements that the model may find in a section.
const MOST_SENTENCES: usize = 10;
/// The most sources of one statement.
const MOST_SOURCES: usize = 3;
/// The size, in bytes, of the pieces into which sources are cut for the model.
const PIECE: usize = 3000;
/// The most pieces in one call.
const AT_ONCE: usize = 40;

/// Pairs of a sentence and a source of the sentence, both counted from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Matches(pub(super) Vec<(usize, usize)>);

/// Statements of a section that need a source.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Recognised {
    /// The sentences, copied exactly.
    #[schemars(length(max = 10))]
    sentences: Vec<String>,
}

/// Which sources state what the sentences state.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Matched")]
struct SentenceMatches {
    /// One entry a sentence.
    results: Vec<SentenceSources>,
}

/// The sources of one sentence.
#[derive(Serialize, Deserialize, JsonSchema)]
struct SentenceSources {
    /// The number of the sentence, from 1.
    sentence: usize,
    /// The numbers of its sources, best first.
    #[schemars(length(max = 3))]
    sources: Vec<usize>,
}

/// The sentences of a section that state facts.
pub(super) async fn recognise(
    cx: &Context<Resources>,
    text: &str,
) -> Result<Result<Vec<String>, AskFailure>, NodeError> {
    let ask = Ask::new("trace/recognise", "trace/recognise").slot(Slot::WritingChecking).tries(1);
    let args = json!({ "text": text, "most": MOST_SENTENCES });
    value(cx, &ask, &args, |found: Recognised| Ok(found.sentences.into_iter().take(MOST_SENTENCES).collect())).await
}

/// The sources of sentences. Numbers of the model that name no sentence or no piece are ignored.
pub(super) async fn match_sentences(
    cx: &Context<Resources>,
    sentences: &[&str],
    sources: &[Document],
) -> Result<Result<Matches, AskFailure>, NodeError> {
    // Each piece, with the index of its source.
    let mut pieces: Vec<(usize, &str)> = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let mut rest: &str = &source.text;
        while !rest.is_empty() {
            let cut =
                rest.floor_char_boundary(PIECE.min(rest.len())).max(rest.chars().next().map_or(1, char::len_utf8));
            pieces.push((index, &rest[..cut]));
            rest = &rest[cut..];
        }
    }
    let mut found = Vec::new();
    for (number, batch) in pieces.chunks(AT_ONCE).enumerate() {
        let ask = Ask::new(format!("trace/match/{number}"), "trace/match").slot(Slot::WritingChecking).tries(1);
        let shown: Vec<_> = batch
            .iter()
            .enumerate()
            .map(|(at, (index, text))| json!({ "label": format!("source {}: {}", at + 1, sources[*index].title), "text": text }))
            .collect();
        let args = json!({ "sentences": sentences, "sources": shown, "most": MOST_SOURCES });
        let matched = match value(cx, &ask, &args, |matched: SentenceMatches| Ok(matched.results)).await? {
            Ok(matched) => matched,
            Err(failure) => return Ok(Err(failure)),
        };
        for entry in matched {
            let Some(sentence) = entry.sentence.checked_sub(1).filter(|index| *index < sentences.len()) else {
                continue;
            };
            let named = entry.sources.iter().filter_map(|number| number.checked_sub(1).and_then(|at| batch.get(at)));
            found.extend(named.take(MOST_SOURCES).map(|(source, _)| (sentence, *source)));
        }
    }
    Ok(Ok(Matches(found)))
}
