//! Lines of a list of references.

/// What a line of a list of references is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// An entry: it has a number in brackets, an address, or a year as entries have it.
    Entry(Option<u64>),
    /// An item of a list that may be an entry, and its number.
    Item(Option<u64>),
    /// A line between things.
    Rule,
    /// Words.
    Words,
}

/// Reads a line without the blanks around it.
pub(super) fn read(line: &str) -> Line {
    // An item may have a star for its sign.
    let bare = if line.starts_with("* ") { line } else { line.trim_matches(['*', '_', '\\']).trim() };
    if bare.is_empty() || (line.len() >= 3 && line.chars().all(|c| matches!(c, '-' | '*' | '_' | ' '))) {
        return Line::Rule;
    }
    if let Some((number, rest)) = bracketed(bare) {
        return if rest.trim().is_empty() && number.is_none() { Line::Words } else { Line::Entry(number) };
    }
    if cites_first(bare) {
        return Line::Entry(None);
    }
    let (item, rest) = item(bare);
    if let Some((number, _)) = bracketed(rest).filter(|_| item.is_some()) {
        return Line::Entry(number);
    }
    match item {
        Some(_) if cites_first(rest) => Line::Entry(None),
        // What ends with a citation is a statement.
        Some(_) if cites_last(rest) => Line::Words,
        Some(number) if has_address(rest) || is_by_author(rest) => Line::Entry(number),
        Some(number) => Line::Item(number),
        None if begins_with_address(bare) || (is_by_author(bare) && !cites_last(bare)) => Line::Entry(None),
        None => Line::Words,
    }
}

/// `[1]`, `[^1]:`, `【1】`, `［1］`, `[[1]](…)` or `[Smith2020]:` at the beginning of a line, and what is behind.
fn bracketed(line: &str) -> Option<(Option<u64>, &str)> {
    let inner = line.trim_start_matches('\\').strip_prefix(['[', '【', '［'])?;
    let inner = inner.trim_start_matches(['[', '^']);
    let length = inner.find([']', '】', '］', '\\'])?;
    let behind = inner[length..].trim_start_matches(['\\', ']', '】', '］']);
    let key = &inner[..length];
    let digits: String = key
        .chars()
        .filter_map(|c| c.to_digit(10).or_else(|| full_width(c)))
        .map(|digit| char::from_digit(digit, 10).unwrap_or('0'))
        .collect();
    if !digits.is_empty() && digits.len() <= 3 && key.chars().count() == digits.len() {
        return Some((digits.parse().ok(), behind));
    }
    (behind.starts_with(": ") && !key.contains(char::is_whitespace)).then_some((None, behind))
}

/// The value of a full-width digit.
fn full_width(c: char) -> Option<u32> {
    ('０'..='９').contains(&c).then(|| u32::from(c) - u32::from('０'))
}

/// The number of an item of a list, none for one with a sign; and the words of the item.
fn item(line: &str) -> (Option<Option<u64>>, &str) {
    if let Some(rest) =
        line.strip_prefix(['-', '*', '+', '•', '·', '–', '—']).filter(|rest| rest.starts_with([' ', '\t']))
    {
        return (Some(None), rest.trim());
    }
    let inner = line.strip_prefix('(').unwrap_or(line);
    let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
    let number = inner[..digits].parse().ok();
    let behind = &inner[digits..];
    match behind.strip_prefix(['.', ')', '、', '．']) {
        Some(rest) if (1..=3).contains(&digits) && (rest.starts_with(' ') || behind.starts_with('、')) => {
            (Some(number), rest.trim())
        }
        _ => (None, line),
    }
}

/// Whether a line begins with a mark of a citation.
fn cites_first(line: &str) -> bool {
    let inner = line.trim_start_matches(['[', '(', '【', '［', '\\', '`']);
    inner.len() < line.len()
        && ["reference:", "ref:", "citation:"]
            .iter()
            .any(|word| inner.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word)))
}

