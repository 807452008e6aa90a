//! Answers that fit a JSON schema by construction: at every token only those that the schema's grammar allows.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use llguidance::api::TopLevelGrammar;
use llguidance::{Matcher, ParserFactory};
use serde_json::{Value, json};
use toktrie::{TokEnv, TokRxInfo, TokTrie, TokenId, TokenizerEnv};

use super::bounded;
use crate::tokenizer::Tokenizer;

/// Makes grammars for one model's tokens.
pub(crate) struct Grammars {
    factory: ParserFactory,
}

/// A grammar on its way through an answer.
pub(crate) struct Constraint {
    matcher: Matcher,
}

impl Grammars {
    /// Prepares the model's vocabulary, which takes a while.
    pub(crate) fn new(tokenizer: &Arc<Tokenizer>, vocabulary: usize) -> Result<Self, String> {
        let size = u32::try_from(vocabulary).map_err(|_| "the vocabulary is too large".to_owned())?;
        let mut words = tokenizer.words(TokTrie::SPECIAL_TOKEN_MARKER);
        words.resize(vocabulary, Vec::new());
        let trie = TokTrie::from(&TokRxInfo::new(size, tokenizer.end()), &words);
        let environment: TokEnv = Arc::new(Environment { trie, tokenizer: Arc::clone(tokenizer) });
        let mut factory = ParserFactory::new_simple(&environment).map_err(|error| error.to_string())?;
        factory.quiet();
        factory.limits_mut().verbose_errors = false;
        Ok(Self { factory })
    }

    /// The grammar of a schema.
    ///
    /// # Errors
    /// A sentence that says what in the schema no grammar can be made of.
    pub(crate) fn constraint(&self, schema: &Value) -> Result<Constraint, String> {
        let mut schema = match schema {
            Value::Object(_) => bounded(schema),
            Value::Bool(true) => json!({}),
            _ => return Err("a schema is a JSON object".to_owned()),
        };
        // White space is left out: the model would fill its answer with it.
        schema["x-guidance"] = json!({ "whitespace_flexible": false });
        // The reader of schemas is foreign and reads what a caller wrote; whatever it does must end as an error.
        let parser =
            catch_unwind(AssertUnwindSafe(|| self.factory.create_parser(TopLevelGrammar::from_json_schema(schema))));
        match parser {
            Ok(Ok(parser)) => Ok(Constraint { matcher: Matcher::new(Ok(parser)) }),
            Ok(Err(error)) => Err(first_line(&error.to_string())),
            Err(_) => Err("the schema is too unusual to be read".to_owned()),
        }
    }
}

impl std::fmt::Debug for Grammars {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Grammars").finish_non_exhaustive()
    }
}

impl Constraint {
    /// The tokens that the grammar leaves no choice about, taken as given.
    pub(crate) fn forced(&mut self) -> Vec<u32> {
        self.matcher.consume_ff_tokens()
    }

    /// Whether the answer is whole.
    pub(crate) fn complete(&self) -> bool {
        self.matcher.is_stopped() && !self.matcher.is_error()
    }

    /// Sets the logits of all tokens that the grammar forbids next to minus infinity.
    pub(crate) fn mask(&mut self, logits: &mut [f32]) -> Result<(), String> {
        let mask = self.matcher.compute_mask_or_eos().map_err(|error| first_line(&error.to_string()))?;
        mask.iter_unset_entries(|token| {
            if let Some(logit) = logits.get_mut(token) {
                *logit = f32::NEG_INFINITY;
            }
        });
        Ok(())
    }

    /// Takes a token that the mask allowed.
    pub(crate) fn accept(&mut self, token: u32) -> Result<(), String> {
        self.matcher.consume_token(token).map_err(|error| first_line(&error.to_string()))
    }
}

impl std::fmt::Debug for Constraint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Constraint").finish_non_exhaustive()
    }
}

/// The model's vocabulary as the grammar sees it.
struct Environment {
    trie: TokTrie,
    tokenizer: Arc<Tokenizer>,
}

impl TokenizerEnv for Environment {
    fn tok_trie(&self) -> &TokTrie {
        &self.trie
    }

    fn tokenize_bytes(&self, bytes: &[u8]) -> Vec<TokenId> {
        self.trie.tokenize_with_greedy_fallback(bytes, |text| {
            // Greedy matching is always right, if not always what the model saw in training.
            self.tokenizer.encode(text).unwrap_or_else(|_| self.trie.greedy_tokenize(text.as_bytes()))
        })
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or("unknown fault").to_owned()
}
