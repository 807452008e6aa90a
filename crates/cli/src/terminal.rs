//! Text on its way to a terminal. It was written by models, notes and documents, and a terminal obeys what it reads.
//!
//! This is the only place where such text is made harmless; [`Progress`](crate::Progress) sends all it shows through it.
//! What would move, colour, rename or hide something, or write into the clipboard, is shown as a sign of its own and does
//! nothing. It is shown rather than taken out: a sequence without an end would take what follows with it, and a person who
//! approves a change would not see all of it. Files, pipes and the values of `--json` keep every byte.

use std::borrow::Cow;

/// `text` as a terminal may have it: of the control characters only line breaks and tabs are left.
///
/// A control character becomes its picture (`␛` for ESC), a bidirectional control that can put text where it does not
/// stand becomes `�`. A line break of two characters becomes one.
///
/// ```
/// assert_eq!(graphloom_cli::terminal::plain("\u{1b}]52;c;ZXZpbA==\u{7} done\r\n"), "␛]52;c;ZXZpbA==␇ done\n");
/// ```
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n").chars().map(|char| if acts(char) { picture(char) } else { char }).collect())
}

/// One JSON value on a line as a terminal may have it: the same value, with what a terminal would obey written as escapes.
pub fn json(line: &str) -> Cow<'_, str> {
    // Outside of strings JSON has none of these, but the line break at its end.
    let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
    if !line.contains(acts) {
        return Cow::Owned(format!("{line}{end}"));
    }
    let mut out = String::with_capacity(line.len() + 16);
    for char in line.chars() {
        if acts(char) {
            // All of them are in the first plane.
            out.push_str(&format!("\\u{:04x}", u32::from(char)));
        } else {
            out.push(char);
        }
    }
    Cow::Owned(out + end)
}

/// Whether a terminal does something with a character other than to show it, go to the next line or to the next column.
fn acts(char: char) -> bool {
    (char.is_control() && !matches!(char, '\n' | '\t')) || is_override(char)
}

/// Embeddings, overrides and isolates, which set text in another order than it is read in. The marks U+200E, U+200F and
/// U+061C, of which right-to-left text has need, move nothing but themselves.
fn is_override(char: char) -> bool {
    matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The sign that stands for a character that acts.
fn picture(char: char) -> char {
    match u32::from(char) {
        code @ 0..0x20 => char::from_u32(0x2400 + code).unwrap_or(char::REPLACEMENT_CHARACTER),
        0x7f => '␡',
        _ => char::REPLACEMENT_CHARACTER,
    }
}
