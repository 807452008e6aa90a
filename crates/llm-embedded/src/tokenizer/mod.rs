//! Text to tokens and back, built from a GGUF file's own vocabulary.

mod byte_level;
mod sentence_piece;

use std::collections::HashMap;

use tokenizers::AddedToken;

use crate::EmbeddedError;
use crate::model::Gguf;

/// GGUF's marks of tokens: one that is never text, one that stands for no text, such as the end of a message, one that is
/// found in a text before anything is merged, and one that spells a byte.
const UNKNOWN: i64 = 2;
const CONTROL: i64 = 3;
const WHOLE: i64 = 4;
const BYTE: i64 = 6;

/// Names of tokens that end a message, in the order in which they are preferred. They are control tokens whatever a file says:
/// no text may end a message.
const END_NAMES: [&str; 9] = [
    "<|im_end|>",
    "<|eot_id|>",
    "<end_of_turn>",
    "<|end|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "</s>",
    "<|eom_id|>",
    "<eos>",
];

/// The tokens of a file with their kinds.
struct Vocabulary<'g> {
    tokens: Vec<&'g str>,
    types: Vec<i64>,
}

impl<'g> Vocabulary<'g> {
    fn of(gguf: &'g Gguf) -> Result<Self, EmbeddedError> {
        Ok(Self { tokens: gguf.texts("tokenizer.ggml.tokens")?, types: gguf.numbers("tokenizer.ggml.token_type") })
    }

    fn is(&self, id: usize, kind: i64) -> bool {
        self.types.get(id) == Some(&kind)
    }

    fn is_control(&self, id: usize) -> bool {
        let ends = self.tokens.get(id).is_some_and(|token| END_NAMES.contains(token));
        self.is(id, CONTROL) || self.is(id, UNKNOWN) || ends
    }

    /// The byte that a token spells.
    fn byte(&self, id: usize) -> Option<u8> {
        self.tokens.get(id).filter(|_| self.is(id, BYTE)).and_then(|token| sentence_piece::spelled_byte(token))
    }

    /// Tokens that are found in any text before it is cut.
    fn whole(&self) -> Vec<AddedToken> {
        let whole = self
            .tokens
            .iter()
            .enumerate()
            .filter(|(id, token)| self.is(*id, WHOLE) && !self.is_control(*id) && !token.is_empty());
        whole.map(|(_, token)| AddedToken::from((*token).to_owned(), false).normalized(false)).collect()
    }
}

/// A tokenizer.
pub(crate) struct Tokenizer {
    encoder: tokenizers::Tokenizer,
    /// What each token stands for; a control token's own name.
    bytes: Vec<Vec<u8>>,
    control: HashMap<String, u32>,
    is_control: Vec<bool>,
    end: u32,
    begin: Option<u32>,
    adds_begin: bool,
    /// White space after a control token of a template is no text.
    strips_after_control: bool,
}

