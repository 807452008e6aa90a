//! What stands behind a title that names a list of references, and lists without a title.

use std::collections::BTreeSet;

use super::ReferenceList;
use super::entry::{Line, read};
use super::names::Certainty;
use super::title::{TextLine, Title, heading};
use crate::bracketed_numbers;

/// The list behind a title, and the line behind it; none when what is there is no list.
pub(super) fn named_list(lines: &[TextLine<'_>], at: usize, title: &Title) -> Option<(ReferenceList, usize)> {
    let first = at + title.lines;
    let (mut entries, mut sure, mut words, mut last) = (0_usize, 0_usize, 0_usize, first);
    let mut numbers = BTreeSet::new();
    if title.behind {
        let inner = lines[at].text.split_once([':', '：']).map_or("", |(_, rest)| rest);
        numbers.extend(bracketed_numbers(inner).flat_map(|found| found.numbers));
        (entries, sure) = (numbers.len().max(1), 1);
    }
    let mut open = false;
    let mut next = first;
    while let Some(line) = lines.get(next) {
        let text = line.text.trim();
        if line.plain
            && let Some((level, _)) = heading(text)
            && title.level.is_none_or(|own| level <= own)
        {
            break;
        }
        next += 1;
        if text.is_empty() {
            open = false;
            continue;
        }
        let kind = match heading(text) {
            Some(_) => Line::Rule,
            None if line.plain || open => read(text),
            None => Line::Words,
        };
        match kind {
            Line::Entry(number) => {
                numbers.extend(number);
                (entries, sure, open) = (entries + 1, sure + 1, true);
            }
            Line::Item(number) => {
                numbers.extend(number);
                (entries, open) = (entries + 1, true);
            }
            Line::Rule => {}
            // The second line of an entry.
            Line::Words if open => {}
            // What says that the list follows.
            Line::Words if entries == 0 && text.ends_with([':', '：']) => {}
            // The list was broken off in this line.
            Line::Words
                if entries > 0
                    && lines[next..].iter().all(|line| line.text.trim().is_empty())
                    && !text.ends_with(['.', '。', '!', '?']) => {}
            Line::Words if title.level.is_none() && entries > 0 => {
                // A line without marks of a heading has no end but this.
                next -= 1;
                break;
            }
            Line::Words => words += 1,
        }
        last = next;
    }
    let is_end = lines[next..].iter().all(|line| line.text.trim().is_empty());
    let is_list = match title.certainty {
        Certainty::Sure => {
            (entries > 0 && words <= entries) || (entries == 0 && words == 0 && title.level.is_some() && is_end)
        }
        Certainty::Unsure => {
            (sure > 0 && words == 0 && sure * 2 >= entries)
                || (entries == 0 && words == 0 && title.level.is_some() && is_end)
        }
    };
    let end = if title.level.is_some() || is_end { next } else { last };
    let range = lines[at].start..lines.get(end.max(first) - 1).map_or(lines[at].end, |line| line.end);
    is_list.then(|| (ReferenceList { range, entries, numbers }, end.max(first)))
}

/// Entries with numbers in brackets that end a text without any name.
pub(super) fn unnamed_list(lines: &[TextLine<'_>], from: usize) -> Option<ReferenceList> {
    let mut numbers = BTreeSet::new();
    let (mut first, mut entries, mut reliable) = (lines.len(), 0, false);
    for (at, line) in lines.iter().enumerate().rev() {
        let text = line.text.trim();
        if text.is_empty() {
            continue;
        }
        let is_numbered = text.starts_with(['[', '【', '［', '\\', '*']);
        match read(text) {
            Line::Entry(Some(number))
                if is_numbered && line.plain && line.start >= from && !numbers.contains(&number) =>
            {
                numbers.insert(number);
                (first, entries) = (at, entries + 1);
                let without = text.trim_start_matches(|c: char| !c.is_alphabetic());
                let listed = read(&format!("- {without}"));
                reliable |= matches!(listed, Line::Entry(_));
            }
            _ => break,
        }
    }
    let apart = first > 0 && lines.get(first).is_some() && {
        let before = lines[first - 1].text.trim();
        before.is_empty() || matches!(read(before), Line::Rule)
    };
    let ascends = numbers.first()
        == lines
            .get(first)
            .and_then(|line| match read(line.text.trim()) {
                Line::Entry(number) => number,
                _ => None,
            })
            .as_ref();
    (apart && ascends && (entries >= 2 || reliable)).then(|| ReferenceList {
        range: lines[first].start..lines.last().map_or(0, |line| line.end),
        entries,
        numbers,
    })
}
