//! Times as clients write and read them.

use time::format_description::BorrowedFormatItem;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{OffsetDateTime, UtcOffset};

use super::error::RecordError;

const FORMAT: &[BorrowedFormatItem<'_>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:6]+00:00");
/// The last second that RFC 3339 can write: the end of the year 9999.
const LAST_SECOND: i64 = 253_402_300_799;

/// A time in milliseconds since 1970 as RFC 3339 text with microseconds and `+00:00`.
pub(crate) fn timestamp(millis: u64) -> String {
    let seconds = i64::try_from(millis / 1000).unwrap_or(i64::MAX).min(LAST_SECOND);
    let time = OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let time = time + std::time::Duration::from_millis(millis % 1000);
    time.format(FORMAT).unwrap_or_default()
}

/// The milliseconds since 1970 of an RFC 3339 text; one without an offset is in UTC, as Python's clients write it. What
/// lies before 1970 is 1970.
///
/// # Errors
/// [`RecordError::BadRequest`] with the field and the text.
pub(crate) fn parse_timestamp(field: &str, text: &str) -> Result<u64, RecordError> {
    let parsed = OffsetDateTime::parse(text, &Rfc3339)
        .or_else(|error| OffsetDateTime::parse(&format!("{text}Z"), &Rfc3339).map_err(|_| error));
    let time = parsed.map_err(|error| {
        RecordError::BadRequest(format!(
            "`{field}` is `{text}`, which is not a time ({error}); write it as `2026-01-31T08:00:00+00:00`"
        ))
    })?;
    let millis = time.to_offset(UtcOffset::UTC).unix_timestamp_nanos() / 1_000_000;
    Ok(u64::try_from(millis).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_microseconds_and_an_offset() {
        assert_eq!(timestamp(0), "1970-01-01T00:00:00.000000+00:00");
        assert_eq!(timestamp(1_780_000_000_007), "2026-05-28T20:26:40.007000+00:00");
        assert_eq!(timestamp(u64::MAX), "9999-12-31T23:59:59.615000+00:00");
    }

    #[test]
    fn times_are_read_with_and_without_an_offset() {
        let cases = [
            ("2026-05-28T20:26:40.007000+00:00", 1_780_000_000_007),
            ("2026-05-28T22:26:40.007+02:00", 1_780_000_000_007),
            ("2026-05-28T20:26:40", 1_780_000_000_000),
            ("1969-05-28T20:26:40Z", 0),
        ];
        for (text, millis) in cases {
            assert_eq!(parse_timestamp("end_time", text).unwrap(), millis, "{text}");
        }
        for bad in ["", "tomorrow", "2026-13-01T00:00:00Z", "2026-05-28"] {
            let error = parse_timestamp("end_time", bad).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`end_time` is `{bad}`, which is not a time")), "{error}");
        }
    }
}
