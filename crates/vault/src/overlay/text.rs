//! Edits of the text of a note. Inserted text takes the line breaks of the note. The byte order mark and the line break
//! at the end, or their absence, stay.

use super::edited::{Edited, Hunk};
use crate::note::heading::heading_key;
use crate::note::lines::{Lines, Style};
use crate::{Heading, Note, NotePath, VaultError};

/// The text with `more` at its end, on a new line.
pub(super) fn appended(text: &str, more: &str) -> Edited {
    let style = Style::of(text);
    let mut whole = text.to_owned();
    if !whole.trim_start_matches(crate::note::lines::BOM).is_empty() && !whole.ends_with('\n') {
        whole.push_str(style.newline);
    }
    whole.push_str(&style.breaks(more));
    style.end(&mut whole);
    let hunk = Hunk { old: text.len()..text.len(), new: text.len()..whole.len() };
    Edited { text: whole, hunks: vec![hunk] }
}

/// The text with `more` between the frontmatter and the body.
pub(super) fn prepended(note: &Note, more: &str) -> Edited {
    let text = note.text();
    let style = Style::of(text);
    let at = text.len() - note.body().len();
    let mut more = style.breaks(more);
    if !more.ends_with('\n') && !note.body().is_empty() {
        more.push_str(style.newline);
    }
    let mut whole = format!("{}{more}{}", &text[..at], &text[at..]);
    style.end(&mut whole);
    let hunk = Hunk { old: at..at, new: at..(at + more.len()).min(whole.len()) };
    Edited { text: whole, hunks: vec![hunk] }
}

/// The text with every occurrence of `old` replaced, if there are `expected` occurrences.
pub(super) fn replaced(
    path: &NotePath,
    text: &str,
    old: &str,
    new: &str,
    expected: usize,
) -> Result<Edited, VaultError> {
    if old.is_empty() {
        return Err(VaultError::illegal_edit(path, "the text to replace is empty; quote some of the note"));
    }
    if expected == 0 {
        return Err(VaultError::illegal_edit(path, "the expected count is 0; it is how often the text is replaced"));
    }
    let style = Style::of(text);
    let exact = text.matches(old).count();
    // Models quote with `\n`, whatever line breaks the file has.
    let old = if exact == 0 { style.breaks(old) } else { old.to_owned() };
    let places: Vec<usize> = text.match_indices(&old).map(|(at, _)| at).collect();
    if places.len() != expected {
        const SHOWN: usize = 20;
        let lines = Lines::of(text);
        let at = places.iter().take(SHOWN).map(|place| lines.line_of(*place)).collect();
        return Err(VaultError::Occurrences { path: path.clone(), expected, found: places.len(), lines: at });
    }
    let new = style.breaks(new);
    // The common beginning and end of `old` and `new` are not part of the hunk.
    let hunk = Edited::between(&old, new.clone()).hunks.remove(0);
    let parts = places.iter().map(|at| (at + hunk.old.start..at + hunk.old.end, &new[hunk.new.clone()]));
    Ok(Edited::replacing(text, parts))
}

/// The text with the section below a heading replaced, up to the next heading of the same or a higher level.
pub(super) fn section_replaced(note: &Note, heading: &str, content: &str) -> Result<Edited, VaultError> {
    let text = note.text();
    let style = Style::of(text);
    let sections: Vec<&Heading> = note.headings().iter().filter(|heading| !heading.nested).collect();
    let at = find(note.path(), &sections, heading)?;
    let start = sections[at].span.end;
    let end = sections[at + 1..]
        .iter()
        .find(|next| next.level <= sections[at].level)
        .map_or(text.len(), |next| text[..next.span.start].rfind('\n').map_or(next.span.start, |line| line + 1));
    let old = &text[start..end];
    let content = without_heading(content, &sections[at].text);
    let content = style.breaks(content.trim_matches(['\n', '\r']));

    let (lead, tail) = if old.trim().is_empty() {
        let tail = if end < text.len() { style.newline } else { "" };
        (style.newline, tail)
    } else {
        let lead = &old[..old.len() - old.trim_start_matches(['\n', '\r']).len()];
        let end_of_text = old.trim_end_matches(['\n', '\r', ' ', '\t']).len();
        let tail = &old[end_of_text..];
        // The new content brings the line break at its end, so the tail loses one.
        (lead, tail.strip_prefix("\r\n").or_else(|| tail.strip_prefix('\n')).unwrap_or(tail))
    };
    let mut whole = text[..start].to_owned();
    if !whole.ends_with('\n') {
        whole.push_str(style.newline);
    }
    if content.is_empty() {
        whole.push_str(tail);
    } else {
        whole.push_str(lead);
        whole.push_str(&content);
        whole.push_str(style.newline);
        whole.push_str(tail);
    }
    let new_end = whole.len();
    whole.push_str(&text[end..]);
    style.end(&mut whole);
    let hunk = Hunk { old: start..end, new: start.min(whole.len())..new_end.min(whole.len()) };
    Ok(Edited { text: whole, hunks: vec![hunk] })
}

/// The index of the heading with this text: by exact text, or else by [`heading_key`]. A leading `##` restricts the
/// level.
fn find(path: &NotePath, sections: &[&Heading], wanted: &str) -> Result<usize, VaultError> {
    let bare = wanted.trim().trim_start_matches('#');
    let level = wanted.trim().len() - bare.len();
    let bare = bare.trim();
    let matching = |same: &dyn Fn(&str) -> bool| -> Vec<usize> {
        let fits = |heading: &Heading| (level == 0 || usize::from(heading.level) == level) && same(&heading.text);
        sections.iter().enumerate().filter(|(_, heading)| fits(heading)).map(|(at, _)| at).collect()
    };
    let key = heading_key(bare);
    let mut found = matching(&|text| text == bare);
    if found.is_empty() && !key.is_empty() {
        found = matching(&|text| heading_key(text) == key);
    }
    match found.as_slice() {
        [one] => Ok(*one),
        [] => Err(VaultError::NoSuchSection {
            path: path.clone(),
            heading: wanted.to_owned(),
            known: sections.iter().map(|heading| heading.text.clone()).collect(),
        }),
        several => Err(VaultError::AmbiguousSection {
            path: path.clone(),
            heading: wanted.to_owned(),
            lines: several.iter().map(|at| sections[*at].line).collect(),
        }),
    }
}

/// The content without a first line that repeats the heading.
fn without_heading<'a>(content: &'a str, heading: &str) -> &'a str {
    let trimmed = content.trim_start_matches(['\n', '\r']);
    let (first, rest) = trimmed.split_once('\n').unwrap_or((trimmed, ""));
    let bare = first.trim().trim_start_matches('#');
    if bare.len() < first.trim().len() && bare.trim() == heading { rest } else { content }
}
