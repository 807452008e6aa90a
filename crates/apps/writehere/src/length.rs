//! Lengths of texts in words: counting, reading what a plan says, sharing a total.

pub use graphloom_retrieval::extract::count_words;

/// Reads a length as a plan states it: `800 words`, `1,500`, `500-800 words` (the middle), `2k words`, `3000字`.
/// `None` when it states no number.
///
/// ```
/// use graphloom_writehere::length::parse_words;
///
/// assert_eq!(parse_words("about 1,500 words"), Some(1500));
/// assert_eq!(parse_words("500-800 words"), Some(650));
/// assert_eq!(parse_words("as long as needed"), None);
/// ```
pub fn parse_words(text: &str) -> Option<u32> {
    let mut numbers = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let Some(digit) = c.to_digit(10) else { continue };
        let mut value = f64::from(digit);
        let mut fraction = 0.0;
        while let Some(&next) = chars.peek() {
            if let Some(digit) = next.to_digit(10) {
                if fraction > 0.0 {
                    value += f64::from(digit) * fraction;
                    fraction /= 10.0;
                } else {
                    value = value * 10.0 + f64::from(digit);
                }
            } else if next == '.' && fraction == 0.0 {
                fraction = 0.1;
            } else if !matches!(next, ',' | '_' | '\u{a0}') {
                break;
            }
            chars.next();
        }
        if chars.peek().is_some_and(|next| matches!(next, 'k' | 'K')) {
            value *= 1000.0;
        }
        numbers.push(value);
    }
    let value = match numbers[..] {
        [] => return None,
        [low, high, ..] if high > low && text.contains(['-', '–', '~', 't']) => f64::midpoint(low, high),
        [first, ..] => first,
    };
    (value >= 1.0 && value < f64::from(u32::MAX)).then(|| value.round() as u32)
}

/// States a length as plans do.
pub fn words_text(words: u32) -> String {
    format!("{words} words")
}

/// How far a text may be from the length that was asked for, in percent, and still have it.
pub const TOLERANCE_PERCENT: u64 = 15;

/// What to say of a text that is further from the length that was asked for than [`TOLERANCE_PERCENT`].
///
/// ```
/// use graphloom_writehere::length::missed;
///
/// assert_eq!(missed(764, 1000).as_deref(), Some("the text has 764 words, 24 % fewer than the 1000 asked for"));
/// assert_eq!(missed(1150, 1000), None);
/// ```
pub fn missed(words: usize, asked: u32) -> Option<String> {
    let (written, wanted) = (u64::try_from(words).unwrap_or(u64::MAX), u64::from(asked));
    let off = written.abs_diff(wanted).saturating_mul(100);
    if wanted == 0 || off <= wanted * TOLERANCE_PERCENT {
        return None;
    }
    let side = if written < wanted { "fewer" } else { "more" };
    // Rounded to the next whole number, so that a miss never reads as one within the tolerance.
    Some(format!("the text has {words} words, {} % {side} than the {asked} asked for", off.div_ceil(wanted)))
}

/// Shares `total` in proportion to `weights`; the parts add up to `total`. A weight of 0 counts as 1 when all are 0.
///
/// ```
/// use graphloom_writehere::length::share;
///
/// assert_eq!(share(1000, &[1, 1, 1]), [334, 333, 333]);
/// assert_eq!(share(300, &[500, 1000]), [100, 200]);
/// ```
pub fn share(total: u32, weights: &[u32]) -> Vec<u32> {
    let even = weights.iter().all(|weight| *weight == 0);
    let weight = |index: usize| if even { 1 } else { u64::from(weights[index]) };
    let sum: u64 = (0..weights.len()).map(weight).sum();
    if sum == 0 {
        return Vec::new();
    }
    let mut parts = Vec::with_capacity(weights.len());
    let mut rests = Vec::with_capacity(weights.len());
    for index in 0..weights.len() {
        let product = u64::from(total) * weight(index);
        parts.push(u32::try_from(product / sum).unwrap_or(u32::MAX));
        rests.push((product % sum, index));
    }
    rests.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let given: u32 = parts.iter().sum();
    for (_, index) in rests.into_iter().take(total.saturating_sub(given) as usize) {
        parts[index] += 1;
    }
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_of_any_script_are_counted() {
        for (text, words) in [
            ("", 0),
            ("  one\n\ttwo ", 2),
            ("# Heading — with *marks*", 3),
            ("don't re-do it", 3),
            ("3.5 ms", 2),
            ("日本語", 3),
            ("Rust言語is ok", 5),
            ("한국어 글", 2),
            ("- - -", 0),
        ] {
            assert_eq!(count_words(text), words, "{text:?}");
        }
    }

    #[test]
    fn lengths_are_read_as_plans_state_them() {
        for (text, words) in [
            ("800 words", Some(800)),
            ("800", Some(800)),
            ("~1,200 words", Some(1200)),
            ("500 to 700 words", Some(600)),
            ("500–700", Some(600)),
            ("2k words", Some(2000)),
            ("1.5k words", Some(1500)),
            ("3000字", Some(3000)),
            ("You should determine itself, according to the question", None),
            ("0 words", None),
            ("99999999999999999999", None),
            ("", None),
        ] {
            assert_eq!(parse_words(text), words, "{text:?}");
        }
    }

    #[test]
    fn a_length_is_met_within_fifteen_percent() {
        for (words, asked, off) in [
            (1000, 1000, None),
            (850, 1000, None),
            (849, 1000, Some("16 % fewer")),
            (1150, 1000, None),
            (1151, 1000, Some("16 % more")),
            (0, 300, Some("100 % fewer")),
            (300, 0, None),
        ] {
            let notice = missed(words, asked);
            assert_eq!(notice.is_some(), off.is_some(), "{words} of {asked}");
            assert!(off.is_none_or(|off| notice.unwrap_or_default().contains(off)), "{words} of {asked}");
        }
    }

    proptest! {
        #[test]
        fn shares_add_up(total in 0u32..1_000_000, weights in prop::collection::vec(0u32..10_000, 1..20)) {
            prop_assert_eq!(share(total, &weights).iter().sum::<u32>(), total);
        }

        #[test]
        fn nothing_panics(text in ".*") {
            let _ = parse_words(&text);
            let _ = count_words(&text);
        }
    }
}