impl Tokenizer {
    /// Builds the tokenizer from the metadata of `gguf`.
    pub(crate) fn load(gguf: &Gguf) -> Result<Self, EmbeddedError> {
        let kind = gguf.text("tokenizer.ggml.model").unwrap_or("unknown");
        let vocabulary = Vocabulary::of(gguf)?;
        let tokens = &vocabulary.tokens;
        let mut encoder = match kind {
            "gpt2" => byte_level::encoder(gguf, &vocabulary)?,
            "llama" => sentence_piece::encoder(gguf, &vocabulary)?,
            other => {
                let message = format!(
                    "its tokenizer is `{other}`, this engine reads `gpt2` (byte-level BPE) and `llama` (SentencePiece)"
                );
                return Err(gguf.unsupported(message));
            }
        };
        encoder.add_tokens(vocabulary.whole()).map_err(|error| gguf.fault(format!("its tokens: {error}")))?;

        let of_char = byte_level::bytes_of_chars();
        let bytes_of = |(id, token): (usize, &&str)| {
            if vocabulary.is_control(id) || vocabulary.is(id, WHOLE) {
                return token.as_bytes().to_vec();
            }
            match vocabulary.byte(id) {
                Some(byte) => vec![byte],
                None if kind == "llama" => sentence_piece::bytes(token),
                None => byte_level::bytes(token, &of_char).unwrap_or_else(|| token.as_bytes().to_vec()),
            }
        };
        let bytes = tokens.iter().enumerate().map(bytes_of).collect();
        let is_control: Vec<bool> = (0..tokens.len()).map(|id| vocabulary.is_control(id)).collect();
        let control: HashMap<String, u32> = (0_u32..)
            .zip(tokens.iter().zip(&is_control))
            .filter(|(_, (token, control))| **control && !token.is_empty())
            .map(|(id, (token, _))| ((*token).to_owned(), id))
            .collect();
        let id = |key: &str| {
            let id = gguf.number(key).filter(|id| *id < tokens.len());
            id.and_then(|id| u32::try_from(id).ok())
        };
        // Where a message ends another way than a text, the file names its token, or its name tells.
        let end = id("tokenizer.ggml.eot_token_id")
            .or_else(|| END_NAMES[..4].iter().find_map(|name| control.get(*name).copied()))
            .or_else(|| id("tokenizer.ggml.eos_token_id"))
            .or_else(|| END_NAMES.iter().find_map(|name| control.get(*name).copied()))
            .ok_or_else(|| gguf.fault("the metadata names no token that ends a message"))?;
        let begin = id("tokenizer.ggml.bos_token_id");
        // Files with SentencePiece say so only where it is not so.
        let adds_begin = gguf.flag("tokenizer.ggml.add_bos_token").unwrap_or(kind == "llama");
        let model_name = gguf.text("general.name").unwrap_or_default().to_lowercase();
        let strips_after_control = kind == "llama" && (model_name.contains("phi-3") || model_name.contains("phi3"));
        Ok(Self { encoder, bytes, control, is_control, end, begin, adds_begin, strips_after_control })
    }

    /// The tokens of plain text. Names of control tokens in it are text like any other.
    pub(crate) fn encode(&self, text: &str) -> Result<Vec<u32>, String> {
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let encoding = self.encoder.encode_fast(text, false).map_err(|error| error.to_string())?;
        Ok(encoding.get_ids().to_vec())
    }

    /// What a token stands for; nothing for a control token or an unknown one.
    pub(crate) fn bytes(&self, token: u32) -> &[u8] {
        if self.ends(token) { &[] } else { &self.bytes[token as usize] }
    }

    /// The name of a control token.
    pub(crate) fn name(&self, token: u32) -> &str {
        self.bytes.get(token as usize).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    /// Control tokens by name.
    pub(crate) fn control(&self) -> &HashMap<String, u32> {
        &self.control
    }

    /// Whether a token ends an answer. Every control token does: none of them belongs into a text.
    pub(crate) fn ends(&self, token: u32) -> bool {
        token == self.end || self.is_control.get(token as usize).copied().unwrap_or(true)
    }

    /// The token that ends a message.
    pub(crate) fn end(&self) -> u32 {
        self.end
    }

    /// The token that begins a text, where the model has one.
    pub(crate) fn begin(&self) -> Option<u32> {
        self.begin
    }

    /// Whether every text begins with [`Tokenizer::begin`].
    pub(crate) fn adds_begin(&self) -> bool {
        self.adds_begin
    }

    /// Whether white space after a control token of a template is no text (models of the Phi-3 family were trained so).
    pub(crate) fn strips_after_control(&self) -> bool {
        self.strips_after_control
    }

    /// The number of tokens.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// For each token, its bytes; a control token's name behind `marker`.
    pub(crate) fn words(&self, marker: u8) -> Vec<Vec<u8>> {
        self.bytes
            .iter()
            .zip(&self.is_control)
            .map(|(bytes, control)| if *control { [&[marker], bytes.as_slice()].concat() } else { bytes.clone() })
            .collect()
    }
}

/// The characters that stand for the bytes of a byte-level vocabulary, for tests that write one.
#[cfg(test)]
pub(crate) fn byte_characters() -> Vec<char> {
    let mut characters: Vec<(u8, char)> =
        byte_level::bytes_of_chars().into_iter().map(|(char, byte)| (byte, char)).collect();
    characters.sort_unstable();
    characters.into_iter().map(|(_, char)| char).collect()
}
