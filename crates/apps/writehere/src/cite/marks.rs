//! Marks in a text: what cites evidence while the text is made.

/// The mark that cites evidence.
pub fn mark(id: &str) -> String {
    format!("[reference:{id}]")
}

/// The ids a text cites, in the order of first appearance.
pub fn cited_ids(text: &str) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for part in split(text) {
        if let Part::Mark(marked) = part {
            for id in marked {
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
        }
    }
    ids
}

/// A text without its marks, as for counting its words.
///
/// ```
/// use graphloom_writehere::cite::without_marks;
///
/// assert_eq!(without_marks("The log comes first [reference:wal#1]."), "The log comes first .");
/// ```
pub fn without_marks(text: &str) -> String {
    let parts = split(text).into_iter().map(|part| match part {
        Part::Text(text) | Part::Number(text) => text,
        Part::Mark(_) => "",
    });
    parts.collect()
}

pub(super) enum Part<'t> {
    Text(&'t str),
    /// `[12]`, not followed by a link target.
    Number(&'t str),
    /// `[reference:a, b]`.
    Mark(Vec<String>),
}

pub(super) fn split(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, _) in text.match_indices('[') {
        if at < from {
            continue;
        }
        let Some(length) = text[at + 1..].find([']', '[', '\n']) else { continue };
        let end = at + 1 + length;
        if !text[end..].starts_with(']') {
            continue;
        }
        let inner = &text[at + 1..end];
        let part = if is_number(inner) && !text[end + 1..].starts_with('(') {
            Part::Number(inner)
        } else if let Some(ids) = marked_ids(inner) {
            Part::Mark(ids)
        } else {
            continue;
        };
        parts.push(Part::Text(&text[from..at]));
        parts.push(part);
        from = end + 1;
    }
    parts.push(Part::Text(&text[from..]));
    parts
}

pub(super) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() <= 6 && text.bytes().all(|b| b.is_ascii_digit())
}

/// The ids of `reference:a` or `ref: a, b`.
fn marked_ids(inner: &str) -> Option<Vec<String>> {
    let (word, ids) = inner.split_once([':', '：'])?;
    if !["reference", "references", "ref", "refs"].contains(&word.trim().to_ascii_lowercase().as_str()) {
        return None;
    }
    let ids =
        ids.split([',', ';', '，']).map(|id| id.trim().trim_matches(['`', '"', '\''])).filter(|id| !id.is_empty());
    Some(ids.map(str::to_string).collect())
}
