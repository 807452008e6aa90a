//! Tokenizers of the GPT-2 kind: text is cut into words, and the bytes of each are merged pair by pair.

use std::collections::HashMap;

use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::tokenizer::SplitDelimiterBehavior;

use super::Vocabulary;
use crate::EmbeddedError;
use crate::model::Gguf;

/// The encoder of a file whose tokenizer is `gpt2`.
pub(super) fn encoder(gguf: &Gguf, vocabulary: &Vocabulary<'_>) -> Result<tokenizers::Tokenizer, EmbeddedError> {
    let merges = gguf
        .texts("tokenizer.ggml.merges")?
        .into_iter()
        .map(|merge| match merge.split_once(' ') {
            Some((left, right)) => Ok((left.to_owned(), right.to_owned())),
            None => Err(gguf.fault(format!("`{merge}` in `tokenizer.ggml.merges` is not a pair"))),
        })
        .collect::<Result<Vec<_>, _>>()?;
    let ids: Vocab = vocabulary.tokens.iter().zip(0_u32..).map(|(token, id)| ((*token).to_owned(), id)).collect();
    let words = Words::of(gguf)?;
    let model = BPE::builder()
        .vocab_and_merges(ids, merges)
        .ignore_merges(words.whole)
        .build()
        .map_err(|error| gguf.fault(format!("its vocabulary does not fit its merges: {error}")))?;
    let mut encoder = tokenizers::Tokenizer::new(model);
    encoder.with_pre_tokenizer(Some(words.cut));
    Ok(encoder)
}

/// What a token of such a tokenizer stands for; `None` when it has characters that stand for no byte.
pub(super) fn bytes(token: &str, of_char: &HashMap<char, u8>) -> Option<Vec<u8>> {
    token.chars().map(|char| of_char.get(&char).copied()).collect()
}

/// How text is cut into words; the kinds are those that llama.cpp names in `tokenizer.ggml.pre`.
struct Words {
    cut: PreTokenizerWrapper,
    /// A word that is a token is taken whole, whatever its merges say.
    whole: bool,
}

impl Words {
    fn of(gguf: &Gguf) -> Result<Self, EmbeddedError> {
        const CONTRACTIONS: &str = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
        const SPACES: &str = r"\s*[\r\n]+|\s+(?!\S)|\s+";
        let plain = |digits: &str| {
            format!(r"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{SPACES}")
        };
        // Words end where capitals begin, and keep their contractions.
        let cased = || {
            let upper = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]";
            let lower = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]";
            let start = r"[^\r\n\p{L}\p{N}]?";
            format!(
                r"{start}{upper}*{lower}+{CONTRACTIONS}?|{start}{upper}+{lower}*{CONTRACTIONS}?|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{SPACES}"
            )
        };
        let split = |pattern: String, whole: bool| {
            let split = Split::new(SplitPattern::Regex(pattern), SplitDelimiterBehavior::Isolated, false)
                .map_err(|error| gguf.fault(format!("its texts cannot be cut: {error}")))?;
            let cut = Sequence::new(vec![split.into(), ByteLevel::new(false, true, false).into()]).into();
            Ok(Self { cut, whole })
        };
        match gguf.text("tokenizer.ggml.pre").unwrap_or("gpt-2") {
            "smollm" => {
                let parts = vec![Digits::new(true).into(), ByteLevel::new(false, true, true).into()];
                Ok(Self { cut: Sequence::new(parts).into(), whole: false })
            }
            "gpt-2" | "phi-2" | "default" => Ok(Self { cut: ByteLevel::new(false, true, true).into(), whole: false }),
            "llama-bpe" | "llama3" | "llama-v3" => split(plain(r"\p{N}{1,3}"), true),
            "dbrx" | "smaug-bpe" => split(plain(r"\p{N}{1,3}"), false),
            "qwen2" | "deepseek-r1-qwen" => split(plain(r"\p{N}"), false),
            "gpt-4o" | "llama4" => split(cased(), false),
            other => Err(gguf.unsupported(format!(
                "its texts are cut in the way `{other}`; this engine knows `smollm`, `gpt-2`, `llama-bpe`, `dbrx`, \
                 `smaug-bpe`, `qwen2` and `gpt-4o`"
            ))),
        }
    }
}

/// The printable character that stands for each byte in a byte-level vocabulary, reversed (GPT-2's table).
pub(super) fn bytes_of_chars() -> HashMap<char, u8> {
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
