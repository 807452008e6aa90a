//! Numbers as they are written, and what they can mean.

use crate::fold::fold;

/// The values that digits with separators can have; several where English and German writing differ.
///
/// None for what is no number, as the version `3.11.2`.
pub(super) fn readings(raw: &str) -> Vec<f64> {
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
                // The separator that comes last and once is the decimal one.
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

/// What a word after a number multiplies it with.
pub(super) fn multiplier(word: &str) -> Option<f64> {
    Some(match word {
        "hundred" | "百" => 1e2,
        "thousand" | "tausend" | "tsd" | "k" | "千" => 1e3,
        "万" | "萬" => 1e4,
        "lakh" | "lakhs" => 1e5,
        "crore" | "crores" => 1e7,
        "million" | "millions" | "millionen" | "mio" | "mn" => 1e6,
        "亿" | "億" => 1e8,
        "billion" | "billions" | "milliarde" | "milliarden" | "mrd" | "bn" => 1e9,
        "trillion" | "trillions" | "兆" => 1e12,
        _ => return None,
    })
}

/// The value of a small number written as a word.
pub(super) fn spelled(word: &str) -> Option<f64> {
    const UNITS: &[&[&str]] = &[
        &["zero", "null"],
        &[],
        &["two", "zwei", "twice"],
        &["three", "drei"],
        &["four", "vier"],
        &["five", "fünf"],
        &["six", "sechs"],
        &["seven", "sieben"],
        &["eight", "acht"],
        &["nine", "neun"],
        &["ten", "zehn"],
        &["eleven", "elf"],
        &["twelve", "zwölf", "dozen"],
        &["thirteen", "dreizehn"],
        &["fourteen", "vierzehn"],
        &["fifteen", "fünfzehn"],
        &["sixteen", "sechzehn"],
        &["seventeen", "siebzehn"],
        &["eighteen", "achtzehn"],
        &["nineteen", "neunzehn"],
        &["twenty", "zwanzig"],
    ];
    const TENS: &[&str] = &["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    if let Some(value) = UNITS.iter().position(|names| names.contains(&word)) {
        return u32::try_from(value).ok().map(f64::from);
    }
    let (tens, rest) = word.split_once('-').map_or((word, None), |(tens, rest)| (tens, Some(rest)));
    let tens = u32::try_from(TENS.iter().position(|name| *name == tens)?).ok()? * 10 + 20;
    let ones = match rest {
        None => 0.0,
        Some("one") => 1.0,
        Some(rest) => spelled(rest).filter(|ones| (1.0..10.0).contains(ones))?,
    };
    Some(f64::from(tens) + ones)
}

/// The value of an ideographic numeral such as 二十三; only digits, tens and hundreds.
pub(super) fn ideographic(numeral: &str) -> Option<f64> {
    let (mut total, mut digit) = (0_u32, None);
    for c in numeral.chars() {
        let place = match c {
            '十' => 10,
            '百' => 100,
            '千' => 1000,
            c => {
                let value = "〇一二三四五六七八九".chars().position(|one| one == c).or(match c {
                    '两' | '両' | '兩' => Some(2),
                    '零' => Some(0),
                    _ => None,
                })?;
                digit = u32::try_from(value).ok();
                continue;
            }
        };
        total += digit.take().unwrap_or(1) * place;
    }
    Some(f64::from(total + digit.unwrap_or(0)))
}

/// Whether two numbers are the same for a reader.
pub(super) fn same(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-9 * left.abs().max(right.abs()).max(1.0)
}

#[cfg(test)]
mod tests {
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
        ] {
            assert_eq!(readings(raw), expected, "{raw}");
        }
        assert_eq!(spelled("twenty-one"), Some(21.0));
        assert_eq!(spelled("seven"), Some(7.0));
        assert_eq!(ideographic("二十三"), Some(23.0));
        assert_eq!(ideographic("十"), Some(10.0));
    }
}
