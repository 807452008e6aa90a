//! Exact reading of decimal numbers: no amount of money is ever a binary fraction.

/// What becomes of digits behind the last one that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// There must be none, save zeros.
    Exact,
    /// They are rounded to the nearest.
    Nearest,
    /// They round up.
    Up,
}

/// The decimal number in `text` times ten to the power of `shift`. `None` for what is no decimal number without a sign, or
/// does not fit. An exponent such as `1.5e-7` is understood.
pub(crate) fn decimal(text: &str, shift: i32, rounding: Rounding) -> Option<u64> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_number = |part: &str| part.chars().all(|c| c.is_ascii_digit());
    if (before.is_empty() && after.is_empty()) || !is_number(before) || !is_number(after) {
        return None;
    }
    let digits = format!("{before}{after}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some(0);
    }
    let power = exponent.checked_add(shift)?.checked_sub(i32::try_from(after.len()).ok()?)?;
    if let Ok(zeros) = usize::try_from(power) {
        // More digits than these do not fit in any case.
        return if zeros > 20 { None } else { format!("{digits}{:0<zeros$}", "").parse().ok() };
    }
    let cut = usize::try_from(power.unsigned_abs()).ok()?;
    let (kept, lost) = digits.split_at(digits.len().saturating_sub(cut));
    let kept: u64 = if kept.is_empty() { 0 } else { kept.parse().ok()? };
    let is_lost = lost.chars().any(|digit| digit != '0');
    match rounding {
        Rounding::Exact if is_lost => None,
        Rounding::Up if is_lost => kept.checked_add(1),
        Rounding::Nearest if lost.len() == cut && lost.as_bytes().first().is_some_and(|digit| *digit >= b'5') => {
            kept.checked_add(1)
        }
        _ => Some(kept),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_exactly() {
        use Rounding::{Exact, Nearest, Up};
        for (text, shift, rounding, expected) in [
            ("0.10", 6, Exact, Some(100_000)),
            ("2", 6, Exact, Some(2_000_000)),
            (".5", 0, Exact, None),
            (".5", 0, Up, Some(1)),
            ("0.0000005", 6, Nearest, Some(1)),
            ("0.00000049", 6, Nearest, Some(0)),
            ("0.00000004", 6, Nearest, Some(0)),
            ("0.00000005", 6, Nearest, Some(0)),
            ("1.4e-5", 6, Up, Some(14)),
            ("1.0000000000000001e-07", 12, Nearest, Some(100_000)),
            ("6e-09", 12, Exact, Some(6000)),
            ("1e3", 0, Exact, Some(1000)),
            ("0", 12, Exact, Some(0)),
            ("0.000", -3, Exact, Some(0)),
            ("1e-400", 6, Up, Some(1)),
            ("1e400", 6, Up, None),
            ("18446744073709551615", 0, Exact, Some(u64::MAX)),
            ("18446744073709551616", 0, Exact, None),
            ("-1", 0, Exact, None),
            ("+1", 0, Exact, None),
            ("", 0, Exact, None),
            (".", 0, Exact, None),
            ("1e", 0, Exact, None),
            ("NaN", 0, Exact, None),
        ] {
            assert_eq!(decimal(text, shift, rounding), expected, "{text} {shift} {rounding:?}");
        }
    }
}
