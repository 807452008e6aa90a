//! Requests that no wait makes small enough for a limit of the rate.

/// Whether a message says that one request asks for more than its limit lets through in a whole period.
pub(super) fn is_too_large(message: &str) -> bool {
    let lower = message.to_lowercase().replace([',', '_'], "");
    let (limit, requested) = (number_after(&lower, "limit"), number_after(&lower, "requested"));
    match (limit, requested) {
        (Some(limit), Some(requested)) => requested > limit,
        _ => lower.contains("request too large") || lower.contains("request is too large"),
    }
}

/// The first number that stands right behind a word.
fn number_after(text: &str, word: &str) -> Option<u64> {
    text.match_indices(word).find_map(|(at, word)| {
        let rest = text[at + word.len()..].trim_start_matches([':', '=', ' ']);
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..digits].parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_above_the_limit_is_told_from_what_comes_too_soon() {
        for (message, expected) in [
            (
                "Request too large for m on tokens per min (TPM): Limit 30000, Requested 49372. The input must be reduced",
                true,
            ),
            (
                "Rate limit reached for m (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 1.8s",
                false,
            ),
            ("Rate limit reached (TPM): Limit: 30,000, Requested: 49,372", true),
            ("Request too large", true),
            ("Rate limit reached", false),
        ] {
            assert_eq!(is_too_large(message), expected, "{message}");
        }
    }
}
