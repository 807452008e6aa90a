//! Plain text: paragraphs between blank lines.

use super::Passage;
use super::group::{Unit, passages};

/// A first line up to this many bytes can be a title.
const LONGEST_TITLE: usize = 100;

pub(super) fn read(source: &str, size: usize) -> (Option<String>, Vec<Passage>) {
    let mut units: Vec<Unit> = Vec::new();
    let mut at = 0;
    let mut open = false;
    for line in source.split_inclusive('\n') {
        if line.trim().is_empty() {
            open = false;
        } else if let Some(unit) = units.last_mut().filter(|_| open) {
            unit.text.push_str(line);
        } else {
            units.push(Unit { lead: at, text: line.to_owned(), origins: Vec::new(), section: 0, tight: false });
            open = true;
        }
        at += line.len();
    }
    for unit in &mut units {
        unit.text.truncate(unit.text.trim_end().len());
        unit.origins.push((0, unit.lead..unit.lead + unit.text.len()));
    }
    (title(source), passages(source, 0, units, &[], size))
}

/// A short first line that stands alone and is no sentence.
fn title(source: &str) -> Option<String> {
    let mut lines = source.trim_start().lines();
    let first = lines.next()?.trim();
    let next = lines.next().unwrap_or_default().trim();
    let alone = next.chars().all(|c| matches!(c, '=' | '-' | '~' | '*'));
    let title = alone && first.len() <= LONGEST_TITLE && !first.ends_with(['.', ',', ';', ':', '。']);
    (title && first.chars().any(char::is_alphabetic)).then(|| first.to_owned())
}
