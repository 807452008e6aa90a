//! How much of an answer is taken.

/// The most pages of one answer of one engine.
pub const MOST_RESULTS: usize = 10;

/// The most bytes of the address of a page or of an engine.
pub const LONGEST_ADDRESS: usize = 8192;

/// The most characters of the text of one result or page.
pub const LONGEST_TEXT: usize = 1_000_000;

/// `text` within the bound, without characters that are not shown, which can hide orders to a model.
pub(super) fn visible(text: &str) -> String {
    let shown = |c: &char| match c {
        '\n' | '\t' => true,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => false,
        '\u{e0000}'..='\u{e007f}' => false,
        c => !c.is_control(),
    };
    let text = text.replace("\r\n", "\n");
    let shown: String = text.trim().chars().filter(shown).take(LONGEST_TEXT).collect();
    shown.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_shown_is_kept() {
        for (text, kept) in [
            ("a\r\nb\tc", "a\nb\tc"),
            (" zero\u{200b}width \u{202e}order\u{0}", "zerowidth order"),
            ("tagged\u{e0041}\u{e0042}", "tagged"),
            ("数据库", "数据库"),
        ] {
            assert_eq!(visible(text), kept, "{text:?}");
        }
        assert_eq!(visible(&"ü".repeat(LONGEST_TEXT + 5)).chars().count(), LONGEST_TEXT);
    }
}
