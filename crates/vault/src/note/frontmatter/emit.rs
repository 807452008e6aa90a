//! Values as YAML, in the style Obsidian writes: lists one item a line, texts bare where that is safe.

use serde_json::Value;

use super::read::plain;

/// The lines of a key with its value, without the last line break; inner breaks are `\n`.
pub(super) fn entry(key: &str, value: &Value, indent: usize) -> String {
    format!("{}:{}", text(key, false), after_colon(value, indent))
}

/// What stands after the colon of a key.
pub(super) fn after_colon(value: &Value, indent: usize) -> String {
    match value {
        Value::Array(items) if !items.is_empty() => block(value, indent),
        Value::Object(map) if !map.is_empty() => block(value, indent),
        Value::Null => String::new(),
        other => format!(" {}", flow(other, false)),
    }
}

/// A list or map in block style, beginning with a line break.
fn block(value: &Value, indent: usize) -> String {
    let pad = " ".repeat(indent);
    let mut lines = String::new();
    match value {
        Value::Array(items) => {
            for item in items {
                lines.push_str(&format!("\n{pad}- {}", flow(item, false)));
            }
        }
        Value::Object(map) => {
            let pad = if indent == 0 { "  ".to_owned() } else { pad };
            for (key, item) in map {
                lines.push_str(&format!("\n{pad}{}:{}", text(key, false), after_colon(item, pad.len() + 2)));
            }
        }
        _ => {}
    }
    lines
}

/// A value on one line; in brackets more has to be quoted.
pub(super) fn flow(value: &Value, bracketed: bool) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(plain) => text(plain, bracketed),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(|item| flow(item, true)).collect::<Vec<_>>().join(", "))
        }
        Value::Object(map) => {
            let pairs = map.iter().map(|(key, item)| format!("{}: {}", text(key, true), flow(item, true)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}

fn text(content: &str, bracketed: bool) -> String {
    if is_safe_bare(content, bracketed) { content.to_owned() } else { quoted(content) }
}

/// Whether the text, bare, reads as itself.
fn is_safe_bare(content: &str, bracketed: bool) -> bool {
    let Some(first) = content.chars().next() else { return false };
    !first.is_whitespace()
        && !content.ends_with(char::is_whitespace)
        && !content.ends_with(':')
        && !"-?:,[]{}#&*!|>'\"%@`=<~.".contains(first)
        && !content.contains(": ")
        && !content.contains(" #")
        && !content.chars().any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'))
        && !(bracketed && content.contains([',', '[', ']', '{', '}', ':', '"', '\'']))
        && matches!(plain(content), Value::String(_))
        // Words that older readers take for booleans.
        && !["yes", "no", "on", "off", "y", "n"].contains(&content.to_ascii_lowercase().as_str())
}

fn quoted(content: &str) -> String {
    let mut written = String::with_capacity(content.len() + 2);
    written.push('"');
    for c in content.chars() {
        match c {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') => {
                written.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => written.push(c),
        }
    }
    written.push('"');
    written
}
