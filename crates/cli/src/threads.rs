//! The ids of runs, and times.

use graphloom_core_graph::{Clock, SystemClock};
use time::OffsetDateTime;

use crate::CliError;

/// An id for a new run that people can read and type, such as `writehere-20261121-142233-k3f9`; times are UTC.
pub fn new_thread_id(app: &str) -> String {
    thread_id(app, SystemClock.now(), rand::random())
}

fn thread_id(app: &str, millis: u64, random: u32) -> String {
    // Without letters and digits that look alike.
    const LETTERS: &[u8; 32] = b"23456789abcdefghjkmnpqrstuvwxyz0";
    let tail: String = (0..4).map(|at| char::from(LETTERS[(random >> (5 * at)) as usize % LETTERS.len()])).collect();
    let time = date_time(millis);
    let (year, month, day) = (time.year(), u8::from(time.month()), time.day());
    let (hour, minute, second) = (time.hour(), time.minute(), time.second());
    format!("{app}-{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}-{tail}")
}

/// Checks an id that a user chose: it is a file name and a word on a command line as well.
///
/// # Errors
/// [`CliError::Usage`] that says what an id may hold.
pub fn check_thread_id(id: &str) -> Result<(), CliError> {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if id.is_empty() || id.len() > 128 || id.starts_with(['-', '.']) || !id.chars().all(fits) {
        return Err(CliError::usage(format!(
            "`{}` is no id of a run; use letters, digits, `-`, `_` and `.`, at most 128, beginning with a letter or digit",
            id.chars().take(140).collect::<String>()
        )));
    }
    Ok(())
}

/// Milliseconds since 1970 as a time in UTC; 1970 for a time beyond what can be represented.
fn date_time(millis: u64) -> OffsetDateTime {
    let seconds = i64::try_from(millis / 1000).unwrap_or(0);
    OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

/// Milliseconds since 1970 for people: `2026-11-21 14:22:33`, in UTC.
pub fn time_text(millis: u64) -> String {
    let time = date_time(millis);
    let (year, month, day) = (time.year(), u8::from(time.month()), time.day());
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}", time.hour(), time.minute(), time.second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_tell_application_and_time() {
        let id = thread_id("writehere", 1_795_271_000_123, 0);
        assert_eq!(id, "writehere-20261121-142320-2222");
        assert!(check_thread_id(&id).is_ok());
        assert_ne!(id, thread_id("writehere", 1_795_271_000_123, 1));
        assert_eq!(time_text(1_795_271_000_123), "2026-11-21 14:23:20");
        assert_eq!(time_text(u64::MAX), "1970-01-01 00:00:00");
    }

    #[test]
    fn ids_are_words() {
        for id in ["", "-rf", "..", "a/b", "a b", "a\n", &"a".repeat(129)] {
            assert!(check_thread_id(id).is_err(), "{id}");
        }
        for id in ["tides", "2026.1", "Straße_1"] {
            assert!(check_thread_id(id).is_ok(), "{id}");
        }
    }
}
