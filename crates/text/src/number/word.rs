//! Numbers written as words.

/// The value of a small number, written as a lower-case word. `one` has no value, because it is often no number.
///
/// ```
/// use graphloom_text::number::spelled;
///
/// assert_eq!(spelled("twenty-one"), Some(21.0));
/// assert_eq!(spelled("zwölf"), Some(12.0));
/// assert_eq!(spelled("one"), None);
/// ```
#[must_use]
pub fn spelled(word: &str) -> Option<f64> {
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

/// The value of an ideographic numeral such as 二十三, of digits, tens, hundreds and thousands.
///
/// ```
/// use graphloom_text::number::ideographic;
///
/// assert_eq!(ideographic("二十三"), Some(23.0));
/// assert_eq!(ideographic("十"), Some(10.0));
/// assert_eq!(ideographic("本"), None);
/// ```
#[must_use]
pub fn ideographic(numeral: &str) -> Option<f64> {
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
        total = total.saturating_add(digit.take().unwrap_or(1) * place);
    }
    Some(f64::from(total.saturating_add(digit.unwrap_or(0))))
}
