//! The features that a server accepts, learnt from its rejections.

use crate::{ChatRequest, Params, ResponseFormat, StructuredSupport};

/// The features that are used with a server. A new dialect has the features that are tried first; rejections remove
/// features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dialect {
    pub(super) structured: StructuredSupport,
    /// `stream_options.include_usage`.
    pub(super) stream_usage: bool,
    /// `max_completion_tokens` in place of `max_tokens`.
    pub(super) completion_tokens: bool,
    pub(super) sampling: bool,
    pub(super) seed: bool,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            structured: StructuredSupport::JsonSchema,
            stream_usage: true,
            completion_tokens: false,
            sampling: true,
            seed: true,
        }
    }
}

/// A dialect without a feature that the server rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReducedDialect {
    pub(super) dialect: Dialect,
    /// The change, for people.
    pub(super) message: &'static str,
    /// Whether later requests use the reduced dialect too.
    pub(super) remember: bool,
}

impl Dialect {
    /// The dialect to try next, after a server answered `status` and `body` to a request in this dialect. `None` when
    /// the answer names no feature that the request used.
    pub(super) fn without_rejected(
        self,
        status: u16,
        body: &str,
        request: &ChatRequest,
        stream: bool,
    ) -> Option<ReducedDialect> {
        if !matches!(status, 400 | 404 | 415 | 422 | 500 | 501) {
            return None;
        }
        let body = body.to_ascii_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| body.contains(word));
        let Params { temperature, top_p, max_tokens, seed, .. } = &request.params;
        let remembered = |dialect, message| Some(ReducedDialect { dialect, message, remember: true });
        if stream && self.stream_usage && names(&["stream_options", "include_usage"]) {
            let message = "the server rejects `stream_options`: tokens of streamed answers are not counted";
            return remembered(Self { stream_usage: false, ..self }, message);
        }
        if max_tokens.is_some() && !self.completion_tokens && names(&["max_completion_tokens"]) {
            let message = "the server wants `max_completion_tokens` in place of `max_tokens`";
            return remembered(Self { completion_tokens: true, ..self }, message);
        }
        if request.format != ResponseFormat::Text
            && names(&["response_format", "json_schema", "json_object", "structured output"])
        {
            // A server that rejects one schema may accept the next one.
            let one_schema = names(&["invalid schema", "schema for response_format"]);
            let (structured, message) = match self.structured {
                StructuredSupport::JsonSchema if matches!(request.format, ResponseFormat::JsonSchema { .. }) => (
                    StructuredSupport::JsonObject,
                    "the server rejects the JSON schema: it is asked for a JSON object, with the schema in the prompt",
                ),
                StructuredSupport::Prompted => return None,
                _ => (
                    StructuredSupport::Prompted,
                    "the server rejects `response_format`: the schema stands in the prompt only",
                ),
            };
            return Some(ReducedDialect { dialect: Self { structured, ..self }, message, remember: !one_schema });
        }
        if (temperature.is_some() || top_p.is_some()) && self.sampling && names(&["temperature", "top_p"]) {
            let message = "the server rejects `temperature` and `top_p`: they are not sent";
            return remembered(Self { sampling: false, ..self }, message);
        }
        if seed.is_some() && self.seed && names(&["seed"]) {
            return remembered(Self { seed: false, ..self }, "the server rejects `seed`: it is not sent");
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_feature_is_lost_at_a_time() {
        let mut request = ChatRequest::user("x");
        request.format = ResponseFormat::JsonSchema { name: "n".into(), schema: json!({}) };
        let full = Dialect::default();
        let body = "Input should be 'text' or 'json_object'";
        let first = full.without_rejected(500, body, &request, false).unwrap();
        assert_eq!((first.dialect.structured, first.remember), (StructuredSupport::JsonObject, true));
        let second = first.dialect.without_rejected(400, "unknown field response_format", &request, false).unwrap();
        assert_eq!(second.dialect.structured, StructuredSupport::Prompted);
        assert_eq!(second.dialect.without_rejected(400, "unknown field response_format", &request, false), None);

        let once = full.without_rejected(400, "Invalid schema for response_format 'n'", &request, false).unwrap();
        assert!(!once.remember);
    }

    #[test]
    fn only_features_in_use_are_blamed() {
        let plain = ChatRequest::user("x");
        let full = Dialect::default();
        for (status, body) in [(400, "temperature"), (400, "json_schema"), (400, "seed"), (429, "stream_options")] {
            assert_eq!(full.without_rejected(status, body, &plain, false), None, "{body}");
        }
        let mut request = plain.clone();
        request.params = Params { max_tokens: Some(5), seed: Some(1), temperature: Some(0.1), ..Params::default() };
        let body = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
        assert!(full.without_rejected(400, body, &request, false).unwrap().dialect.completion_tokens);
        assert!(!full.without_rejected(400, "temperature", &request, false).unwrap().dialect.sampling);
        assert!(!full.without_rejected(422, "seed", &request, false).unwrap().dialect.seed);
        assert!(!full.without_rejected(400, "stream_options", &request, true).unwrap().dialect.stream_usage);
    }
}
