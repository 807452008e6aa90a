//! Text to tokens and back, built from a GGUF file's own vocabulary.

use std::collections::HashMap;

use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::tokenizer::SplitDelimiterBehavior;

use crate::EmbeddedError;
use crate::model::Gguf;

/// GGUF's mark of a token that stands for no text, such as the end of a message.
const CONTROL: i64 = 3;

/// Names of tokens that end a message in the templates of llama models.
const END_NAMES: [&str; 5] = ["<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|end_of_text|>", "</s>"];

/// A byte-level BPE tokenizer.
pub(crate) struct Tokenizer {
    encoder: tokenizers::Tokenizer,
    /// What each token stands for; a control token's own name.
    bytes: Vec<Vec<u8>>,
    control: HashMap<String, u32>,
    is_control: Vec<bool>,
    end: u32,
    begin: Option<u32>,
    adds_begin: bool,
}

impl Tokenizer {
    /// Builds the tokenizer from the metadata of `gguf`.
    pub(crate) fn load(gguf: &Gguf) -> Result<Self, EmbeddedError> {
        let kind = gguf.text("tokenizer.ggml.model").unwrap_or("unknown");
        if kind != "gpt2" {
            let message = format!("its tokenizer is `{kind}`, this engine reads `gpt2` (byte-level BPE)");
            return Err(gguf.unsupported(message));
        }
        let tokens = gguf.texts("tokenizer.ggml.tokens")?;
        let merges = gguf
            .texts("tokenizer.ggml.merges")?
            .into_iter()
            .map(|merge| match merge.split_once(' ') {
                Some((left, right)) => Ok((left.to_owned(), right.to_owned())),
                None => Err(gguf.fault(format!("`{merge}` in `tokenizer.ggml.merges` is not a pair"))),
            })
            .collect::<Result<Vec<_>, _>>()?;
        let types = gguf.numbers("tokenizer.ggml.token_type");
        let is_control: Vec<bool> = (0..tokens.len()).map(|id| types.get(id) == Some(&CONTROL)).collect();

        let vocabulary: Vocab = tokens.iter().zip(0_u32..).map(|(token, id)| ((*token).to_owned(), id)).collect();
        let model = BPE::builder()
            .vocab_and_merges(vocabulary, merges)
            .build()
            .map_err(|error| gguf.fault(format!("its vocabulary does not fit its merges: {error}")))?;
        let mut encoder = tokenizers::Tokenizer::new(model);
        encoder.with_pre_tokenizer(Some(pre_tokenizer(gguf)?));

        let of_char = bytes_of_chars();
        let bytes = tokens
            .iter()
            .zip(&is_control)
            .map(|(token, control)| match token.chars().map(|char| of_char.get(&char).copied()).collect() {
                Some(bytes) if !control => bytes,
                _ => token.as_bytes().to_vec(),
            })
            .collect();
        let control: HashMap<String, u32> = (0_u32..)
            .zip(tokens.iter().zip(&is_control))
            .filter(|(_, (token, control))| **control && !token.is_empty())
            .map(|(id, (token, _))| ((*token).to_owned(), id))
            .collect();
        let id = |key: &str| {
            let id = gguf.number(key).filter(|id| *id < tokens.len());
            id.and_then(|id| u32::try_from(id).ok())
        };
        let end = id("tokenizer.ggml.eos_token_id")
            .or_else(|| END_NAMES.iter().find_map(|name| control.get(*name).copied()))
            .ok_or_else(|| gguf.fault("the metadata names no token that ends a message"))?;
        let begin = id("tokenizer.ggml.bos_token_id");
        let adds_begin = gguf.flag("tokenizer.ggml.add_bos_token").unwrap_or(false);
        Ok(Self { encoder, bytes, control, is_control, end, begin, adds_begin })
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

/// How text is cut before pairs are merged; the kinds are those that llama.cpp names in `tokenizer.ggml.pre`.
fn pre_tokenizer(gguf: &Gguf) -> Result<PreTokenizerWrapper, EmbeddedError> {
    const CONTRACTIONS: &str = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
    let words = |digits: &str| {
        format!(
            r"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        )
    };
    let split = |pattern: String| -> Result<PreTokenizerWrapper, EmbeddedError> {
        let split = Split::new(SplitPattern::Regex(pattern), SplitDelimiterBehavior::Isolated, false)
            .map_err(|error| gguf.fault(format!("its texts cannot be cut: {error}")))?;
        Ok(Sequence::new(vec![split.into(), ByteLevel::new(false, true, false).into()]).into())
    };
    match gguf.text("tokenizer.ggml.pre").unwrap_or("gpt-2") {
        "smollm" => {
            let parts = vec![Digits::new(true).into(), ByteLevel::new(false, true, true).into()];
            Ok(Sequence::new(parts).into())
        }
        "gpt-2" | "default" => Ok(ByteLevel::new(false, true, true).into()),
        "llama-bpe" | "llama3" | "llama-v3" => split(words(r"\p{N}{1,3}")),
        "qwen2" => split(words(r"\p{N}")),
        other => Err(gguf.unsupported(format!(
            "its texts are cut in the way `{other}`; this engine knows `smollm`, `gpt-2`, `llama-bpe` and `qwen2`"
        ))),
    }
}

/// The printable character that stands for each byte in a byte-level vocabulary, reversed (GPT-2's table).
fn bytes_of_chars() -> HashMap<char, u8> {
    let printable = |byte: u8| matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
    let mut shifted = 0x100_u32..;
    (0..=u8::MAX)
        .filter_map(|byte| {
            let char = if printable(byte) { Some(char::from(byte)) } else { shifted.next().and_then(char::from_u32) };
            char.map(|char| (char, byte))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_its_own_character() {
        let table = bytes_of_chars();
        assert_eq!(table.len(), 256);
        for (char, byte) in [('A', b'A'), ('Ġ', b' '), ('Ċ', b'\n'), ('ĉ', b'\t'), ('é', 0xE9)] {
            assert_eq!(table.get(&char), Some(&byte), "{char}");
        }
    }
}
