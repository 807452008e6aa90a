//! Tags, in the frontmatter and in the text.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

use super::lines::Lines;
use super::ranges::touches;

/// A tag as it stands somewhere in a note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Tag {
    /// Its name without `#`; parts of nested tags are separated by `/`. Obsidian compares tags without case.
    pub name: String,
    /// The line it is on, counted from 1; the frontmatter's first line for one of the frontmatter.
    pub line: usize,
    /// Its bytes in the note's text, `#` included; `None` for one of the frontmatter.
    pub span: Option<Range<usize>>,
}

/// Finds `#tag`s at the start of a line or after a space.
pub(super) fn tags_in(text: &str, from: usize, quiet: &[Range<usize>], lines: &Lines, found: &mut Vec<Tag>) {
    let mut at = from;
    while let Some(next) = text[at..].find('#') {
        let start = at + next;
        let name = name_at(&text[start + 1..]);
        let end = start + 1 + name.len();
        at = end.max(start + 1);
        let free = start == from || text[..start].chars().next_back().is_none_or(char::is_whitespace);
        if free && is_tag(name) && !touches(quiet, &(start..start + 1)) {
            let name = name.trim_end_matches('/');
            found.push(Tag {
                name: name.to_owned(),
                line: lines.line_of(start),
                span: Some(start..start + 1 + name.len()),
            });
        }
    }
}

/// The tags of a frontmatter value: a list, or words between commas or spaces, with or without `#`.
pub(super) fn tags_of(value: &serde_json::Value) -> Vec<String> {
    texts_of(value, |text| text.split([',', ' ', '\t', '\n']).map(str::to_owned).collect())
        .into_iter()
        .map(|tag| tag.trim().trim_start_matches('#').trim_end_matches('/').to_owned())
        .filter(|tag| !tag.is_empty())
        .collect()
}

/// The texts of a value that is a list or one text, which `split` cuts.
pub(super) fn texts_of(value: &serde_json::Value, split: impl Fn(&str) -> Vec<String>) -> Vec<String> {
    match value {
        serde_json::Value::String(text) => split(text),
        serde_json::Value::Array(items) => items
            .iter()
            .filter_map(|item| match item {
                serde_json::Value::String(text) => Some(text.clone()),
                serde_json::Value::Number(number) => Some(number.to_string()),
                _ => None,
            })
            .collect(),
        serde_json::Value::Number(number) => vec![number.to_string()],
        _ => Vec::new(),
    }
}

fn name_at(text: &str) -> &str {
    let end = text.char_indices().find(|(_, c)| !is_tag_char(*c)).map_or(text.len(), |(at, _)| at);
    &text[..end]
}

fn is_tag_char(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/');
    }
    !c.is_whitespace()
        && !c.is_control()
        && !matches!(c, '\u{2000}'..='\u{206F}' | '\u{2E00}'..='\u{2E7F}' | '\u{3000}'..='\u{3003}' | '\u{3008}'..='\u{3011}')
        && !matches!(c, '\u{FF01}'..='\u{FF0F}' | '\u{FF1A}'..='\u{FF20}' | '\u{FF3B}'..='\u{FF40}' | '\u{FF5B}'..='\u{FF65}')
}

/// A tag holds something besides digits and separators.
fn is_tag(name: &str) -> bool {
    name.chars().any(|c| !c.is_numeric() && c != '/') && !name.starts_with('/')
}
