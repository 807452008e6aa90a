//! What a request is expected to need, before its answer tells.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::{ChatRequest, DocumentSource, Part, ResponseFormat, Usage};

/// The tokens that an image is assumed to need, until the provider reports the count.
const IMAGE_TOKENS: u64 = 1000;

/// Tokens that are assumed for a document whose length is not known: about ten pages.
const DOCUMENT_TOKENS: u64 = 17_000;

/// The fewest tokens that are set aside for an answer whose length nothing limits.
const SHORTEST: u64 = 1000;

/// The tokens that a call is expected to need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Expected {
    /// Tokens to read.
    pub(super) input: u64,
    /// Tokens to generate.
    pub(super) output: u64,
}

impl Expected {
    /// Tokens to read and to generate.
    pub(super) fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// What a request is expected to need: a token for four characters of its messages, tools and schema, and one for each
/// character of Chinese, Japanese or Korean; `max_tokens` for the answer, and `unset` where that is not set.
pub(super) fn expected(request: &ChatRequest, unset: u64) -> Expected {
    let mut quarters = 0_u64;
    let (mut images, mut documents) = (0_u64, 0_u64);
    for part in request.messages.iter().flat_map(|message| &message.parts) {
        match part {
            Part::Text { text } | Part::Reasoning { text, .. } => quarters += quarters_of(text),
            Part::ToolCall(call) => quarters += quarters_of(&call.arguments.to_string()),
            Part::ToolResult(result) => quarters += quarters_of(&result.content),
            Part::Image { .. } => images += 1,
            // A page of a PDF file has about 10 kB, and is read as about 1700 tokens.
            Part::Document { source: DocumentSource::Base64 { data, .. }, .. } => {
                quarters += u64::try_from(data.len() / 2).unwrap_or(u64::MAX);
            }
            Part::Document { source: DocumentSource::Url { .. }, .. } => documents += 1,
            // What providers keep of earlier reasoning is not counted as input by most of them.
            Part::EncryptedReasoning { .. } => {}
        }
    }
    for tool in &request.tools {
        let texts = [&tool.name, &tool.description, &tool.parameters.to_string()];
        quarters += texts.into_iter().map(|text| quarters_of(text)).sum::<u64>();
    }
    if let ResponseFormat::JsonSchema { schema, .. } = &request.format {
        quarters += quarters_of(&schema.to_string());
    }
    let input = quarters.div_ceil(4) + images * IMAGE_TOKENS + documents * DOCUMENT_TOKENS;
    Expected { input, output: request.params.max_tokens.map_or(unset, u64::from) }
}

/// Quarters of tokens of a text.
fn quarters_of(text: &str) -> u64 {
    text.chars().map(|c| if is_a_token(c) { 4 } else { 1 }).sum()
}

/// Whether a character is about a token for itself, as those of Chinese, Japanese and Korean.
fn is_a_token(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// The longest answer that a model gave so far.
#[derive(Debug, Default)]
pub(super) struct LongestAnswer(AtomicU64);

impl LongestAnswer {
    /// An answer is there.
    pub(super) fn saw(&self, usage: Usage) {
        self.0.fetch_max(usage.output, Ordering::Relaxed);
    }

    /// Its tokens; 0 before the first answer.
    pub(super) fn tokens(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// The tokens that are set aside for an answer whose length nothing limits: those of the longest one, at least 1000.
    pub(super) fn to_set_aside(&self) -> u64 {
        self.tokens().max(SHORTEST)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ToolSpec;

    #[test]
    fn tools_schemas_and_characters_that_are_tokens_count() {
        let input = |request: &ChatRequest| expected(request, 0).input;
        assert_eq!(input(&ChatRequest::user("x".repeat(400))), 100);
        assert_eq!(input(&ChatRequest::user("潮".repeat(400))), 400);
        let mut tools = ChatRequest::user("x".repeat(400));
        let parameters = json!({"type": "object", "description": "y".repeat(4000)});
        tools.tools.push(ToolSpec { name: "t".into(), description: "z".repeat(400), parameters, strict: false });
        assert!((1200..1220).contains(&input(&tools)), "{}", input(&tools));
        let mut typed = ChatRequest::user("x".repeat(400));
        typed.format = ResponseFormat::JsonSchema { name: "n".into(), schema: json!({"title": "y".repeat(4000)}) };
        assert!((1100..1110).contains(&input(&typed)), "{}", input(&typed));
    }

    #[test]
    fn an_answer_without_a_limit_is_as_long_as_the_longest_one() {
        let mut request = ChatRequest::user("four");
        let longest = LongestAnswer::default();
        let output = |request: &ChatRequest, longest: &LongestAnswer| expected(request, longest.to_set_aside()).output;
        assert_eq!(output(&request, &longest), 1000);
        for tokens in [4000, 20] {
            longest.saw(Usage { output: tokens, ..Usage::default() });
        }
        assert_eq!((output(&request, &longest), expected(&request, 0).total()), (4000, 1));
        request.params.max_tokens = Some(30);
        assert_eq!(output(&request, &longest), 30);
    }
}
