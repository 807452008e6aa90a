//! Whether a reading took the whole of what was written.
//!
//! The readers of plans are lenient: of a broken reply they take what can be read, which may be less than was written. So
//! the reply is looked at once more, in a way that does not depend on how it was read: the fields of tasks that it names
//! are counted and compared with those that were read.

use graphloom_llm::parse::json::strip_reasoning;
use graphloom_llm::parse::repair::RepairKind as JsonRepair;
use graphloom_llm::parse::{ParseStep, Parsed};
use serde_json::Value;

use super::{RawTask, Repair, RepairKind};

/// Fields that each task of a plan has once.
const FIELDS: [&str; 3] = ["goal", "task_type", "id"];

/// The repair that says that a plan was read only in part, or had to be made whole first.
pub(super) fn incomplete(found: String) -> Repair {
    let done = "what could be read was taken".into();
    Repair { kind: RepairKind::Incomplete, task: String::new(), place: String::new(), found, done }
}

/// What the reading of JSON in `source` left out, or had to guess.
pub(super) fn lost_of_json(source: &str, parsed: &Parsed) -> Option<String> {
    for field in FIELDS {
        let (named, held) = (keys_in_text(source, field), keys_in_value(&parsed.value, field));
        if named > held {
            return Some(format!("the reply names `{field}` {named} times, of which {held} could be read"));
        }
    }
    let body = strip_reasoning(source);
    let body = body.trim();
    for step in &parsed.steps {
        match step {
            ParseStep::Repaired { repairs } if repairs.iter().any(|repair| is_guess(repair.kind)) => {
                return Some("the reply is broken JSON, whose brackets or quotes do not match".into());
            }
            ParseStep::Extracted { start, end } => {
                let outside = [body.get(..*start), body.get(*end..)];
                if outside.into_iter().flatten().any(looks_like_json) {
                    return Some("the reply is broken JSON, of which an inner part was read".into());
                }
            }
            _ => {}
        }
    }
    None
}

/// Repairs of JSON after which a value may stand elsewhere than its writer meant, or be gone.
fn is_guess(kind: JsonRepair) -> bool {
    use JsonRepair as K;
    !matches!(
        kind,
        K::ExtraComma
            | K::MissingComma
            | K::OtherQuotes
            | K::UnquotedKey
            | K::Literal
            | K::Number
            | K::ControlCharacter
            | K::InnerQuote
            | K::InvalidEscape
            | K::Comment
    )
}

fn looks_like_json(text: &str) -> bool {
    text.contains(['{', '}']) || text.contains("\":") || text.matches('[').count() != text.matches(']').count()
}

/// How often a text has a key of this name, also where one of its quotes is lost.
fn keys_in_text(text: &str, key: &str) -> usize {
    const QUOTES: [char; 6] = ['"', '\'', '“', '”', '‘', '’'];
    let is_key = |at: usize| {
        let (before, after) = (&text[..at], &text[at + key.len()..]);
        let unquoted = after.trim_start_matches(QUOTES);
        let opened = before.ends_with(QUOTES) && !before.trim_end_matches(QUOTES).ends_with('\\');
        let closed = unquoted.len() < after.len() && before.ends_with([' ', '\t', '\n', ',', '{']);
        (opened || closed) && unquoted.trim_start().starts_with(':')
    };
    text.match_indices(key).filter(|(at, _)| is_key(*at)).count()
}

/// How often a value has a key of this name, at any depth.
fn keys_in_value(value: &Value, key: &str) -> usize {
    let mut open = vec![value];
    let mut count = 0;
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                count += usize::from(members.contains_key(key));
                open.extend(members.values());
            }
            _ => {}
        }
    }
    count
}

/// What the reading of tags in `source` left out.
pub(super) fn lost_of_tags(source: &str, tasks: &[RawTask]) -> Option<String> {
    let read = count_tasks(tasks);
    for tag in FIELDS.iter().chain(&["task"]) {
        let named = openings(source, tag).max(closings(source, tag));
        if named > read {
            return Some(format!("the reply names `{tag}` {named} times, and {read} tasks could be read"));
        }
    }
    unpaired(source, "plan")
}

/// Whether a tag is opened but not closed, or closed but not opened: then a part of the text is missing.
pub(super) fn unpaired(source: &str, tag: &str) -> Option<String> {
    let (opened, closed) = (openings(source, tag), closings(source, tag));
    (opened != closed).then(|| {
        let lacks = if opened > closed { format!("</{tag}>") } else { format!("<{tag}>") };
        format!("the reply is cut off: it has no `{lacks}`")
    })
}

fn count_tasks(tasks: &[RawTask]) -> usize {
    tasks.iter().map(|task| 1 + count_tasks(task.sub_tasks.as_deref().unwrap_or_default())).sum()
}

/// How often a tag is opened, those left out that close at once.
fn openings(source: &str, tag: &str) -> usize {
    count(source, &format!("<{tag}"))
}

fn closings(source: &str, tag: &str) -> usize {
    count(source, &format!("</{tag}"))
}

fn count(source: &str, start: &str) -> usize {
    let lower = source.to_ascii_lowercase();
    let ends = |rest: &str| match rest.find(['>', '<']) {
        Some(end) => rest.starts_with(['>', ' ', '\t', '\n']) && !rest[..end].ends_with('/'),
        None => false,
    };
    lower.match_indices(start).filter(|(at, _)| ends(&lower[at + start.len()..])).count()
}
