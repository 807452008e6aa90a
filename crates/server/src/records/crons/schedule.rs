//! When a cron runs next.

use std::str::FromStr;

use chrono::DateTime;
use chrono_tz::Tz;
use croner::parser::{CronParser, Seconds, Year};

use super::super::error::RecordError;

/// A schedule of five fields (minute, hour, day of the month, month, day of the week) in a time zone.
pub(super) struct Schedule {
    cron: croner::Cron,
    zone: Tz,
}

impl Schedule {
    /// Reads a schedule and the IANA name of a time zone, UTC when there is none.
    ///
    /// # Errors
    /// [`RecordError::BadRequest`] that tells what is wrong with which of the two.
    pub(super) fn new(schedule: &str, zone: Option<&str>) -> Result<Self, RecordError> {
        let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
        let count = schedule.split_whitespace().count();
        if count != 5 {
            let fields = "minute, hour, day of the month, month, day of the week";
            let message = format!("`schedule` is `{schedule}` with {count} fields, it must have five: {fields}");
            return Err(RecordError::BadRequest(message));
        }
        let cron = parser.parse(schedule).map_err(|error| {
            RecordError::BadRequest(format!("`schedule` is `{schedule}`, which is not one: {error}"))
        })?;
        let zone = zone.map_or(Ok(Tz::UTC), Tz::from_str).map_err(|_| {
            let name = zone.unwrap_or_default();
            RecordError::BadRequest(format!(
                "`timezone` is `{name}`, which is not in the time zone database; write it as `Europe/Berlin`"
            ))
        })?;
        Ok(Self { cron, zone })
    }

    /// The first time after another, both in milliseconds since 1970; `None` when it never comes.
    pub(super) fn next(&self, after: u64) -> Option<u64> {
        let after = DateTime::from_timestamp_millis(i64::try_from(after).ok()?)?.with_timezone(&self.zone);
        let next = self.cron.find_next_occurrence(&after, false).ok()?;
        u64::try_from(next.timestamp_millis()).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::{parse_timestamp, timestamp};
    use super::*;

    fn next(schedule: &str, zone: Option<&str>, after: &str) -> Option<String> {
        let after = parse_timestamp("after", after).unwrap();
        Schedule::new(schedule, zone).unwrap().next(after).map(|next| timestamp(next)[..19].to_owned())
    }

    #[test]
    fn times_follow_the_schedule_in_its_zone() {
        let cases = [
            ("*/15 * * * *", None, "2026-01-01T00:00:00Z", "2026-01-01T00:15:00"),
            ("*/15 * * * *", None, "2026-01-01T00:14:59.999Z", "2026-01-01T00:15:00"),
            ("0 9 * * MON-FRI", None, "2026-01-02T09:00:00Z", "2026-01-05T09:00:00"),
            ("0 9 * * *", Some("Asia/Tokyo"), "2026-01-01T00:00:00Z", "2026-01-02T00:00:00"),
            ("30 8 1 * *", Some("America/New_York"), "2026-01-01T14:00:00Z", "2026-02-01T13:30:00"),
            // Berlin goes from one hour before UTC to two on 29 March 2026, and back on 25 October.
            ("0 9 * * *", Some("Europe/Berlin"), "2026-03-28T12:00:00Z", "2026-03-29T07:00:00"),
            ("0 9 * * *", Some("Europe/Berlin"), "2026-10-24T12:00:00Z", "2026-10-25T08:00:00"),
            // 02:30 is not there on that day: it comes with the end of the gap.
            ("30 2 * * *", Some("Europe/Berlin"), "2026-03-28T12:00:00Z", "2026-03-29T01:00:00"),
            ("0 0 29 2 *", None, "2026-01-01T00:00:00Z", "2028-02-29T00:00:00"),
        ];
        for (schedule, zone, after, expected) in cases {
            assert_eq!(next(schedule, zone, after).as_deref(), Some(expected), "{schedule} {zone:?} after {after}");
        }
        assert_eq!(next("0 0 30 2 *", None, "2026-01-01T00:00:00Z"), None);
        assert_eq!(Schedule::new("* * * * *", None).unwrap().next(u64::MAX), None);
    }

    #[test]
    fn what_is_no_schedule_is_told() {
        let cases = [
            ("", None, "`schedule` is `` with 0 fields, it must have five"),
            ("* * * *", None, "`schedule` is `* * * *` with 4 fields, it must have five"),
            ("0 * * * * *", None, "`schedule` is `0 * * * * *` with 6 fields, it must have five"),
            ("@daily", None, "`schedule` is `@daily` with 1 fields, it must have five"),
            ("61 * * * *", None, "`schedule` is `61 * * * *`, which is not one: "),
            ("a b c d e", None, "`schedule` is `a b c d e`, which is not one: "),
            ("* * * * *", Some("Mars/Base"), "`timezone` is `Mars/Base`, which is not in the time zone database"),
            ("* * * * *", Some(""), "`timezone` is ``, which is not"),
        ];
        for (schedule, zone, beginning) in cases {
            let error = Schedule::new(schedule, zone).err().expect("an error").to_string();
            assert!(error.starts_with(beginning), "{error}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(schedule in "([0-9*,/?LW#+-]{1,5} ){4}[A-Z0-9*,/?L#-]{1,5}", zone in "[A-Z/a-z]{0,8}") {
            let _ = Schedule::new(&schedule, Some(&zone));
            if let Ok(schedule) = Schedule::new(&schedule, None) {
                let next = schedule.next(1_780_000_000_000);
                prop_assert!(next.is_none_or(|next| next > 1_780_000_000_000));
            }
        }
    }
}
