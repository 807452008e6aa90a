//! Lists of two frontmatters as one: the items that are missing come over as they are written.

use std::ops::Range;

use serde_json::Value;

use super::join::{LeftOutReason, comments_of, raw, row_end};
use super::{Entry, Frontmatter, Shape, emit};
use crate::note::lines::Style;

/// The keys whose values Obsidian reads as lists, also where they are one text.
const LISTS: &[&str] = &["tags", "tag", "aliases", "alias", "cssclasses", "cssclass"];

/// A value of a list, and how it is written.
#[derive(Clone, Debug)]
struct Item {
    value: Value,
    /// Its characters without comments.
    written: String,
    /// Its rows, in a list of a row for each item.
    rows: Option<Range<usize>>,
}

/// A key in a text.
type Place<'t> = (&'t str, &'t Frontmatter, &'t Entry);

/// The text of `home` with the items of `other` that it lacks, the value it has then, and the `comments` of `other` that
/// have no place in it.
pub(super) fn joined_list(
    other: Place<'_>,
    home: Place<'_>,
    comments: &[String],
    style: Style,
) -> Result<(String, Value, Vec<String>), LeftOutReason> {
    let is_list = |entry: &Entry| matches!(entry.value, Value::Array(_));
    let (text, front, own) = home;
    let may_be_list = is_list(own) || LISTS.contains(&own.key.as_str());
    // A text of several rows is no item beside others.
    let is_text = |(text, _, entry): Place<'_>| {
        let is_none = matches!(entry.value, Value::Array(_) | Value::Object(_) | Value::Null);
        entry.shape == Shape::Scalar && !is_none && !raw(text, entry).contains('\n')
    };
    if !may_be_list || !(is_list(other.2) || is_text(other)) || !(is_list(own) || is_text(home)) {
        return Err(LeftOutReason::InBoth);
    }
    let (there, here) = (items(other)?, items(home)?);
    let same = |a: &Item, b: &Item| a.value == b.value && (a.value.is_string() || a.written == b.written);
    let missing: Vec<&Item> = there.iter().filter(|item| !here.iter().any(|own| same(own, item))).collect();
    let value = Value::Array(here.iter().chain(missing.iter().copied()).map(|item| item.value.clone()).collect());
    if missing.is_empty() {
        return Ok((text.to_owned(), own.value.clone(), comments.to_vec()));
    }
    if own.shape == Shape::Block {
        let pad = indent_of_items(text, own).ok_or(LeftOutReason::Form)?;
        let mut lines = String::new();
        for item in &missing {
            match (&item.rows, indent_of_items(other.0, other.2)) {
                (Some(rows), Some(from)) => {
                    lines.push_str(&shifted(&other.0[rows.clone()], pad as isize - from as isize));
                }
                _ => lines.push_str(&format!("{}- {}\n", " ".repeat(pad), item.written)),
            }
        }
        let comes = |comment: &str| lines.lines().any(|row| row.trim_end().ends_with(comment));
        let rest = comments.iter().filter(|comment| !comes(comment));
        let rest: String = rest.map(|comment| format!("{}{comment}\n", " ".repeat(pad))).collect();
        let at = row_end(text, own.span.end);
        let edited = spliced_rows(text, at..at, &format!("{lines}{rest}"), style);
        return Ok((edited, value, Vec::new()));
    }
    let mut more = Vec::new();
    for item in &missing {
        more.push(flow_item(item).ok_or(LeftOutReason::Form)?);
    }
    let edited = if is_list(own) {
        let (_, at) = flow_parts(text, front, own);
        let first = match text[..at].chars().next_back() {
            Some('[') if here.is_empty() => "",
            Some(',') => " ",
            _ => ", ",
        };
        spliced_rows(text, at..at, &format!("{first}{}", more.join(", ")), style)
    } else {
        let mut all = Vec::new();
        for item in &here {
            all.push(flow_item(item).ok_or(LeftOutReason::Form)?);
        }
        all.append(&mut more);
        spliced_rows(text, own.value_start..own.span.end, &format!("[{}]", all.join(", ")), style)
    };
    let had = comments_of(text, front, own, own.value_start..row_end(text, own.span.end));
    let rest = comments.iter().filter(|comment| !had.contains(comment)).cloned().collect();
    Ok((edited, value, rest))
}

fn spliced_rows(text: &str, part: Range<usize>, rows: &str, style: Style) -> String {
    super::edit::spliced(text, part, &style.breaks(rows))
}

/// The rows indented by as many spaces more, or fewer.
pub(super) fn shifted(rows: &str, by: isize) -> String {
    if by == 0 {
        return rows.to_owned();
    }
    let shift = |row: &str| match usize::try_from(by) {
        _ if row.trim().is_empty() => row.to_owned(),
        Ok(more) => format!("{}{row}", " ".repeat(more)),
        Err(_) => {
            let spaces = row.len() - row.trim_start_matches(' ').len();
            row[spaces.min(by.unsigned_abs())..].to_owned()
        }
    };
    rows.split_inclusive('\n').map(shift).collect()
}

/// How an item is written in brackets; `None` for one that cannot be.
fn flow_item(item: &Item) -> Option<String> {
    let quoted = item.written.starts_with(['"', '\'']);
    let one_row = !item.written.contains('\n');
    if one_row && (quoted || !item.written.contains([',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>'])) {
        return Some(item.written.clone());
    }
    if one_row && item.written.starts_with(['[', '{']) && !item.value.is_string() {
        return Some(item.written.clone());
    }
    // A text with marks of lists in it needs quotes there.
    item.value.is_string().then(|| emit::flow(&item.value, true))
}

