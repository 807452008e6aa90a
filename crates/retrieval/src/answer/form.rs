//! Whether a sentence can stand in another text.

use crate::extract::count_words;

/// Sentences of fewer or more words are not quoted.
const WORDS: std::ops::RangeInclusive<usize> = 6..=50;

/// Words at the beginning of a sentence that need the one before it.
const LEANING: &[&str] = &[
    "accordingly",
    "actually",
    "additionally",
    "again",
    "also",
    "alternatively",
    "and",
    "another",
    "as",
    "because",
    "besides",
    "both",
    "but",
    "consequently",
    "conversely",
    "each",
    "else",
    "finally",
    "first",
    "for",
    "furthermore",
    "hence",
    "here",
    "however",
    "i",
    "indeed",
    "instead",
    "it",
    "its",
    "likewise",
    "meanwhile",
    "moreover",
    "neither",
    "nevertheless",
    "next",
    "nonetheless",
    "nor",
    "note",
    "notice",
    "now",
    "or",
    "otherwise",
    "our",
    "rather",
    "recall",
    "second",
    "similarly",
    "since",
    "so",
    "still",
    "such",
    "that",
    "their",
    "then",
    "there",
    "thereafter",
    "therefore",
    "these",
    "they",
    "third",
    "this",
    "those",
    "though",
    "thus",
    "usually",
    "we",
    "whereas",
    "yet",
    "you",
    "your",
];

/// Words at the beginning of an entry of a reference, whose subject is its heading.
const ENTRIES: &[&str] = &[
    "adds",
    "allows",
    "causes",
    "checks",
    "compares",
    "computes",
    "controls",
    "converts",
    "creates",
    "determines",
    "disables",
    "drops",
    "emit",
    "emits",
    "enables",
    "false",
    "gives",
    "identifies",
    "indicates",
    "instructs",
    "null",
    "print",
    "prints",
    "removes",
    "reports",
    "request",
    "requests",
    "return",
    "returns",
    "sends",
    "sets",
    "shows",
    "specifies",
    "specify",
    "tells",
    "tests",
    "true",
    "updates",
    "use",
];

/// Turns of phrase at the beginning of a sentence that need the one before it.
const LEANING_PHRASES: &[&str] = &[
    "in other words",
    "either way",
    "in addition",
    "as with",
    "as a result",
    "on the other hand",
    "in contrast",
    "by contrast",
    "in particular",
    "at this",
    "at that",
    "of these",
    "one exception",
    "any such",
    "the other",
    "the same",
    "same ",
    "with that",
    "after that",
    "before that",
    "to do so",
    "if so",
    "if not",
    "when so",
    "in such",
    "in most cases",
    "the reason",
    "the only",
    "in that",
    "in this",
    "in these",
    "in those",
    "in every case",
    "in either",
    "in both",
    "in all cases",
    "in other cases",
    "in some cases",
    "in the first",
    "in the second",
    "in the third",
    "the first",
    "the second",
    "the third",
    "the last",
    "the preceding",
    "the disadvantage",
    "the advantage",
    "the problem",
    "the idea",
    "the point",
];

/// Words that refer to something named before, wherever they stand.
const REFERRING: &[&str] = &["this", "these", "those", "me", "my", "i"];

/// The same, of more words.
const REFERRING_PHRASES: &[&str] = &[
    " of that ",
    " do that",
    " like that",
    " to that ",
    " with that",
    " for that ",
    " in that case",
    " such a ",
    ", however.",
    ", though.",
    ", too.",
    " as well.",
];

/// Turns of phrase that point at something that is not quoted.
const POINTING: &[&str] = &[
    " above",
    " below",
    "following",
    "figure ",
    " fig. ",
    "table 1",
    "table 2",
    "section",
    "chapter",
    "this page",
    "this document",
    "this example",
    "these examples",
    "the example",
    "as shown",
    "listed ",
    "previous ",
    "preceding ",
    "penultimate",
    "shown in",
    "given in",
    "in example ",
    "see ",
    "described in",
    "discussed in",
    "explained in",
    "documented in",
    "next paragraph",
    "appendix",
    "here is",
    "here are",
    "as follows",
    "the former",
    "the latter",
    "click",
    "hyperlink",
    "in this case",
    "this means",
    "mentioned",
    "the diagram",
    "the picture",
    "the drawing",
    "the query above",
    "let us",
    "let's",
    "suppose",
    "refer to",
    "at right",
    "for example,",
    "for instance",
];

