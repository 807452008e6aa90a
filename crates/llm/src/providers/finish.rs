//! The words in which providers say why an answer ended, and what each means.
//!
//! The words are those that providers and servers document, on whichever wire: gateways pass on the words of the model
//! behind them. Case and the signs between words do not count.

use crate::FinishReason;

/// What a provider's word means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The answer ended for this reason.
    For(FinishReason),
    /// The provider gave the answer up: what came is worth nothing, and the next call may go well.
    GivenUp,
    /// The word says nothing: the answer goes on, or nobody knows why it ended.
    Untold,
}

/// The model came to its end.
const WHOLE: [&str; 19] = [
    "stop",
    "stopped",
    "stopsequence",
    "stoptoken",
    "stopcriteriamet",
    "end",
    "endturn",
    "endofturn",
    "endoftext",
    "eos",
    "eostoken",
    "eosfound",
    "complete",
    "completed",
    "done",
    "finish",
    "finished",
    "success",
    "normal",
];

/// The model calls tools.
const CALLS: [&str; 5] = ["toolcalls", "toolcall", "tooluse", "functioncall", "functioncalls"];

/// A limit of tokens was reached: the one of the answer, or the context.
const LENGTH: [&str; 22] = [
    "length",
    "lengthlimit",
    "maxlength",
    "maxlen",
    "limit",
    "maxtokens",
    "maxtoken",
    "maxnewtokens",
    "maxoutputtokens",
    "maxcompletiontokens",
    "tokenlimit",
    "tokenlimitreached",
    "outputlimit",
    "errorlimit",
    "modellength",
    "maxcontext",
    "maxcontextlength",
    "contextlength",
    "contextlengthexceeded",
    "contextwindowexceeded",
    "modelcontextwindowexceeded",
    "truncated",
];

/// The provider withholds the answer, or the rest of it.
const WITHHELD: [&str; 25] = [
    "contentfilter",
    "contentfiltered",
    "contentfiltering",
    "contentsensitive",
    "sensitive",
    "safety",
    "recitation",
    "language",
    "blocklist",
    "blocked",
    "prohibitedcontent",
    "spii",
    "imagesafety",
    "imageprohibitedcontent",
    "imagerecitation",
    "modelarmor",
    "guardrail",
    "guardrails",
    "guardrailintervened",
    "refusal",
    "refused",
    "moderation",
    "policyviolation",
    "contentpolicyviolation",
    "errortoxic",
];

/// Something failed at the provider.
const GIVEN_UP: [&str; 23] = [
    "abort",
    "aborted",
    "cancel",
    "canceled",
    "cancelled",
    "usercancel",
    "fail",
    "failed",
    "failure",
    "timeout",
    "timedout",
    "interrupted",
    "overloaded",
    "disconnected",
    "insufficientsystemresource",
    "malformedfunctioncall",
    "malformedresponse",
    "malformedtooluse",
    "malformedmodeloutput",
    "unexpectedtoolcall",
    "toomanytoolcalls",
    "missingthoughtsignature",
    "other",
];

/// What a server says that has loaded its model, or put it away, and generated nothing.
const NOTHING_GENERATED: [&str; 2] = ["load", "unload"];

/// Words that stand where no reason is told.
const UNTOLD: [&str; 6] = ["", "null", "none", "unspecified", "notfinished", "inprogress"];

/// What a word means. A model that calls tools and says that it came to its end wants their results.
pub(super) fn ended(word: &str, asks_for_tools: bool) -> Ended {
    let letters: String = word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(80).collect();
    // `FinishReason.STOP`, `FINISH_REASON_STOP` and `REASON_STOP` are written, too.
    let short = letters.strip_prefix("finishreason").or_else(|| letters.strip_prefix("reason")).unwrap_or(&letters);
    if UNTOLD.contains(&short) {
        Ended::Untold
    } else if WHOLE.contains(&short) {
        Ended::For(if asks_for_tools { FinishReason::ToolCalls } else { FinishReason::Stop })
    } else if CALLS.contains(&short) {
        Ended::For(FinishReason::ToolCalls)
    } else if LENGTH.contains(&short) {
        Ended::For(FinishReason::Length)
    } else if WITHHELD.contains(&short) {
        Ended::For(FinishReason::ContentFilter)
    } else if GIVEN_UP.contains(&short) || NOTHING_GENERATED.contains(&short) || short.ends_with("error") {
        Ended::GivenUp
    } else {
        let told = word.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(80).collect();
        Ended::For(FinishReason::Other(told))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_providers_are_understood_in_any_case() {
        use FinishReason::{ContentFilter, Length, Other, Stop, ToolCalls};
        for (words, expected) in [
            (
                "stop STOP end end_turn eos_token stop_sequence COMPLETE FINISH_REASON_STOP REASON_STOP",
                Ended::For(Stop),
            ),
            ("tool_calls tool_use TOOL_CALL function_call", Ended::For(ToolCalls)),
            (
                "length MAX_TOKENS max_output_tokens model_length model_context_window_exceeded Token_Limit REASON_MAX_LEN",
                Ended::For(Length),
            ),
            (
                "content_filter sensitive safety SAFETY RECITATION refusal guardrail_intervened PROHIBITED_CONTENT SPII",
                Ended::For(ContentFilter),
            ),
            (
                "error network_error Engine-Error abort insufficient_system_resource OTHER MALFORMED_FUNCTION_CALL load",
                Ended::GivenUp,
            ),
            ("null None FINISH_REASON_UNSPECIFIED in_progress", Ended::Untold),
            ("repetition_truncation", Ended::For(Other("repetition_truncation".into()))),
            ("pause_turn", Ended::For(Other("pause_turn".into()))),
        ] {
            for word in words.split(' ') {
                assert_eq!(ended(word, false), expected, "{word}");
            }
        }
        assert_eq!(ended(" ", false), Ended::Untold);
        assert_eq!(ended("end_turn", true), Ended::For(ToolCalls));
        assert_eq!(ended("MAX_TOKENS", true), Ended::For(Length));
    }
}