fn items((text, front, entry): Place<'_>) -> Result<Vec<Item>, LeftOutReason> {
    let written = raw(text, entry);
    let Value::Array(values) = &entry.value else { return Ok(items_of_text(entry, written)) };
    let parts: Vec<(String, Option<Range<usize>>)> = match entry.shape {
        Shape::Flow => flow_parts(text, front, entry).0.into_iter().map(|part| (part, None)).collect(),
        Shape::Block => block_parts(text, front, entry),
        _ => Vec::new(),
    };
    if parts.len() != values.len() {
        return Err(LeftOutReason::Form);
    }
    let of = |(value, (written, rows)): (&Value, (String, Option<Range<usize>>))| Item {
        value: value.clone(),
        written,
        rows,
    };
    Ok(values.iter().zip(parts).map(of).collect())
}

/// The items of one text: tags stand between spaces and commas, other names between commas.
fn items_of_text(entry: &Entry, written: String) -> Vec<Item> {
    let of_tags = entry.key.starts_with("tag");
    let splits = |c: char| c == ',' || (of_tags && c.is_whitespace());
    match &entry.value {
        Value::String(text) if LISTS.contains(&entry.key.as_str()) && text.contains(splits) => {
            let parts = text.split(splits).map(str::trim).filter(|part| !part.is_empty());
            parts
                .map(|part| {
                    let value = Value::String(part.to_owned());
                    Item { written: emit::flow(&value, true), value, rows: None }
                })
                .collect()
        }
        value => vec![Item { value: value.clone(), written, rows: None }],
    }
}

/// The rows of each item of a list that has its own.
fn block_parts(text: &str, front: &Frontmatter, entry: &Entry) -> Vec<(String, Option<Range<usize>>)> {
    let Some(indent) = indent_of_items(text, entry) else { return Vec::new() };
    let end = row_end(text, entry.span.end);
    let mut at = row_end(text, entry.value_start.min(key_row(text, entry)));
    let mut rows: Vec<Range<usize>> = Vec::new();
    while at < end {
        let next = row_end(text, at);
        let row = &text[at..next];
        let spaces = row.len() - row.trim_start_matches(' ').len();
        let content = row.trim_start_matches(' ');
        let is_item = spaces == indent && content.starts_with('-') && content[1..].starts_with(char::is_whitespace);
        match rows.last_mut() {
            _ if is_item => rows.push(at..next),
            Some(last) if !content.starts_with('#') || last.end == at && spaces > indent => last.end = next,
            _ => {}
        }
        at = next;
    }
    let written = |rows: &Range<usize>| {
        let inside = rows.start + indent + 1..rows.end;
        let scalars: Vec<_> = front.scalars.iter().filter(|scalar| inside.contains(&scalar.span.start)).collect();
        let content = text[inside.clone()].trim();
        // One value on one row is written without the comment after it.
        match scalars.as_slice() {
            [.., last] if !content.contains('\n') && (scalars.len() == 1 || content.starts_with(['[', '{'])) => {
                let end = last.span.end.min(rows.end);
                let rest = &text[end..rows.end];
                let closed = rest.len() - rest.trim_start_matches([']', '}', ',', ' ', '\t']).len();
                text[inside.start..end + closed].trim().to_owned()
            }
            _ => content.to_owned(),
        }
    };
    rows.iter().map(|rows| (written(rows), Some(rows.clone()))).collect()
}

/// A byte of the row of the key.
fn key_row(text: &str, entry: &Entry) -> usize {
    entry.span.start.min(text.len())
}

/// How far the items of a list are indented that has a row for each.
fn indent_of_items(text: &str, entry: &Entry) -> Option<usize> {
    if entry.shape != Shape::Block || !matches!(entry.value, Value::Array(_)) {
        return None;
    }
    let rows = text[row_end(text, key_row(text, entry))..row_end(text, entry.span.end)].lines();
    let first = rows.into_iter().find(|row| row.trim_start().starts_with('-'))?;
    Some(first.len() - first.trim_start_matches(' ').len())
}

/// What stands between the commas of a list in brackets, without comments, and the byte after the last of it.
fn flow_parts(text: &str, front: &Frontmatter, entry: &Entry) -> (Vec<String>, usize) {
    let (mut parts, mut part, mut depth) = (Vec::new(), String::new(), 0_usize);
    let (mut at, end) = (entry.value_start + 1, entry.span.end.saturating_sub(1));
    let mut filled = at;
    while let Some(c) = text[..end].get(at..).and_then(|rest| rest.chars().next()) {
        let here = front.scalars[front.scalars.partition_point(|scalar| scalar.span.start < at)..].iter();
        let scalar = here.take_while(|scalar| scalar.span.start == at).find(|scalar| scalar.span.end > at);
        let comment = c == '#' && text[..at].ends_with(char::is_whitespace);
        let width = match scalar {
            Some(scalar) => scalar.span.end.min(end) - at,
            None if comment => row_end(text, at).min(end) - at,
            None => c.len_utf8(),
        };
        let written = &text[at..at + width];
        match c {
            _ if scalar.is_some() => part.push_str(written),
            _ if comment => {}
            ',' if depth == 0 => parts.push(std::mem::take(&mut part)),
            _ => {
                depth = match c {
                    '[' | '{' => depth + 1,
                    ']' | '}' => depth.saturating_sub(1),
                    _ => depth,
                };
                part.push_str(written);
            }
        }
        at += width;
        if !comment && !written.trim().is_empty() {
            filled = at;
        }
    }
    parts.push(part);
    let mut parts: Vec<String> = parts.into_iter().map(|part| part.trim().to_owned()).collect();
    if parts.last().is_some_and(String::is_empty) {
        parts.pop();
    }
    (parts, filled)
}
