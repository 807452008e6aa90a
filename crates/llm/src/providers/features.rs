//! The features that a provider accepts, learnt from its rejections.

use serde::{Deserialize, Serialize};

use crate::{ChatRequest, Params, Reasoning, ResponseFormat, StructuredSupport, ToolChoice};

/// The features that are used with a provider. Every client begins with the features that are tried first with its
/// provider; rejections remove features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Features {
    pub(super) structured: StructuredSupport,
    /// Whether there is a form between a schema and none: any JSON object.
    pub(super) json_object: bool,
    /// `stream_options.include_usage`.
    pub(super) stream_usage: bool,
    /// `max_completion_tokens` in place of `max_tokens`.
    pub(super) completion_tokens: bool,
    /// `temperature` and `top_p`.
    pub(super) sampling: bool,
    pub(super) seed: bool,
    /// `random_seed` in place of `seed`.
    pub(super) seed_is_random_seed: bool,
    /// Reasoning in words.
    pub(super) reasoning_words: bool,
    /// Reasoning in tokens.
    pub(super) reasoning_tokens: bool,
    pub(super) strict_tools: bool,
    /// The switch of parallel tool calls.
    pub(super) parallel_switch: bool,
    /// Tools that must be called.
    pub(super) forced_tools: bool,
    /// Marks at the end of what is stable.
    pub(super) cache_marks: bool,
    /// Whether reasoning is asked for in encrypted form, to go back with the next request.
    pub(super) encrypted_reasoning: bool,
}

/// Features without one that the provider rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reduced {
    pub(super) features: Features,
    /// The change, for people.
    pub(super) message: &'static str,
    /// Whether later requests are reduced, too.
    pub(super) remember: bool,
}

impl Features {
    /// Everything that a wire may have, and reasoning in words only.
    pub(super) const ALL: Self = Self {
        structured: StructuredSupport::JsonSchema,
        json_object: true,
        stream_usage: true,
        completion_tokens: false,
        sampling: true,
        seed: true,
        seed_is_random_seed: false,
        reasoning_words: true,
        reasoning_tokens: false,
        strict_tools: true,
        parallel_switch: true,
        forced_tools: true,
        cache_marks: true,
        encrypted_reasoning: true,
    };

    /// The form in which reasoning is asked for: as it is wished, else in the other form that the provider has. `None`
    /// leaves it to the model.
    pub(super) fn reasoning(&self, wished: Option<Reasoning>) -> Option<Reasoning> {
        match (wished?, self.reasoning_words, self.reasoning_tokens) {
            (_, false, false) => None,
            (wished @ Reasoning::Effort(_), true, _) | (wished @ Reasoning::Tokens(_), _, true) => Some(wished),
            (wished, true, false) => Some(Reasoning::Effort(wished.effort())),
            (wished, false, true) => Some(Reasoning::Tokens(match wished.effort().word() {
                "none" => 0,
                "minimal" | "low" => 2048,
                "medium" => 8192,
                _ => 16_384,
            })),
        }
    }

    /// Loses what another copy lost on the way from `before` to `after`.
    pub(super) fn learn(&mut self, before: Self, after: Self) {
        if before.structured != after.structured {
            self.structured = after.structured;
        }
        for (known, before, after) in [
            (&mut self.stream_usage, before.stream_usage, after.stream_usage),
            (&mut self.completion_tokens, before.completion_tokens, after.completion_tokens),
            (&mut self.sampling, before.sampling, after.sampling),
            (&mut self.seed, before.seed, after.seed),
            (&mut self.reasoning_words, before.reasoning_words, after.reasoning_words),
            (&mut self.reasoning_tokens, before.reasoning_tokens, after.reasoning_tokens),
            (&mut self.strict_tools, before.strict_tools, after.strict_tools),
            (&mut self.parallel_switch, before.parallel_switch, after.parallel_switch),
            (&mut self.forced_tools, before.forced_tools, after.forced_tools),
            (&mut self.cache_marks, before.cache_marks, after.cache_marks),
            (&mut self.encrypted_reasoning, before.encrypted_reasoning, after.encrypted_reasoning),
        ] {
            if before != after {
                *known = after;
            }
        }
    }

