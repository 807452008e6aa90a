//! How much of an answer is taken.

/// The most pages of one answer of one engine.
pub const MOST_RESULTS: usize = 10;

/// The most characters of the text of one result or page.
pub const LONGEST_TEXT: usize = 1_000_000;

/// `text` within the bound, without characters that are not shown, which can hide orders to a model.
pub(super) fn visible(text: &str) -> String {
    let shown: String = graphloom_text::visible_text(text.trim()).chars().take(LONGEST_TEXT).collect();
    shown.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_shown_is_kept() {
        for (text, shown) in [
            ("a\r\nb\tc", "a\nb\tc"),
            (" zero\u{200b}width \u{202e}order\u{0}", "zerowidth order"),
            ("tagged\u{e0041}\u{e0042}", "tagged"),
            ("数据库", "数据库"),
        ] {
            assert_eq!(visible(text), shown, "{text:?}");
        }
        assert_eq!(visible(&"ü".repeat(LONGEST_TEXT + 5)).chars().count(), LONGEST_TEXT);
    }
}
