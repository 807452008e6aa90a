//! Setting and removing one key: the lines of that key change, no other byte does.
//!
//! Whatever is made is read again before it is handed out: every other key must still have its value, and the edited
//! one its new. So an anchor that another key needs, or a style this module does not know, leads to a refusal.

use serde_json::Value;

use super::super::lines::Style;
use super::{Entry, Frontmatter, Shape, emit};

/// Why a key was not edited.
#[derive(Debug)]
pub(crate) enum EditProblem {
    /// The YAML is broken at a line of the note.
    Broken { line: usize, message: String },
    /// The edit would change more than its key.
    Refused(String),
}

/// The note's text with the key set.
pub(crate) fn set_key(text: &str, key: &str, value: &Value) -> Result<String, EditProblem> {
    let front = readable(text)?;
    if key.trim().is_empty() || key.len() > 200 || key.chars().any(char::is_control) {
        return Err(EditProblem::Refused(format!("`{}` cannot be a key of the frontmatter", key.escape_debug())));
    }
    if front.get(key) == Some(value) {
        return Ok(text.to_owned());
    }
    let style = Style::of(text);
    let edited = match front.entries.iter().find(|entry| entry.key == key) {
        Some(entry) => {
            let (range, written) = replacement(text, entry, value);
            spliced(text, range, &style.breaks(&written))
        }
        None => {
            let line = style.breaks(&format!("{}\n", emit::entry(key, value, 2)));
            if front.is_present() {
                spliced(text, front.source.end..front.source.end, &line)
            } else {
                let block = format!("---{0}{line}---{0}", style.newline);
                spliced(text, front.span.clone(), &block)
            }
        }
    };
    checked(&front, edited, key, Some(value))
}

/// The note's text without the key; `None` when it has no such key.
pub(crate) fn remove_key(text: &str, key: &str) -> Result<Option<String>, EditProblem> {
    let front = readable(text)?;
    let Some(entry) = front.entries.iter().find(|entry| entry.key == key) else { return Ok(None) };
    let start = text[..entry.span.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[entry.span.end..].find('\n').map_or(text.len(), |at| entry.span.end + at + 1);
    let only = front.entries.len() == 1
        && text[front.source.start..start].trim().is_empty()
        && text[end..front.source.end].trim().is_empty();
    let edited = if only { spliced(text, front.span.clone(), "") } else { spliced(text, start..end, "") };
    checked(&front, edited, key, None).map(Some)
}

fn readable(text: &str) -> Result<Frontmatter, EditProblem> {
    let front = Frontmatter::read(text);
    match front.problem() {
        Some(problem) => Err(EditProblem::Broken { line: problem.line, message: problem.message.clone() }),
        None => Ok(front),
    }
}

/// The bytes to replace and what with. A short value keeps the comment after it.
fn replacement(text: &str, entry: &Entry, value: &Value) -> (std::ops::Range<usize>, String) {
    let nested = matches!(value, Value::Array(items) if !items.is_empty())
        || matches!(value, Value::Object(map) if !map.is_empty());
    let one_line = !text[entry.span.clone()].contains('\n');
    let empty = entry.value_start >= entry.span.end;
    let value_range = entry.value_start..entry.span.end.max(entry.value_start);
    if one_line && (!nested || (entry.shape == Shape::Flow && !empty)) {
        let written = match value {
            Value::Null => String::new(),
            other => emit::flow(other, false),
        };
        let gap = if empty && !written.is_empty() { " " } else { "" };
        return (value_range, format!("{gap}{written}"));
    }
    let indent = match entry.shape {
        Shape::Block => indent_of(&text[entry.span.clone()]),
        _ => 2,
    };
    // The key keeps its own spelling, quotes included.
    (key_end(text, entry)..entry.span.end, emit::after_colon(value, indent))
}

/// How far the items of a block value are indented: its first line that is no comment tells.
fn indent_of(written: &str) -> usize {
    let rows = written.lines().skip(1).filter(|row| !row.trim().is_empty() && !row.trim_start().starts_with('#'));
    rows.map(|row| row.len() - row.trim_start_matches(' ').len()).next().unwrap_or(2)
}

/// The byte after the colon of the key.
pub(super) fn key_end(text: &str, entry: &Entry) -> usize {
    let written = &text[entry.span.start..];
    let from = match written.chars().next() {
        Some(quote @ ('"' | '\'')) => written[1..].find(quote).map_or(0, |at| at + 2),
        _ => entry.key.len().min(written.len()),
    };
    let from = (from..=written.len()).find(|at| written.is_char_boundary(*at)).unwrap_or(written.len());
    written[from..].find(':').map_or(entry.span.end, |at| entry.span.start + from + at + 1)
}

/// The text with a part replaced.
pub(super) fn spliced(text: &str, range: std::ops::Range<usize>, with: &str) -> String {
    let mut whole = String::with_capacity(text.len() + with.len());
    whole.push_str(&text[..range.start]);
    whole.push_str(with);
    whole.push_str(&text[range.end..]);
    whole
}

/// The edited text, if it differs in one key only, which has this value then.
pub(super) fn checked(
    before: &Frontmatter,
    edited: String,
    key: &str,
    value: Option<&Value>,
) -> Result<String, EditProblem> {
    let after = Frontmatter::read(&edited);
    if let Some(problem) = after.problem() {
        return Err(EditProblem::Refused(format!(
            "the frontmatter would no longer be YAML (line {}: {}); edit its text instead",
            problem.line, problem.message
        )));
    }
    let others = |front: &Frontmatter| -> Vec<(String, Value)> {
        front.iter().filter(|(other, _)| *other != key).map(|(k, v)| (k.to_owned(), v.clone())).collect()
    };
    if others(before) != others(&after) || after.get(key) != value {
        return Err(EditProblem::Refused(format!(
            "`{key}` cannot be changed without changing another key or losing its form; edit the frontmatter's text instead"
        )));
    }
    Ok(edited)
}