/// Whether a sentence, on one line, can be quoted: prose of a fitting length that begins and ends like a sentence and points
/// at nothing that is not there.
pub(super) fn has_form(sentence: &str) -> bool {
    let sentence = sentence.trim();
    let lower = sentence.to_lowercase();
    let begins = sentence.chars().next().is_some_and(|c| c.is_uppercase() || (c.is_alphabetic() && !c.is_lowercase()));
    let mut words = sentence.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    // `fsync()` and `journal_mode` may begin a sentence.
    let is_name = first.starts_with(char::is_alphabetic)
        && (first.contains(['_', '(']) || first.chars().skip(1).any(char::is_uppercase));
    let ends = sentence.ends_with(['.', '!', '。', '！']) && !sentence.ends_with("...");
    let letters = sentence.chars().filter(|c| c.is_alphabetic()).count();
    let all = sentence.chars().filter(|c| !c.is_whitespace()).count();
    let signs = sentence.matches(['{', '}', '|', '<', '>', '=', '$', '\\', '#', ';']).count();
    WORDS.contains(&count_words(sentence))
        && (begins || is_name)
        && ends
        && signs * 40 <= all
        && letters * 10 >= all * 8
        && !sentence.contains("://")
        && !sentence.contains(['→', '⇒', '•', '…'])
        && !sentence.contains(" ( ")
        && !has_no_subject(first, second)
        && !runs_on(sentence)
        && !is_open(sentence)
        && !POINTING.iter().any(|pointing| lower.contains(pointing))
}

/// Whether a sentence needs the one before it to be understood.
pub(super) fn needs_previous(sentence: &str) -> bool {
    let first = sentence.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default();
    let lower = sentence.to_lowercase();
    LEANING.contains(&first.to_lowercase().as_str())
        || LEANING_PHRASES.iter().any(|phrase| lower.starts_with(phrase))
        || REFERRING_PHRASES.iter().any(|phrase| lower.contains(phrase))
        || lower.split(|c: char| !c.is_alphanumeric()).any(|word| REFERRING.contains(&word))
}

/// Whether a sentence begins with its verb, as the entries of a reference do: "Returns the number of rows."
fn has_no_subject(first: &str, second: &str) -> bool {
    const OBJECTS: &[&str] =
        &["a", "all", "an", "any", "how", "if", "its", "many", "that", "the", "what", "when", "whether", "which"];
    let is_verb = first.ends_with('s') && !first.ends_with("ss") && !first.ends_with("us") && first.is_ascii();
    (is_verb && OBJECTS.contains(&second.to_lowercase().as_str())) || ENTRIES.contains(&first.to_lowercase().as_str())
}

/// Whether a full stop inside is followed by a small letter: two pieces of text that are no sentence together.
fn runs_on(sentence: &str) -> bool {
    sentence.match_indices(". ").any(|(at, _)| {
        let before = sentence[..at].rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
        let short = before.contains('.') || matches!(before, "vs" | "etc" | "cf" | "approx");
        !short && sentence[at + 2..].starts_with(char::is_lowercase)
    })
}

/// Whether a bracket or a quotation is opened and not closed.
fn is_open(sentence: &str) -> bool {
    let count = |c: char| sentence.matches(c).count();
    count('(') != count(')') || count('[') != count(']') || !count('"').is_multiple_of(2) || count('“') != count('”')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_quoted_reads_alone() {
        for (sentence, fits) in [
            ("A checkpoint writes all dirty pages to the database file.", true),
            ("fsync() returns when the disk has the pages of the file.", true),
            ("ログは書き込みの前にディスクへ書かれる。", true),
            ("Too short to say.", false),
            ("the middle of a sentence that began on another line.", false),
            ("The heading of a section without its full stop", false),
            ("Returns the number of rows that the query has changed.", false),
            ("Specifies how many workers may run at the same time.", false),
            ("The settings are listed in the table below with their defaults.", false),
            ("A call of open() { return 1; } = 2 | 3 is what the code says.", false),
            ("The size is in pages. block_size bigint Number of bytes of it.", false),
            ("2. Open the file that was written by the program before.", false),
        ] {
            assert_eq!(has_form(sentence), fits, "{sentence}");
        }
    }

    #[test]
    fn what_leans_needs_the_sentence_before_it() {
        for (sentence, leans_on) in [
            ("It is written to the log before anything else.", true),
            ("However, the log is written first.", true),
            ("The disadvantage of this is a longer recovery.", true),
            ("In other words, the log is written first.", true),
            ("The log is written before anything else.", false),
        ] {
            assert_eq!(needs_previous(sentence), leans_on, "{sentence}");
        }
    }
}
