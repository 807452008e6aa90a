//! Reading JSON that may be anything: a part of the wrong type is a part that is not there.

use serde_json::Value;

use super::Reply;
use super::text::{one_line, shortened};
use super::{Fault, text};

/// The body of an answer as JSON, when it is.
pub(crate) fn body(reply: &Reply) -> Result<Value, Fault> {
    let body = data(reply)?;
    serde_json::from_str(&body).map_err(|error| {
        if reply.status >= 400 {
            return Fault::Refused { status: reply.status, reason: shortened(&text::plain(&body), 160) };
        }
        let reason = match error.classify() {
            serde_json::error::Category::Eof => "the JSON is cut short".to_owned(),
            _ => format!("no JSON at line {}, column {}", error.line(), error.column()),
        };
        Fault::Malformed { reason }
    })
}

/// The body of an answer as text that is neither empty nor a web page.
pub(crate) fn data(reply: &Reply) -> Result<std::borrow::Cow<'_, str>, Fault> {
    let body = reply.text();
    let start = body.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    if start.is_empty() {
        return Err(match reply.status {
            400.. => Fault::Refused { status: reply.status, reason: "no reason given".to_owned() },
            _ => Fault::Malformed { reason: "the body is empty".to_owned() },
        });
    }
    let head: String = start.chars().take(200).collect::<String>().to_ascii_lowercase();
    let declared = reply.header("content-type").is_some_and(|kind| kind.to_ascii_lowercase().starts_with("text/html"));
    if head.starts_with("<!doctype html")
        || head.starts_with("<html")
        || head.contains("<html")
        || (declared && start.starts_with('<') && !head.starts_with("<?xml") && !head.starts_with("<feed"))
    {
        return Err(Fault::Html { title: page_title(start) });
    }
    Ok(body)
}

fn page_title(page: &str) -> String {
    let page: String = page.chars().take(4000).collect();
    let lower = page.to_ascii_lowercase();
    let title = lower.find("<title").and_then(|start| {
        let from = start + page[start..].find('>')? + 1;
        let to = from + lower[from..].find("</title")?;
        Some(text::plain(&page[from..to]))
    });
    match title.filter(|title| !title.is_empty()) {
        Some(title) => shortened(&title, 80),
        None => shortened(&text::plain(&page), 80),
    }
}

/// The text at `pointer` in one line, when there is any; numbers count as text.
pub(crate) fn text_at(value: &Value, pointer: &str) -> Option<String> {
    let text = match value.pointer(pointer)? {
        Value::String(text) => one_line(text),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// The number at `pointer`; text of digits counts as a number.
pub(crate) fn number_at(value: &Value, pointer: &str) -> Option<u64> {
    match value.pointer(pointer)? {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// A year that a publication can have.
pub(crate) fn year_at(value: &Value, pointer: &str) -> Option<u16> {
    number_at(value, pointer).and_then(|year| u16::try_from(year).ok()).filter(|year| (1000..=2999).contains(year))
}

/// The list at `pointer`; empty when there is none.
pub(crate) fn list_at<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// An address of a web page; nothing else may become a link.
pub(crate) fn link_at(value: &Value, pointer: &str) -> Option<String> {
    text_at(value, pointer).filter(|link| is_link(link))
}

/// Whether `link` is an address of the web without blanks.
pub(crate) fn is_link(link: &str) -> bool {
    (link.starts_with("https://") || link.starts_with("http://"))
        && !link.contains(char::is_whitespace)
        && link.len() < 2000
}
