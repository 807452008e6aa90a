//! How long a server asks to wait.

use std::time::{Duration, SystemTime};

/// The wait that `retry-after-ms` or `retry-after` asks for: milliseconds, seconds with a fraction, or an HTTP date.
pub(super) fn retry_after<'a>(header: impl Fn(&str) -> Option<&'a str>, now: SystemTime) -> Option<Duration> {
    let seconds = |text: &str, unit: f64| {
        let value = text.trim().parse::<f64>().ok()? * unit;
        Duration::try_from_secs_f64(value).ok()
    };
    if let Some(wait) = header("retry-after-ms").and_then(|text| seconds(text, 0.001)) {
        return Some(wait);
    }
    let text = header("retry-after")?;
    seconds(text, 1.0).or_else(|| {
        let date = httpdate::parse_http_date(text.trim()).ok()?;
        Some(date.duration_since(now).unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        let wait = |pairs: &[(&str, &'static str)]| {
            retry_after(|name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| *value), now)
        };
        let cases: [(&[(&str, &'static str)], Option<Duration>); 8] = [
            (&[("retry-after", "2")], Some(Duration::from_secs(2))),
            (&[("retry-after", " 0.5 ")], Some(Duration::from_millis(500))),
            (&[("retry-after-ms", "250"), ("retry-after", "9")], Some(Duration::from_millis(250))),
            (&[("retry-after", "Sun, 06 Nov 1994 08:50:37 GMT")], Some(Duration::from_secs(60))),
            (&[("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")], Some(Duration::ZERO)),
            (&[("retry-after", "-3")], None),
            (&[("retry-after", "soon")], None),
            (&[], None),
        ];
        for (headers, expected) in cases {
            assert_eq!(wait(headers), expected, "{headers:?}");
        }
        assert_eq!(wait(&[("retry-after", "1e300")]), None);
        assert_eq!(wait(&[("retry-after", "NaN")]), None);
    }
}