/// Whether marks of citations end a line that says something before them.
fn cites_last(line: &str) -> bool {
    let body = line.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '.' | '。'));
    let at = body.rfind(['[', '【', '［']).filter(|at| *at > 0 && body.ends_with([']', '】', '］']));
    at.is_some_and(|at| ["reference", "ref:", "citation"].iter().any(|word| body[at..].to_lowercase().contains(word)))
}

fn has_address(line: &str) -> bool {
    let lower = line.to_lowercase();
    ["http://", "https://", "www.", "doi:", "doi.org", "arxiv:", "isbn"].iter().any(|sign| lower.contains(sign))
}

fn begins_with_address(line: &str) -> bool {
    let line = line.trim_start_matches(['<', '(']);
    let linked = line.strip_prefix('[').and_then(|rest| rest.split_once("](")).is_some_and(|(_, behind)| {
        // A link and nothing but a few words.
        behind.starts_with("http")
            && behind.split_once(')').is_some_and(|(_, rest)| rest.split_whitespace().count() < 8)
    });
    linked || ["http://", "https://", "www.", "doi:", "arXiv:"].iter().any(|sign| line.starts_with(sign))
}

/// The end of a year in the text, with the year's beginning: `2020` between what is no digit.
fn years(line: &str) -> impl Iterator<Item = (usize, usize)> {
    line.match_indices(['1', '2']).filter_map(|(at, _)| {
        let year = line.get(at..at + 4)?;
        let is_year = year.bytes().all(|b| b.is_ascii_digit()) && (year.starts_with("19") || year.starts_with("20"));
        let alone = !line[..at].ends_with(|c: char| c.is_ascii_digit())
            && !line[at + 4..].starts_with(|c: char| c.is_ascii_digit());
        (is_year && alone).then_some((at, at + 4))
    })
}

fn has_year(line: &str) -> bool {
    years(line).next().is_some()
}

/// `Smith, J. (2020). …`, `Smith J: Title. Journal, 2020.`
fn is_by_author(line: &str) -> bool {
    if line.split_whitespace().count() > 60 {
        return false;
    }
    let in_brackets = years(line).any(|(start, end)| {
        let behind = line[end..].trim_start_matches(|c: char| c.is_ascii_lowercase());
        line[..start].ends_with(['(', '（'])
            && behind.trim_start_matches([')', '）']).starts_with(['.', ',', ':', '。', '，'])
            && behind.starts_with([')', '）'])
    });
    let initials = line.split_once(", ").is_some_and(|(name, rest)| {
        let mut letters = rest.chars();
        let is_initial = letters.next().is_some_and(char::is_uppercase) && letters.next() == Some('.');
        name.split_whitespace().count() <= 3 && name.starts_with(char::is_uppercase) && is_initial
    });
    in_brackets || (initials && has_year(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_told_from_words() {
        for (line, found) in [
            ("[1] Invented, A. Title.", Line::Entry(Some(1))),
            ("[^2]: Title", Line::Entry(Some(2))),
            ("【３】 标题", Line::Entry(Some(3))),
            ("[4]: https://a.example", Line::Entry(Some(4))),
            ("[5]. [A](https://a.example)", Line::Entry(Some(5))),
            ("**[6]** A", Line::Entry(Some(6))),
            ("\\[7\\] A", Line::Entry(Some(7))),
            ("8. Smith, J. (2020). Title", Line::Entry(Some(8))),
            ("- https://a.example/b", Line::Entry(None)),
            ("- [reference:tides#1] Tables", Line::Entry(None)),
            ("https://a.example", Line::Entry(None)),
            ("[Title](https://a.example)", Line::Entry(None)),
            ("Smith, J. (2020). Title. Journal.", Line::Entry(None)),
            ("- Title of a book", Line::Item(None)),
            ("---", Line::Rule),
            ("- The Nile rises in a lake [reference:nile#1].", Line::Words),
            ("The Blue Nile (1960) rises in a lake.", Line::Words),
            ("It was read with a [gauge](https://a.example), which drifts by some millimetres a year.", Line::Words),
        ] {
            assert_eq!(read(line), found, "{line}");
        }
    }
}
