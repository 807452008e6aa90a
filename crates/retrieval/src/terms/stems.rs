//! A filter of the search library that takes the endings off words.

use std::borrow::Cow;

use graphloom_text::{Language, stem};
use tantivy::tokenizer::{Token, TokenFilter, TokenStream, Tokenizer};

/// Takes the endings of a language off words in small letters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stems(pub(super) Language);

impl TokenFilter for Stems {
    type Tokenizer<T: Tokenizer> = StemsOf<T>;

    fn transform<T: Tokenizer>(self, words: T) -> StemsOf<T> {
        StemsOf { language: self.0, words }
    }
}

/// The words of a tokenizer without their endings.
#[derive(Clone, Debug)]
pub(super) struct StemsOf<T> {
    language: Language,
    words: T,
}

impl<T: Tokenizer> Tokenizer for StemsOf<T> {
    type TokenStream<'a> = StemStream<T::TokenStream<'a>>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Self::TokenStream<'a> {
        StemStream { language: self.language, words: self.words.token_stream(text) }
    }
}

/// The words of one text without their endings.
#[derive(Debug)]
pub(super) struct StemStream<S> {
    language: Language,
    words: S,
}

impl<S: TokenStream> TokenStream for StemStream<S> {
    fn advance(&mut self) -> bool {
        if !self.words.advance() {
            return false;
        }
        let token = self.words.token_mut();
        let stem = stem(&token.text, self.language);
        if matches!(stem, Cow::Owned(_)) || stem.len() < token.text.len() {
            let stem = stem.into_owned();
            token.text = stem;
        }
        true
    }

    fn token(&self) -> &Token {
        self.words.token()
    }

    fn token_mut(&mut self) -> &mut Token {
        self.words.token_mut()
    }
}
