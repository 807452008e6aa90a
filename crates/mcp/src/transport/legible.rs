//! JSON of writers that know forms which JSON does not have.

/// A text in which what writers of JSON often get wrong is mended: `NaN` and the infinities become `null`, control
/// characters inside a string are escaped, and the half of a character becomes U+FFFD. `None` where there is nothing to
/// mend.
pub(super) fn legible(text: &str) -> Option<String> {
    let mut mended = String::with_capacity(text.len());
    let (mut in_string, mut changed) = (false, false);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut taken = c.len_utf8();
        if in_string {
            match c {
                '\\' => {
                    let (bytes, replaced) = escape(rest);
                    taken = bytes;
                    match replaced {
                        Some(replacement) => {
                            mended.push_str(replacement);
                            changed = true;
                        }
                        None => mended.push_str(&rest[..taken]),
                    }
                }
                '\u{0}'..='\u{1f}' => {
                    mended.push_str(&format!("\\u{:04x}", u32::from(c)));
                    changed = true;
                }
                _ => {
                    in_string = c != '"';
                    mended.push(c);
                }
            }
        } else if let Some(word) = ["-Infinity", "Infinity", "NaN"].into_iter().find(|word| rest.starts_with(word)) {
            taken = word.len();
            mended.push_str("null");
            changed = true;
        } else {
            in_string = c == '"';
            mended.push(c);
        }
        rest = &rest[taken..];
    }
    changed.then_some(mended)
}

/// How many bytes an escape has at the beginning of a text, with the one behind it where both make one character, and what
/// takes its place.
fn escape(text: &str) -> (usize, Option<&'static str>) {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    match unit(0) {
        Some(0xd800..=0xdbff) if matches!(unit(6), Some(0xdc00..=0xdfff)) => (12, None),
        Some(0xd800..=0xdfff) => (6, Some("\\ufffd")),
        Some(_) => (6, None),
        // The backslash and the character behind it.
        None => (text.chars().take(2).map(char::len_utf8).sum(), None),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_is_no_json_is_mended_and_what_is_stays() {
        for (text, value) in [
            (r#"{"a": NaN, "b": [Infinity, -Infinity]}"#, json!({"a": null, "b": [null, null]})),
            (r#"{"a": "\ud83d NaN", "b": "\ude00"}"#, json!({"a": "\u{fffd} NaN", "b": "\u{fffd}"})),
            ("{\"a\": \"one\ttwo\nthree\"}", json!({"a": "one\ttwo\nthree"})),
        ] {
            let mended = legible(text).unwrap();
            assert_eq!(serde_json::from_str::<Value>(&mended).unwrap(), value, "{mended}");
        }
        for text in [r#"{"a": "NaN \" \\", "b": "\ud83d\ude00 é"}"#, "{}", "", "no message", "\\", "\"\\u12\u{e9}"] {
            assert_eq!(legible(text), None, "{text}");
        }
    }
}