    /// The features to try next, after a provider answered `status` and `body` to a request with these features. `None`
    /// when the answer names no feature that the request used.
    pub(super) fn without_rejected(
        self,
        status: u16,
        body: &str,
        request: &ChatRequest,
        stream: bool,
    ) -> Option<Reduced> {
        if !matches!(status, 400 | 404 | 415 | 422 | 500 | 501) {
            return None;
        }
        let body = body.to_ascii_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| body.contains(word));
        let Params { temperature, top_p, max_tokens, seed, .. } = &request.params;
        let remembered = |features, message| Some(Reduced { features, message, remember: true });
        if stream && self.stream_usage && names(&["stream_options", "include_usage"]) {
            let message = "the server rejects `stream_options`: tokens of streamed answers are not counted";
            return remembered(Self { stream_usage: false, ..self }, message);
        }
        if max_tokens.is_some() && !self.completion_tokens && names(&["max_completion_tokens"]) {
            let message = "the server wants `max_completion_tokens` in place of `max_tokens`";
            return remembered(Self { completion_tokens: true, ..self }, message);
        }
        if self.encrypted_reasoning && names(&["encrypted_content", "encrypted content"]) {
            let message = "the model gives no encrypted reasoning: none goes back with later requests";
            return remembered(Self { encrypted_reasoning: false, ..self }, message);
        }
        let forced = matches!(request.tool_choice, ToolChoice::Required | ToolChoice::Named(_));
        if forced && self.forced_tools && names(&["tool_choice"]) && names(&["thinking"]) {
            // The two exclude each other, and each alone is taken.
            let message = "the model cannot be made to call a tool while it reasons: it is left to decide";
            return Some(Reduced { features: Self { forced_tools: false, ..self }, message, remember: false });
        }
        // A server that rejects one schema may accept the next one. The message may name properties of the schema.
        let one_schema = names(&["invalid schema", "schema for response_format", "schema is too complex"]);
        if request.params.reasoning.is_some()
            && !one_schema
            && names(&["reasoning", "thinking", "effort", "`think`", "\"think\""])
        {
            // A model that rejects one effort may take another one.
            let remember = !names(&["unsupported value", "supported values are"]);
            let message = match self.reasoning(request.params.reasoning) {
                Some(Reasoning::Effort(_)) if self.reasoning_tokens => {
                    "the model takes no effort of reasoning in words: it is told in tokens"
                }
                Some(Reasoning::Tokens(_)) if self.reasoning_words => {
                    "the model takes no tokens of reasoning: its effort is told in words"
                }
                _ => "the model rejects how much it should reason: that is left to the model",
            };
            match self.reasoning(request.params.reasoning) {
                Some(Reasoning::Effort(_)) => {
                    return Some(Reduced { features: Self { reasoning_words: false, ..self }, message, remember });
                }
                Some(Reasoning::Tokens(_)) => {
                    return Some(Reduced { features: Self { reasoning_tokens: false, ..self }, message, remember });
                }
                None => {}
            }
        }
        if request.format != ResponseFormat::Text && names(&STRUCTURED) {
            let (structured, message) = match self.structured {
                StructuredSupport::JsonSchema
                    if self.json_object && matches!(request.format, ResponseFormat::JsonSchema { .. }) =>
                {
                    (
                        StructuredSupport::JsonObject,
                        "the server rejects the JSON schema: it is asked for a JSON object, with the schema in the prompt",
                    )
                }
                StructuredSupport::Prompted => return None,
                _ => (
                    StructuredSupport::Prompted,
                    "the server rejects `response_format`: the schema stands in the prompt only",
                ),
            };
            return Some(Reduced { features: Self { structured, ..self }, message, remember: !one_schema });
        }
        if (temperature.is_some() || top_p.is_some()) && self.sampling && names(&["temperature", "top_p", "topp"]) {
            let message = "the server rejects `temperature` and `top_p`: they are not sent";
            return remembered(Self { sampling: false, ..self }, message);
        }
        if seed.is_some() && self.seed && names(&["seed"]) {
            return remembered(Self { seed: false, ..self }, "the server rejects `seed`: it is not sent");
        }
        if request.parallel_tools.is_some() && self.parallel_switch && names(&["parallel"]) {
            let message = "the server has no switch for parallel tool calls: that is left to the model";
            return remembered(Self { parallel_switch: false, ..self }, message);
        }
        if request.tools.iter().any(|tool| tool.strict) && self.strict_tools && names(&["strict"]) {
            let message = "the server takes no strict tools: their schemas are told and not enforced";
            return remembered(Self { strict_tools: false, ..self }, message);
        }
        if forced && self.forced_tools && names(&["tool_choice", "tool choice", "functioncallingconfig"]) {
            let message = "the model cannot be made to call a tool: it is left to decide";
            return remembered(Self { forced_tools: false, ..self }, message);
        }
        if self.cache_marks && names(&["cache_control"]) {
            let message = "the server rejects `cache_control`: what is stable is not marked";
            return remembered(Self { cache_marks: false, ..self }, message);
        }
        None
    }
}

