//! A reply as tokens: a word in scripts with spaces, a single letter in scripts without.

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// Elided French words, which are separate words before their apostrophe.
const ELIDED: &[&str] = &["l", "d", "j", "c", "n", "s", "m", "t", "qu"];
/// Punctuation that separates words and is no token.
const PUNCTUATION: &str = "!\"#%&'()*,-./:;?@[\\]_`{|}~¡¿·«»‘’“”„–—―•…、。〈〉《》「」『』【】・،،;।〜～＂＇";
/// Punctuation that ends a clause.
const CLAUSE: &str = ",;.!?\n、。，；！？—–…";
/// Quotation marks. Quoted words are not the person's own.
const QUOTES: &str = "\"«»“”„「」『』《》‹›";

/// A word, a letter of a script without spaces, or a sign other than punctuation.
#[derive(Clone, Debug)]
pub(super) struct Token {
    /// The token in lower case.
    pub(super) lower: String,
    /// The token in lower case, and the token with long runs of one letter shortened.
    pub(super) forms: Vec<String>,
    /// The first byte of the token in the text.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether a clause ends before the token.
    pub(super) after_break: bool,
}

impl Token {
    fn new(lower: String, start: usize, end: usize, after_break: bool) -> Self {
        let mut forms = vec![lower.clone()];
        forms.extend((1..=2).filter_map(|most| squeezed(&lower, most)));
        forms.dedup();
        Self { lower, forms, start, end, after_break }
    }
}

/// A reply.
#[derive(Clone, Debug)]
pub(super) struct Text {
    /// The reply, in the normal form NFKC.
    pub(super) text: String,
    pub(super) tokens: Vec<Token>,
    /// Whether the reply has a question mark.
    pub(super) asks: bool,
    /// Whether the reply has quotation marks.
    pub(super) quotes: bool,
    /// The end of the last run of two or more full stops, which leave the reply open.
    pub(super) left_open: Option<usize>,
    /// Whether the reply has a digit.
    pub(super) digit: bool,
}

impl Text {
    pub(super) fn new(message: &str) -> Self {
        let text: String = message.nfkc().collect();
        let text = text.trim().replace(['’', 'ʼ'], "'").replace("->", "→").replace("=>", "→");
        let (tokens, lone) = tokens(&text);
        Self {
            asks: text.contains(['?', '？']),
            quotes: lone || text.contains(|c| QUOTES.contains(c)),
            left_open: ["..", "。。"].iter().filter_map(|dots| Some(text.rfind(dots)? + dots.len())).max(),
            digit: text.contains(char::is_numeric),
            text,
            tokens,
        }
    }
}

/// The tokens of a text, and whether an apostrophe stands alone in the text, as a quotation mark does.
fn tokens(text: &str) -> (Vec<Token>, bool) {
    let mut tokens: Vec<Token> = Vec::new();
    let (mut after_break, mut lone) = (false, false);
    for (start, word) in text.split_word_bound_indices() {
        if word.chars().all(|c| c.is_whitespace() || c == '\u{200d}' || ('\u{fe00}'..='\u{fe0f}').contains(&c)) {
            after_break |= word.contains('\n');
            continue;
        }
        if word.chars().all(|c| PUNCTUATION.contains(c)) {
            lone |= word == "'";
            after_break |= word.contains(|c| CLAUSE.contains(c));
            continue;
        }
        // A long-vowel mark changes no meaning, except in `うーん`, which is not `うん`.
        if word.chars().all(|c| c == 'ー') && !text[start + word.len()..].starts_with('ん') {
            continue;
        }
        let lower = word.to_lowercase();
        let elided = lower.split_once('\'').filter(|(head, rest)| ELIDED.contains(head) && !rest.is_empty());
        // Some letters change their length in bytes with their case. The word is split only when its length is
        // unchanged, because the places of the halves are computed from the word in lower case.
        match elided.filter(|_| lower.len() == word.len()) {
            Some((head, rest)) => {
                let middle = start + head.len() + 1;
                tokens.push(Token::new(head.to_owned(), start, middle, after_break));
                let end = start + word.len();
                tokens.push(Token::new(rest.to_owned(), middle, end, false));
            }
            None => tokens.push(Token::new(plain(&lower), start, start + word.len(), after_break)),
        }
        after_break = false;
    }
    (tokens, lone)
}

/// A word without long-vowel marks at its end, skin-tone modifiers and variation selectors.
fn plain(lower: &str) -> String {
    let marks = |c: char| ('\u{1f3fb}'..='\u{1f3ff}').contains(&c) || ('\u{fe00}'..='\u{fe0f}').contains(&c);
    let bare: String = lower.chars().filter(|c| !marks(*c)).collect();
    let short = bare.trim_end_matches(['ー', '〜', '~']);
    if short.is_empty() { bare } else { short.to_owned() }
}

/// A word with runs of one letter cut to `most` letters: `yes` for `yesss`. `None` when no run has three letters or
/// more.
fn squeezed(word: &str, most: usize) -> Option<String> {
    let mut out = String::new();
    let (mut last, mut run, mut cut) = (None, 0, false);
    let runs = runs(word);
    for c in word.chars() {
        run = if last == Some(c) { run + 1 } else { 1 };
        last = Some(c);
        if run <= most || runs < 3 { out.push(c) } else { cut = true }
    }
    cut.then_some(out)
}

/// The length of the longest run of one letter.
fn runs(word: &str) -> usize {
    let (mut last, mut run, mut longest) = (None, 0, 0);
    for c in word.chars() {
        run = if last == Some(c) { run + 1 } else { 1 };
        last = Some(c);
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        Text::new(text).tokens.into_iter().map(|token| token.lower).collect()
    }

    #[test]
    fn words_letters_and_signs() {
        assert_eq!(words("Ok, don't!"), ["ok", "don't"]);
        assert_eq!(words("c'est d’accord"), ["c", "est", "d", "accord"]);
        assert_eq!(words("２番はOKです👍🏽"), ["2", "番", "は", "ok", "で", "す", "👍"]);
        assert_eq!(words("#3 -> naps"), ["3", "→", "naps"]);
        assert_eq!(words("おっけー"), ["お", "っ", "け"]);
        assert_eq!(squeezed("yesss", 1).as_deref(), Some("yes"));
        assert_eq!(squeezed("good", 1), None);
        let open = |text: &str| Text::new(text).quotes || Text::new(text).left_open.is_some();
        assert!(open("'approved'") && open("ok..") && !open("it's ok."));
    }
}
