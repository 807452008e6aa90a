//! The messages of a mailbox, which stand one behind the other in one file (RFC 4155).

use std::borrow::Cow;

use crate::document::kind::is_field;

/// The messages of a mailbox.
///
/// Each begins behind a line `From `, which has a date, or stands behind an empty line and before a field. A sentence that begins with this
/// word is none of them: some programs put `>` before it, others do not.
pub(super) fn messages(bytes: &[u8]) -> Vec<Cow<'_, [u8]>> {
    let (mut messages, mut start, mut at) = (Vec::new(), None, 0);
    let mut behind_empty = true;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let next = at + line.len();
        if line.starts_with(b"From ") && (has_date(line) || (behind_empty && is_field(&bytes[next..]))) {
            messages.extend(start.map(|start: usize| unquoted(&bytes[start..at])));
            start = Some(next);
        }
        behind_empty = line.trim_ascii().is_empty();
        at = next;
    }
    messages.extend(start.map(|start| unquoted(&bytes[start..])));
    messages
}

/// Whether a line has a time and a year, as in `From ada Tue Mar  3 10:00:00 2026` and `From - 2026-03-03T10:00Z`.
fn has_date(line: &[u8]) -> bool {
    let is_time = |w: &[u8]| w[2] == b':' && [w[0], w[1], w[3], w[4]].iter().all(u8::is_ascii_digit);
    let has_time = line.windows(5).any(is_time);
    let mut numbers = line.split(|byte| !byte.is_ascii_digit());
    has_time && numbers.any(|number| matches!(number, [b'1', b'9', _, _] | [b'2', b'0', _, _]))
}

/// A message without the mark before the lines that begin as its separators do.
fn unquoted(bytes: &[u8]) -> Cow<'_, [u8]> {
    let is_quoted = |line: &[u8]| {
        let rest = &line[line.iter().take_while(|byte| **byte == b'>').count()..];
        line.starts_with(b">") && rest.starts_with(b"From ")
    };
    let lines = || bytes.split_inclusive(|byte| *byte == b'\n');
    if !lines().any(is_quoted) {
        return Cow::Borrowed(bytes);
    }
    Cow::Owned(lines().flat_map(|line| if is_quoted(line) { &line[1..] } else { line }).copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_from_sentences() {
        let mailbox = "\
From ada@example.org Tue Mar  3 10:00:00 2026\nSubject: one\n\nFrom here on it rains.\n\nFrom there, too.\n>From the sea.\n>>From us.\n\n\
From - Wed Mar  4 09:30:00 2026\r\nSubject: two\r\n\r\nb\r\n\r\n\
From ben\nSubject: three\n\n> From a quote\n";
        let found: Vec<String> =
            messages(mailbox.as_bytes()).iter().map(|message| String::from_utf8_lossy(message).into_owned()).collect();
        assert_eq!(
            found,
            [
                "Subject: one\n\nFrom here on it rains.\n\nFrom there, too.\nFrom the sea.\n>From us.\n\n",
                "Subject: two\r\n\r\nb\r\n\r\n",
                "Subject: three\n\n> From a quote\n"
            ]
        );
        assert!(messages(b"no mailbox").is_empty());
    }
}
