//! Visible characters. Invisible ones can hide orders to a model, or reverse the order of a line.

/// Whether a character is visible or separates visible ones.
///
/// Marks of direction, characters without width, tags, selectors of variants beyond the common ones, fillers, and
/// characters for private use are not shown: nobody agreed on what the latter mean.
#[must_use]
pub fn is_visible(c: char) -> bool {
    match c {
        '\n' | '\t' => true,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}' => false,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => false,
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => false,
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' => false,
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' => false,
        c => !c.is_control(),
    }
}

/// `text` without invisible characters, which can hide orders to a model or reverse the order of a line. Line breaks are
/// `\n`.
///
/// ```
/// assert_eq!(graphloom_text::visible_text("in\u{202e}visible\u{200b}\r\n"), "invisible\n");
/// ```
#[must_use]
pub fn visible_text(text: &str) -> String {
    if text.chars().all(is_visible) {
        return text.to_owned();
    }
    // A lone carriage return separates, too.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.chars().filter(|c| is_visible(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_shown_is_kept() {
        for (text, shown) in [
            ("a\r\nb\tc\rd", "a\nb\tc\nd"),
            ("zero\u{200b}width \u{202e}redro\u{202c} \u{2067}x\u{2069}\u{0}", "zerowidth redro x"),
            ("tagged\u{e0041}\u{e0042}\u{e0100}", "tagged"),
            ("private\u{e000}\u{f8f0}c0\u{f8f1}\u{100000}", "privatec0"),
            ("数据库 é 👍🏽 \u{1f468}\u{fe0f}", "数据库 é 👍🏽 \u{1f468}\u{fe0f}"),
        ] {
            assert_eq!(visible_text(text), shown, "{text:?}");
        }
    }
}