/// Words of a rejection of the form of an answer, in any wire.
const STRUCTURED: [&str; 11] = [
    "response_format",
    "json_schema",
    "json_object",
    "structured output",
    "output_config",
    "output_format",
    "text.format",
    "response_schema",
    "responsejsonschema",
    "response_json_schema",
    "invalid format",
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Effort, ToolSpec};

    #[test]
    fn one_feature_is_lost_at_a_time() {
        let mut request = ChatRequest::user("x");
        request.format = ResponseFormat::JsonSchema { name: "n".into(), schema: json!({}) };
        let full = Features::ALL;
        let body = "Input should be 'text' or 'json_object'";
        let first = full.without_rejected(500, body, &request, false).unwrap();
        assert_eq!((first.features.structured, first.remember), (StructuredSupport::JsonObject, true));
        let second = first.features.without_rejected(400, "unknown field response_format", &request, false).unwrap();
        assert_eq!(second.features.structured, StructuredSupport::Prompted);
        assert_eq!(second.features.without_rejected(400, "unknown field response_format", &request, false), None);

        let once = full.without_rejected(400, "Invalid schema for response_format 'n'", &request, false).unwrap();
        assert!(!once.remember);
        let plain = Features { json_object: false, ..full };
        let body = "output_config.format: Extra inputs are not permitted";
        let prompted = plain.without_rejected(400, body, &request, false).unwrap();
        assert_eq!(prompted.features.structured, StructuredSupport::Prompted);
    }

    #[test]
    fn only_features_in_use_are_blamed() {
        let plain = ChatRequest::user("x");
        let full = Features::ALL;
        for (status, body) in [
            (400, "temperature"),
            (400, "json_schema"),
            (400, "seed"),
            (429, "stream_options"),
            (400, "thinking"),
            (400, "parallel_tool_calls"),
            (400, "strict"),
            (400, "tool_choice"),
        ] {
            assert_eq!(full.without_rejected(status, body, &plain, false), None, "{body}");
        }
        let mut request = plain.clone();
        request.params = Params { max_tokens: Some(5), seed: Some(1), temperature: Some(0.1), ..Params::default() };
        request.tools.push(ToolSpec {
            name: "t".into(),
            description: String::new(),
            parameters: json!({}),
            strict: true,
        });
        (request.parallel_tools, request.tool_choice) = (Some(false), ToolChoice::Required);
        let body = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
        let without = |body: &str, stream| full.without_rejected(400, body, &request, stream).unwrap().features;
        assert!(without(body, false).completion_tokens);
        assert!(!without("temperature", false).sampling);
        assert!(!without("seed", false).seed);
        assert!(!without("stream_options", true).stream_usage);
        assert!(!without("parallel_tool_calls", false).parallel_switch);
        assert!(!without("tools.0.strict: Extra inputs", false).strict_tools);
        assert!(!without("`tool_choice` of type any is not supported", false).forced_tools);
        assert!(!without("cache_control: Extra inputs", false).cache_marks);
    }

    #[test]
    fn reasoning_is_told_in_the_form_that_is_left() {
        let mut request = ChatRequest::user("x");
        request.params.reasoning = Some(Reasoning::Effort(Effort::High));
        let both = Features { reasoning_tokens: true, ..Features::ALL };
        let first = both.without_rejected(400, "adaptive thinking is not supported", &request, false).unwrap();
        let asked = first.features.reasoning(request.params.reasoning);
        assert_eq!(asked, Some(Reasoning::Tokens(16_384)), "{}", first.message);
        let second = first.features.without_rejected(400, "thinking.budget_tokens", &request, false).unwrap();
        assert_eq!(second.features.reasoning(request.params.reasoning), None);
        assert_eq!(second.features.without_rejected(400, "thinking", &request, false), None);

        let words = Features::ALL.reasoning(Some(Reasoning::Tokens(3000)));
        assert_eq!(words, Some(Reasoning::Effort(Effort::Medium)));
        assert_eq!(both.reasoning(Some(Reasoning::Tokens(3000))), Some(Reasoning::Tokens(3000)));
        assert_eq!(both.reasoning(None), None);
    }
}
