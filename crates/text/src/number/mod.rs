//! Numbers as they are written, and what they can mean.

mod magnitude;
mod word;

pub use magnitude::{magnitude, magnitude_at};
pub use word::{ideographic, spelled};

use crate::fold::fold;

/// The end of the number that begins with the digit at byte `start`. A separator of groups or decimals belongs to the
/// number when a digit follows. A space belongs to the number only before a group of three digits.
///
/// ```
/// use graphloom_text::number::end;
///
/// for (text, number) in [("1,024 KiB", "1,024"), ("12 000 rows", "12 000"), ("3. Then", "3"), ("5 to 7", "5")] {
///     assert_eq!(&text[..end(text, 0)], number);
/// }
/// ```
#[must_use]
pub fn end(text: &str, start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let first = digits(rest);
    // Whether a space may come next: the first group has three digits at most, and no other mark came before.
    let mut leads = first <= 3;
    let mut at = length_of(rest, first);
    loop {
        let mut behind = rest[at..].chars();
        let Some(mark) = behind.next() else { break };
        let group = digits(behind.as_str());
        let joins = match mark {
            '.' | ',' | '．' | '，' | '\'' | '\u{2019}' | '_' => group > 0,
            ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}' => {
                let next = behind.as_str().chars().nth(group);
                leads && group == 3 && !next.is_some_and(char::is_alphabetic)
            }
            _ => false,
        };
        if !joins {
            break;
        }
        leads &= fold(mark) == ' ';
        at += mark.len_utf8() + length_of(behind.as_str(), group);
    }
    start + at
}

/// The number of digits at the beginning of a text.
fn digits(text: &str) -> usize {
    text.chars().take_while(|c| fold(*c).is_ascii_digit()).count()
}

/// The length in bytes of the first `characters` characters of a text.
fn length_of(text: &str, characters: usize) -> usize {
    text.chars().take(characters).map(char::len_utf8).sum()
}

/// The values that digits with separators can have. Where English and German notation differ, there are several.
///
/// Empty for a text that is no number, such as the version `3.11.2`.
///
/// ```
/// use graphloom_text::number::readings;
///
/// assert_eq!(readings("1,234"), [1234.0, 1.234]);
/// assert_eq!(readings("1.234,5"), [1234.5]);
/// assert!(readings("3.11.2").is_empty());
/// ```
#[must_use]
pub fn readings(raw: &str) -> Vec<f64> {
    let text: String = raw.chars().map(fold).filter(|c| !matches!(c, ' ' | '\'' | '_')).collect();
    let separators: Vec<(usize, char)> = text.char_indices().filter(|(_, c)| matches!(c, '.' | ',')).collect();
    let plain = |text: &str| text.parse::<f64>().ok();
    let without = |drop: char| text.replace(drop, "");
    let values: Vec<Option<f64>> = match separators.as_slice() {
        [] => vec![plain(&text)],
        [(at, mark)] => {
            let (before, after) = (&text[..*at], &text[at + 1..]);
            let decimal = plain(&format!("{before}.{after}"));
            let groups = after.len() == 3 && (1..=3).contains(&before.len()) && !before.starts_with('0');
            let joined = groups.then(|| plain(&without(*mark))).flatten();
            vec![joined, decimal]
        }
        many => {
            let kinds: (usize, usize) =
                (many.iter().filter(|(_, c)| *c == ',').count(), many.iter().filter(|(_, c)| *c == '.').count());
            match kinds {
                (0, _) | (_, 0) if grouped(&text) => vec![plain(&text.replace(['.', ','], ""))],
                (0, _) | (_, 0) => Vec::new(),
                // Of two kinds of separators, the last one is the decimal separator.
                _ => {
                    let last = many[many.len() - 1].1;
                    let other = if last == '.' { ',' } else { '.' };
                    vec![plain(&without(other).replace(last, "."))]
                }
            }
        }
    };
    values.into_iter().flatten().collect()
}

fn grouped(text: &str) -> bool {
    let mut groups = text.split(['.', ',']);
    groups.next().is_some_and(|first| (1..=3).contains(&first.len())) && groups.all(|group| group.len() == 3)
}

/// Whether two numbers are equal but for rounding.
#[must_use]
pub fn same(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-9 * left.abs().max(right.abs())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn digits_are_read_as_people_write_them() {
        for (raw, expected) in [
            ("1,234", vec![1234.0, 1.234]),
            ("1.234,5", vec![1234.5]),
            ("1,234.5", vec![1234.5]),
            ("12 000", vec![12000.0]),
            ("1'000'000", vec![1e6]),
            ("3.5", vec![3.5]),
            ("0.125", vec![0.125]),
            ("3.11.2", vec![]),
            ("1.000.000", vec![1e6]),
            ("１２", vec![12.0]),
            ("15.01.2023", vec![]),
        ] {
            assert_eq!(readings(raw), expected, "{raw}");
        }
        assert!(same(0.1 + 0.2, 0.3) && !same(1.0, 1.001) && !same(0.0, 1e-9));
    }

    #[test]
    fn a_number_ends_where_its_digits_do() {
        for (text, number) in [
            ("12 000 rows", "12 000"),
            ("12 0000", "12"),
            ("1200 000", "1200"),
            ("12 000x", "12"),
            ("1 000 000.5 m", "1 000 000.5"),
            ("1'000'000", "1'000'000"),
            ("3.11.2;", "3.11.2"),
            ("4GB", "4"),
            ("１２％", "１２"),
            ("7.", "7"),
        ] {
            assert_eq!(&text[..end(text, 0)], number, "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_follows_a_number_has_an_end(text in "[0-9]([0-9 .,'_\u{a0}１a]|\\PC){0,20}") {
            let end = end(&text, 0);
            prop_assert!(end > 0 && text.is_char_boundary(end));
            prop_assert!(text[..end].chars().next_back().is_some_and(|c| fold(c).is_ascii_digit()));
        }
    }
}
