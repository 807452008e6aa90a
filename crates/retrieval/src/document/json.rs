//! JSON as programs write it that do not keep to its rules.

use std::borrow::Cow;

use serde::de::DeserializeOwned;

/// Reads JSON; where it is none, without what other programs put into it: numbers such as `NaN`, comments, commas behind the last
/// value, line ends inside of texts, halves of characters.
///
/// # Errors
/// What is wrong with the text as it is.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| serde_json::from_str(&strict(text)).map_err(|_| error))
}

/// A text by the rules of JSON.
fn strict(text: &str) -> String {
    let mut strict = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '"' => {
                let (string, length) = string(rest);
                strict.push_str(&string);
                length
            }
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            ']' | '}' => {
                if strict.trim_end().ends_with(',') {
                    strict.truncate(strict.trim_end().len() - 1);
                }
                strict.push(c);
                1
            }
            'N' | 'I' | '-' => {
                match ["NaN", "Infinity", "-Infinity", "-NaN"].iter().find(|word| rest.starts_with(**word)) {
                    Some(word) => {
                        strict.push_str("null");
                        word.len()
                    }
                    None => {
                        strict.push(c);
                        1
                    }
                }
            }
            c => {
                strict.push(c);
                c.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    strict
}

/// The string that a text begins with, and its length there.
fn string(text: &str) -> (Cow<'_, str>, usize) {
    let (mut end, mut escaped) = (text.len(), false);
    for (at, c) in text.char_indices().skip(1) {
        if !escaped && c == '"' {
            end = at + 1;
            break;
        }
        escaped = !escaped && c == '\\';
    }
    let string = &text[..end];
    if !string.contains(|c: char| c < ' ') && !string.contains("\\u") {
        return (Cow::Borrowed(string), end);
    }
    let mut whole = String::with_capacity(string.len());
    let mut rest = string;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '\\' => match surrogates(rest) {
                Some((true, length)) => {
                    whole.push_str(&rest[..length]);
                    length
                }
                Some((false, length)) => {
                    whole.push(char::REPLACEMENT_CHARACTER);
                    length
                }
                None => {
                    let length = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
                    whole.push_str(&rest[..length]);
                    length
                }
            },
            c if c < ' ' => {
                whole.push_str(&format!("\\u{:04x}", u32::from(c)));
                1
            }
            c => {
                whole.push(c);
                c.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    (Cow::Owned(whole), end)
}

/// Whether the halves of a character that a text begins with, as `\ud83d\ude00`, are one, and how long they are.
fn surrogates(text: &str) -> Option<(bool, usize)> {
    let unit = |text: &str| {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    match unit(text)? {
        0xd800..=0xdbff if text.get(6..).and_then(unit).is_some_and(|low| (0xdc00..=0xdfff).contains(&low)) => {
            Some((true, 12))
        }
        0xd800..=0xdfff => Some((false, 6)),
        _ => Some((true, 6)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_json_does_not_have_is_left_out() {
        for (text, value) in [
            (r#"{"a": NaN, "b": [-Infinity, Infinity, -1],}"#, serde_json::json!({"a": null, "b": [null, null, -1]})),
            ("{\"a\": 1, // NaN, \"\n /* \"b\" */ \"c\": [2, ], }", serde_json::json!({"a": 1, "c": [2]})),
            ("[\"a\nb\tNaN, ]//\"]", serde_json::json!(["a\nb\tNaN, ]//"])),
            (r#"["\ud83d, \ud83d\ude00 \"\\", NaN]"#, serde_json::json!(["\u{fffd}, 😀 \"\\", null])),
        ] {
            assert_eq!(read::<serde_json::Value>(text).unwrap(), value, "{text}");
        }
        assert!(read::<serde_json::Value>("{\"a\": ").unwrap_err().is_eof());
        assert!(read::<serde_json::Value>("NaNa").is_err());
    }
}
