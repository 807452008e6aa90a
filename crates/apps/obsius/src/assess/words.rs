//! Words of a request: spaced ones, and Japanese by its characters.

use unicode_segmentation::UnicodeSegmentation;

/// Characters of Japanese text that make about one word. Short requests of the test table fix the constant.
const CHARS_PER_WORD: f64 = 2.5;

/// Whether a character is written without spaces between words: kana and ideographs.
pub fn is_cjk(c: char) -> bool {
    is_kana(c) || is_kanji(c)
}

pub(super) fn is_kana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309f}' | '\u{30a0}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}')
}

pub(super) fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309f}')
}

pub(super) fn is_kanji(c: char) -> bool {
    matches!(c, '\u{3005}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// The spaced words of a text, in lower case, without what is written in kana or ideographs.
pub fn words(text: &str) -> Vec<String> {
    let spaced = text.unicode_words().filter(|word| !word.chars().any(is_cjk));
    spaced.map(str::to_lowercase).collect()
}

/// How many words a text has. Kana and ideographs count by 2.5 characters a word.
pub fn count_words(text: &str) -> usize {
    let unspaced = text.chars().filter(|c| is_cjk(*c)).count();
    words(text).len() + (unspaced as f64 / CHARS_PER_WORD).round() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_in_both_scripts() {
        for (text, count) in [("Don't panic, please", 3), ("", 0), ("索引を作成", 2), ("AI のノート", 3)] {
            assert_eq!(count_words(text), count, "{text}");
        }
    }
}
