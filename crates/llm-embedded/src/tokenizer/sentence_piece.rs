//! Tokenizers of the `SentencePiece` kind: characters are merged into the piece with the highest score, and what is no piece
//! is spelled in bytes.

use std::collections::HashMap;

use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::normalizers::{NormalizerWrapper, Prepend, Replace, Sequence};

use super::Vocabulary;
use crate::EmbeddedError;
use crate::model::Gguf;

/// What stands for a space in a piece.
const SPACE: &str = "\u{2581}";

/// The encoder of a file whose tokenizer is `llama`.
pub(super) fn encoder(gguf: &Gguf, vocabulary: &Vocabulary<'_>) -> Result<tokenizers::Tokenizer, EmbeddedError> {
    let scores = gguf.floats("tokenizer.ggml.scores");
    if scores.len() != vocabulary.tokens.len() {
        let (scores, tokens) = (scores.len(), vocabulary.tokens.len());
        return Err(gguf.fault(format!("its vocabulary has {tokens} tokens, and scores for {scores}")));
    }
    let ids: Vocab = vocabulary.tokens.iter().zip(0_u32..).map(|(token, id)| ((*token).to_owned(), id)).collect();
    let merges = merges(vocabulary, &scores);
    let model = BPE::builder()
        .vocab_and_merges(ids, merges)
        .byte_fallback(true)
        .build()
        .map_err(|error| gguf.fault(format!("its vocabulary cannot be read: {error}")))?;
    let mut encoder = tokenizers::Tokenizer::new(model);
    let replace = Replace::new(" ", SPACE).map_err(|error| gguf.fault(error.to_string()))?;
    let mut steps: Vec<NormalizerWrapper> = Vec::new();
    if gguf.flag("tokenizer.ggml.add_space_prefix").unwrap_or(true) {
        steps.push(Prepend::new(SPACE.to_owned()).into());
    }
    steps.push(replace.into());
    let set = encoder.with_normalizer(Some(Sequence::new(steps)));
    set.map_err(|error| gguf.fault(format!("its texts cannot be prepared: {error}")))?;
    Ok(encoder)
}

/// The pairs of pieces that make another piece, the piece with the highest score first.
///
/// `SentencePiece` merges by the scores of the results. A list of merges in their order does the same.
fn merges(vocabulary: &Vocabulary<'_>, scores: &[f32]) -> Vec<(String, String)> {
    let mergeable = |id: usize| !vocabulary.is_control(id) && vocabulary.byte(id).is_none();
    let ids: HashMap<&str, usize> =
        vocabulary.tokens.iter().enumerate().filter(|(id, _)| mergeable(*id)).map(|(id, token)| (*token, id)).collect();
    let mut pairs = Vec::new();
    for (id, token) in vocabulary.tokens.iter().enumerate().filter(|(id, _)| mergeable(*id)) {
        for (at, _) in token.char_indices().skip(1) {
            let (left, right) = token.split_at(at);
            if let (Some(left_id), Some(right_id)) = (ids.get(left), ids.get(right)) {
                pairs.push((scores[id], (id, *left_id, *right_id), (left, right)));
            }
        }
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    pairs.into_iter().map(|(_, _, (left, right))| (left.to_owned(), right.to_owned())).collect()
}

/// The byte that a piece of the form `<0x0A>` stands for.
pub(super) fn spelled_byte(token: &str) -> Option<u8> {
    let digits = token.strip_prefix("<0x")?.strip_suffix('>')?;
    (digits.len() == 2).then(|| u8::from_str_radix(digits, 16).ok()).flatten()
}

/// What a piece stands for.
pub(super) fn bytes(token: &str) -> Vec<u8> {
    token.replace(SPACE, " ").into_bytes()
}
