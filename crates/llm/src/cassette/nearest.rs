//! The differences between a request and the nearest recorded one.

use serde_json::Value;

use super::entry::Entry;

/// The most characters that are shown of each of two differing texts.
const SHOWN: usize = 60;

/// The most differences that are shown.
const MAX_DIFFERENCES: usize = 5;

/// Explains why no entry answers `request`.
pub(super) fn explain<'a>(
    request: &Value,
    key: &str,
    n: u64,
    by: &str,
    entries: impl Iterator<Item = &'a Entry>,
) -> String {
    let mut same_key = 0_u64;
    let mut best: Option<(usize, &Entry)> = None;
    let mut of_this = 0_usize;
    for entry in entries.filter(|entry| entry.by == by) {
        of_this += 1;
        if entry.key == key {
            same_key += 1;
            continue;
        }
        let likeness = likeness(request, &entry.request);
        if best.is_none_or(|(most, _)| likeness > most) {
            best = Some((likeness, entry));
        }
    }
    if same_key > 0 {
        return format!("this request was recorded {same_key} times, and this is time {}", n + 1);
    }
    let Some((_, nearest)) = best else {
        return if of_this == 0 {
            format!("nothing of `{by}` was recorded")
        } else {
            "no request is like it".to_owned()
        };
    };
    let mut differences = Vec::new();
    compare(&nearest.request, request, &mut String::new(), &mut differences);
    let shown: Vec<String> = differences.iter().take(MAX_DIFFERENCES).cloned().collect();
    let more = differences.len().saturating_sub(shown.len());
    let rest = if more > 0 { format!("; and {more} more differences") } else { String::new() };
    format!("the nearest recorded request differs {}{rest}", shown.join("; "))
}

/// The number of bytes at the start and at the end that two requests have in common.
fn likeness(one: &Value, other: &Value) -> usize {
    let (one, other) = (super::canonical(one), super::canonical(other));
    let start = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let room = one.len().min(other.len()) - start;
    let end = one.bytes().rev().zip(other.bytes().rev()).take(room).take_while(|(a, b)| a == b).count();
    start + end
}

fn compare(recorded: &Value, asked: &Value, path: &mut String, differences: &mut Vec<String>) {
    if recorded == asked || differences.len() > 100 {
        return;
    }
    let length = path.len();
    match (recorded, asked) {
        (Value::Object(one), Value::Object(other)) => {
            let mut names: Vec<&String> = one.keys().chain(other.keys()).collect();
            names.sort_unstable();
            names.dedup();
            for name in names {
                path.push('/');
                path.push_str(name);
                compare(
                    one.get(name).unwrap_or(&Value::Null),
                    other.get(name).unwrap_or(&Value::Null),
                    path,
                    differences,
                );
                path.truncate(length);
            }
        }
        (Value::Array(one), Value::Array(other)) => {
            if one.len() != other.len() {
                differences.push(format!("at `{path}` in length: recorded {}, asked {}", one.len(), other.len()));
            }
            for (index, (one, other)) in one.iter().zip(other).enumerate() {
                path.push_str(&format!("/{index}"));
                compare(one, other, path, differences);
                path.truncate(length);
            }
        }
        (Value::String(one), Value::String(other)) => {
            let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
            let from = same.saturating_sub(20);
            let part = |text: &str| text.chars().skip(from).take(SHOWN).collect::<String>();
            differences.push(format!(
                "at `{path}` from character {same}: recorded `…{}…`, asked `…{}…`",
                part(one),
                part(other)
            ));
        }
        _ => {
            let part = |value: &Value| value.to_string().chars().take(SHOWN).collect::<String>();
            differences.push(format!("at `{path}`: recorded `{}`, asked `{}`", part(recorded), part(asked)));
        }
    }
}
