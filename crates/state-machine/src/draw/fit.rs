//! Text within a number of columns, as wide characters take two.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// One line of at most `columns` columns.
pub(super) fn fit(text: &str, columns: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.width() <= columns {
        return line;
    }
    let mut kept = head(&line, columns.saturating_sub(1)).0.to_owned();
    kept.push('…');
    kept
}

/// At most `most` lines of at most `columns` columns, broken between words where there are any. What does not fit is cut.
pub(super) fn wrap(text: &str, columns: usize, most: usize) -> Vec<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = line.as_str();
    let mut lines = Vec::new();
    while !rest.is_empty() {
        if lines.len() + 1 == most {
            lines.push(fit(rest, columns));
            break;
        }
        let (first, after) = head(rest, columns.max(2));
        let (first, after) = match first.rfind(' ') {
            Some(at) if !after.is_empty() && !after.starts_with(' ') && at > 0 => rest.split_at(at),
            _ => (first, after),
        };
        lines.push(first.trim_end().to_owned());
        rest = after.trim_start();
    }
    lines
}

/// The longest beginning of at most `columns` columns, and the rest.
fn head(text: &str, columns: usize) -> (&str, &str) {
    let mut used = 0;
    let end = text.char_indices().find(|(_, c)| {
        used += c.width().unwrap_or(0);
        used > columns
    });
    text.split_at(end.map_or(text.len(), |(at, _)| at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_between_words_and_keep_to_their_columns() {
        for (text, columns, most, lines) in [
            ("one two three", 20, 3, vec!["one two three"]),
            ("one two three", 8, 3, vec!["one two", "three"]),
            ("one two three four", 8, 2, vec!["one two", "three f…"]),
            ("abcdefghij", 4, 3, vec!["abcd", "efgh", "ij"]),
            ("潮の満ち引き", 6, 2, vec!["潮の満", "ち引き"]),
            ("潮の満ち引きの", 6, 2, vec!["潮の満", "ち引…"]),
            ("", 5, 2, vec![]),
        ] {
            assert_eq!(wrap(text, columns, most), lines, "{text}");
        }
        assert_eq!(fit(" a\n b ", 9), "a b");
    }
}
