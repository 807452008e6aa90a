//! What an answer says that is no result: an error, a page, a text.

use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, HeaderMap};

/// How much of an answer that nobody expected is told.
const EXCERPT: usize = 300;

/// The kind of a body, or nothing.
pub(crate) fn content_type(headers: &HeaderMap) -> &str {
    headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// What an error says: the `detail` of the protocol, or what else there is.
pub(super) fn detail(bytes: &[u8], headers: &HeaderMap, status: StatusCode) -> String {
    let json: Option<serde_json::Value> = serde_json::from_slice(bytes).ok();
    let told = json.as_ref().and_then(|json| json.get("detail").or_else(|| json.get("message")).or(Some(json)));
    match told {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None if bytes.iter().all(u8::is_ascii_whitespace) => {
            status.canonical_reason().unwrap_or("no reason").to_owned()
        }
        None => described(bytes, headers),
    }
}

/// What a body is that should have been JSON or events.
pub(crate) fn described(bytes: &[u8], headers: &HeaderMap) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lower = text.to_ascii_lowercase();
    let title = lower.find("<title>").map(|begin| begin + 7).and_then(|begin| {
        let end = lower[begin..].find("</title>")? + begin;
        text.get(begin..end).map(str::trim)
    });
    match (title, content_type(headers)) {
        (Some(title), _) => format!("a page `{}`", shortened(title)),
        (None, "") => format!("`{}`", excerpt(bytes)),
        (None, kind) => format!("`{}` (`{kind}`)", excerpt(bytes)),
    }
}

/// The beginning of a body as a line of text.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    shortened(&String::from_utf8_lossy(bytes))
}

fn shortened(text: &str) -> String {
    let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = words.char_indices().nth(EXCERPT) {
        words.truncate(end);
        words.push('…');
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    #[test]
    fn an_error_is_told_in_every_form() {
        let told = |body: &str, kind: &'static str| {
            let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(kind))]);
            detail(body.as_bytes(), &headers, StatusCode::BAD_GATEWAY)
        };
        assert_eq!(told(r#"{"detail": "Not Found"}"#, "application/json"), "Not Found");
        assert_eq!(told(r#"{"detail": [{"loc": ["a"]}]}"#, "application/json"), r#"[{"loc":["a"]}]"#);
        assert_eq!(told(r#"{"message": "no"}"#, "application/json"), "no");
        assert_eq!(told(r#"{"code": 3}"#, "application/json"), r#"{"code":3}"#);
        assert_eq!(told(" \n", "text/plain"), "Bad Gateway");
        assert_eq!(told("upstream\n  is away", "text/plain"), "`upstream is away` (`text/plain`)");
        assert_eq!(told("<TITLE>502 É</title>", "text/html"), "a page `502 É`");
        let long = told(&"é".repeat(1000), "text/plain");
        assert_eq!(long.chars().filter(|c| *c == 'é').count(), EXCERPT);
    }
}
