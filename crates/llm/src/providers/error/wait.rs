//! How long a server asks to wait, in the body of an error or in its words.

use std::time::Duration;

use serde_json::Value;

/// What stands before a wait.
const BEFORE: [&str; 4] = [" in ", " after ", " for ", "wait "];

/// Words of which one stands a little before that: without them a time is something else, such as that of a limit.
const VERBS: [&str; 6] = ["try", "again", "reset", "available", "wait", "back off"];

/// How far before, in characters.
const NEAR: usize = 40;

/// The wait that the details of an error state, or its message.
pub(super) fn wait_in_body(json: Option<&Value>, message: &str) -> Option<Duration> {
    json.and_then(wait_in_details).or_else(|| wait_in_words(message))
}

/// A delay such as `12s` in the details of an error, or a number of seconds beside its message.
fn wait_in_details(root: &Value) -> Option<Duration> {
    let root = root.as_array().and_then(|items| items.first()).unwrap_or(root);
    let details = root.pointer("/error/details").and_then(Value::as_array);
    let delay = details.into_iter().flatten().find_map(|detail| detail.get("retryDelay")?.as_str());
    if let Some(delay) = delay.and_then(duration_at) {
        return Some(delay);
    }
    let seconds = |(pointer, unit): &(&str, f64)| {
        let value = root.pointer(pointer)?;
        let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
        Duration::try_from_secs_f64(number * unit).ok()
    };
    [
        ("/error/retry_after_ms", 0.001),
        ("/error/retry_after", 1.0),
        ("/error/metadata/retry_after", 1.0),
        ("/retry_after_ms", 0.001),
        ("/retry_after", 1.0),
    ]
    .iter()
    .find_map(seconds)
}

/// A wait in words, such as `try again in 1m30s`.
fn wait_in_words(message: &str) -> Option<Duration> {
    let lower = message.to_lowercase();
    let places = BEFORE.iter().flat_map(|word| lower.match_indices(word));
    let mut waits = places.filter_map(|(at, word)| {
        let end = at + word.len();
        let near: String = lower[..end].chars().rev().take(NEAR).collect();
        let near: String = near.chars().rev().collect();
        VERBS.iter().any(|verb| near.contains(verb)).then(|| duration_at(&lower[end..]))?
    });
    waits.next()
}

/// The time at the beginning of a text: `1.8s`, `250ms`, `1m30s`, `20 seconds`, `1 hour and 5 minutes`.
fn duration_at(text: &str) -> Option<Duration> {
    let mut rest = text.trim_start();
    let mut seconds: Option<f64> = None;
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let Ok(number) = rest[..digits].parse::<f64>() else { break };
        let unit = rest[digits..].trim_start();
        let letters = unit.find(|c: char| !c.is_alphabetic()).unwrap_or(unit.len());
        let one = match unit[..letters].to_lowercase().as_str() {
            "ms" | "msec" | "msecs" | "millisecond" | "milliseconds" => 0.001,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
            "d" | "day" | "days" => 86_400.0,
            _ => break,
        };
        seconds = Some(seconds.unwrap_or_default() + number * one);
        rest = unit[letters..].trim_start_matches([' ', ',']);
        rest = rest.strip_prefix("and ").unwrap_or(rest).trim_start();
    }
    Duration::try_from_secs_f64(seconds?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_in_words_are_read() {
        for (message, millis) in [
            ("Rate limit reached. Please try again in 1.8s. Visit the page", Some(1800)),
            ("Please try again in 1m30s", Some(90_000)),
            ("Please try again in 6m0s.", Some(360_000)),
            ("Try again in 250ms", Some(250)),
            ("The limit resets in 20 seconds", Some(20_000)),
            ("Please retry after 26 seconds.", Some(26_000)),
            ("Please retry in 41.243s.", Some(41_243)),
            ("Wait 2 minutes, then go on", Some(120_000)),
            ("available again in 1 hour and 5 minutes", Some(3_900_000)),
            ("You sent 100 requests in 60 seconds", None),
            ("Please try again in a while", None),
            ("try again later", None),
        ] {
            assert_eq!(wait_in_words(message), millis.map(Duration::from_millis), "{message}");
        }
    }

    #[test]
    fn waits_in_details_come_before_those_in_words() {
        let body =
            serde_json::json!({"error": {"message": "Please retry in 3s", "details": [{"retryDelay": "12.5s"}]}});
        assert_eq!(wait_in_body(Some(&body), "Please retry in 3s"), Some(Duration::from_millis(12_500)));
        let body = serde_json::json!({"error": {"message": "busy", "retry_after": 4}});
        assert_eq!(wait_in_body(Some(&body), "busy"), Some(Duration::from_secs(4)));
    }
}
