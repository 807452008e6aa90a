//! The text and the JSON of a body, whatever its characters are.

use serde_json::Value;

/// The mark that some servers put before their text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The characters of a body. One that is none is read as U+FFFD.
pub(super) fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_start_matches(BYTE_ORDER_MARK).to_owned()
}

/// The JSON of a text. A byte order mark before it is passed over; half a character in an escape is read as U+FFFD, and a
/// control that should be an escape as what it is.
///
/// # Errors
/// What is no JSON.
pub(super) fn json_of(text: &str) -> Result<Value, serde_json::Error> {
    let text = text.trim_start_matches(BYTE_ORDER_MARK);
    serde_json::from_str(text).or_else(|error| serde_json::from_str(&with_whole_characters(text)).map_err(|_| error))
}

/// The characters of bytes that come in pieces, cut anywhere.
#[derive(Debug, Default)]
pub(super) struct Characters {
    /// The beginning of a character whose end has not come yet.
    begun: Vec<u8>,
}

impl Characters {
    /// The characters that are whole with these bytes.
    pub(super) fn push(&mut self, more: &[u8]) -> String {
        self.begun.extend_from_slice(more);
        let mut text = String::with_capacity(self.begun.len());
        let mut rest = self.begun.as_slice();
        loop {
            let error = match std::str::from_utf8(rest) {
                Ok(valid) => {
                    text.push_str(valid);
                    rest = &[];
                    break;
                }
                Err(error) => error,
            };
            let (valid, after) = rest.split_at(error.valid_up_to());
            text.push_str(&String::from_utf8_lossy(valid));
            rest = after;
            let Some(wrong) = error.error_len() else { break };
            text.push(char::REPLACEMENT_CHARACTER);
            rest = &rest[wrong..];
        }
        self.begun = rest.to_vec();
        text
    }

    /// What is left at the end: a character that never became whole.
    pub(super) fn end(&mut self) -> Option<char> {
        (!std::mem::take(&mut self.begun).is_empty()).then_some(char::REPLACEMENT_CHARACTER)
    }
}

/// The JSON with U+FFFD for each escape of half a character, and escapes for controls inside of its texts.
fn with_whole_characters(json: &str) -> String {
    let mut whole = String::with_capacity(json.len());
    let mut is_text = false;
    let mut rest = json;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match c {
            '"' => is_text = !is_text,
            '\\' if is_text => {
                let (escape, is_half) = escape_at(rest);
                length = escape;
                if is_half {
                    whole.push_str("\\ufffd");
                    rest = &rest[length..];
                    continue;
                }
            }
            c if is_text && c < ' ' => {
                whole.push_str(&format!("\\u{:04x}", u32::from(c)));
                rest = &rest[length..];
                continue;
            }
            _ => {}
        }
        whole.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    whole
}

/// The length of the escape at the beginning of a text, and whether it is half a character.
fn escape_at(text: &str) -> (usize, bool) {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    };
    match unit(0) {
        Some(0xD800..=0xDBFF) if matches!(unit(6), Some(0xDC00..=0xDFFF)) => (12, false),
        Some(0xD800..=0xDFFF) => (6, true),
        Some(_) => (6, false),
        None => (1 + text[1..].chars().next().map_or(0, char::len_utf8), false),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn half_characters_are_read_as_replacements() {
        for (text, expected) in [
            (r#"{"a":"x\ud83cy"}"#, json!({"a": "x\u{fffd}y"})),
            (r#"{"a":"\udf0a"}"#, json!({"a": "\u{fffd}"})),
            (r#"{"a":"\ud83c\udf0a \ud83c"}"#, json!({"a": "\u{1f30a} \u{fffd}"})),
            (r#"{"a":"\\ud83c \ud83c\n"}"#, json!({"a": "\\ud83c \u{fffd}\n"})),
            ("{\"a\":\"x\ty\n\"}", json!({"a": "x\ty\n"})),
            ("\u{feff}{\"a\":1}", json!({"a": 1})),
        ] {
            assert_eq!(json_of(text).unwrap(), expected, "{text}");
        }
        assert!(json_of("{broken").is_err() && json_of("\"\\").is_err());
        assert_eq!(text_of(b"\xEF\xBB\xBFa\xFFb"), "a\u{fffd}b");
    }

    #[test]
    fn characters_that_come_in_pieces_are_whole_again() {
        let bytes = "größe 日本 \u{1f30a}".as_bytes();
        let mut characters = Characters::default();
        let text: String = bytes.iter().map(|byte| characters.push(&[*byte])).collect();
        assert_eq!((text.as_bytes(), characters.end()), (bytes, None));
        assert_eq!((characters.push(b"a\xFFb\xE6\x97"), characters.end()), ("a\u{fffd}b".to_owned(), Some('\u{fffd}')));
    }
}
