//! From a text to windows of tokens.

use std::path::Path;

use tokenizers::Tokenizer;

use crate::EmbeddedError;

/// The tokens of a window, its two marks included. The model was tuned with windows of this size.
pub(super) const WINDOW: usize = 256;

/// The windows of a text that are read.
const MOST: usize = 16;

/// More bytes than the longest text that is read has: some words have many bytes and one token.
const LONGEST_TEXT: usize = WINDOW * MOST * 32;

/// The tokenizer with the marks around each window.
pub(super) struct Windows {
    tokenizer: Tokenizer,
    begin: u32,
    end: u32,
}

impl Windows {
    pub(super) fn load(path: &Path) -> Result<Self, EmbeddedError> {
        let fault = |message: String| EmbeddedError::Network { path: path.to_owned(), message };
        let mut tokenizer = Tokenizer::from_file(path).map_err(|error| fault(error.to_string()))?;
        // The file cuts and fills texts to a length that is not the model's.
        tokenizer.with_truncation(None).map_err(|error| fault(error.to_string()))?;
        tokenizer.with_padding(None);
        let mark = |name: &str| tokenizer.token_to_id(name).ok_or_else(|| fault(format!("it has no `{name}`")));
        Ok(Self { begin: mark("[CLS]")?, end: mark("[SEP]")?, tokenizer })
    }

    /// The windows of a text, at least one.
    pub(super) fn of(&self, text: &str) -> Result<Vec<Vec<u32>>, String> {
        let text = &text[..text.floor_char_boundary(LONGEST_TEXT)];
        let encoded = self.tokenizer.encode_fast(text, false).map_err(|error| error.to_string())?;
        let with_marks = |ids: &[u32]| [&[self.begin], ids, &[self.end]].concat();
        let windows: Vec<_> = encoded.get_ids().chunks(WINDOW - 2).take(MOST).map(with_marks).collect();
        Ok(if windows.is_empty() { vec![with_marks(&[])] } else { windows })
    }
}
