//! Words that multiply the number before them.

/// The powers of ten and their lower-case names. `billion` and `trillion` have their English values.
const MAGNITUDES: &[(&[&str], f64)] = &[
    (&["hundred", "百"], 1e2),
    (&["thousand", "thousands", "tausend", "tsd", "k", "千"], 1e3),
    (&["万", "萬"], 1e4),
    (&["lakh", "lakhs"], 1e5),
    (&["million", "millions", "millionen", "mio", "mn", "百万"], 1e6),
    (&["crore", "crores", "千万"], 1e7),
    (&["亿", "億"], 1e8),
    (&["billion", "billions", "milliarde", "milliarden", "mrd", "bn"], 1e9),
    (&["百亿"], 1e10),
    (&["千亿"], 1e11),
    (&["trillion", "trillions", "tn", "兆", "万亿"], 1e12),
];

/// The factor by which a lower-case word multiplies the number before it.
///
/// ```
/// use graphloom_text::number::magnitude;
///
/// assert_eq!(magnitude("million"), Some(1e6));
/// assert_eq!(magnitude("万亿"), Some(1e12));
/// assert_eq!(magnitude("miles"), None);
/// ```
#[must_use]
pub fn magnitude(word: &str) -> Option<f64> {
    MAGNITUDES.iter().find(|(names, _)| names.contains(&word)).map(|(_, factor)| *factor)
}

/// The magnitude at the start of a text without spaces, by the longest name that fits, and the length of the name in
/// bytes.
///
/// ```
/// use graphloom_text::number::magnitude_at;
///
/// assert_eq!(magnitude_at("万亿元"), Some((1e12, "万亿".len())));
/// assert_eq!(magnitude_at("million"), None);
/// ```
#[must_use]
pub fn magnitude_at(text: &str) -> Option<(f64, usize)> {
    MAGNITUDES
        .iter()
        .flat_map(|(names, factor)| names.iter().map(move |name| (*factor, *name)))
        .filter(|(_, name)| !name.is_ascii() && text.starts_with(name))
        .max_by_key(|(_, name)| name.len())
        .map(|(factor, name)| (factor, name.len()))
}
