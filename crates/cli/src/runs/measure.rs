//! Spans of time and sizes as users write them.

use std::time::Duration;

/// A span of time such as `90s`, `15m`, `12h` or `30d`, for a command line.
///
/// # Errors
/// In words, what fits instead.
pub fn parse_age(text: &str) -> Result<Duration, String> {
    let units = [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)];
    let seconds =
        parse(text, &units).ok_or("write a whole number with `s`, `m`, `h` or `d` behind it, such as `30d`")?;
    Ok(Duration::from_secs(seconds))
}

/// A number of bytes such as `500KB`, `10MB` or `2GB`, for a command line.
///
/// # Errors
/// In words, what fits instead.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let units = [("KB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("B", 1), ("", 1)];
    parse(text, &units)
        .ok_or_else(|| "write a whole number with `KB`, `MB` or `GB` behind it, such as `10MB`".to_owned())
}

fn parse(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let (_, factor) = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    number.parse::<u64>().ok()?.checked_mul(*factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_and_sizes_have_units() {
        for (text, seconds) in [("90s", 90), ("15m", 900), ("12h", 43_200), ("30d", 2_592_000), ("0d", 0)] {
            assert_eq!(parse_age(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for (text, bytes) in [("10", 10), ("10b", 10), ("500KB", 500_000), ("2gb", 2_000_000_000)] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for text in ["", "d", "-1d", "1.5h", "1 d", "1w", "99999999999999999999d", "999999999999999999d"] {
            assert!(parse_age(text).is_err() && parse_size(text).is_err(), "{text}");
        }
    }
}
