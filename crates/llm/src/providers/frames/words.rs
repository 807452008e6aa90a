//! Data of events that is plain words in the place of JSON.

/// What servers write to keep a connection open.
const COMMENTS: [&str; 8] =
    ["keepalive", "ping", "pong", "heartbeat", "processing", "openrouterprocessing", "connected", "waiting"];

/// What a server's words begin with that says that it failed.
const ERRORS: [&str; 6] = ["error", "fatal", "exception", "internal server error", "upstream", "traceback"];

/// Whether data is a comment that was wrapped as data, or says only that the server lives.
pub(super) fn is_comment(data: &str) -> bool {
    let letters: String = data.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    data.starts_with(':') || COMMENTS.contains(&letters.as_str())
}

/// Whether data says that the server failed.
pub(super) fn is_error(data: &str) -> bool {
    let lower = data.to_lowercase();
    let begins = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    ERRORS.iter().any(|word| begins.starts_with(word))
}
