//! Whether a source states the words that a claim quotes from it, or disclaims them.
//!
//! A sentence can hold the words of a claim and not state them: "It is a myth that X", "If Y, X", "Critics said that X",
//! "The study failed to show that X". So a quotation counts only as the whole of a sentence that is neither a heading nor
//! a question, that nobody is quoted with, and that the sentences around it do not introduce as wrong or take back. All
//! else is for a judge to read.

use graphloom_text::Language;
use graphloom_text::sentence::{BlockKind, blocks};

use crate::locate::Span;
use crate::mark::without_marks;
use crate::segment::sentences_in;

/// What a sentence may begin with and still state what follows.
const CONNECTIVES: &[&str] = &[
    "however",
    "moreover",
    "furthermore",
    "also",
    "additionally",
    "in addition",
    "therefore",
    "thus",
    "hence",
    "consequently",
    "as a result",
    "accordingly",
    "indeed",
    "finally",
    "first",
    "second",
    "third",
    "secondly",
    "next",
    "then",
    "and",
    "but",
    "so",
    "yet",
    "note that",
    "for example",
    "for instance",
    "in other words",
    "außerdem",
    "zudem",
    "jedoch",
    "aber",
    "und",
    "daher",
    "deshalb",
    "auch",
    "schließlich",
    "zum beispiel",
    "此外",
    "另外",
    "因此",
    "所以",
    "但是",
    "但",
    "然而",
    "而且",
    "并且",
    "同时",
    "また",
    "さらに",
    "しかし",
    "したがって",
    "そのため",
];
/// Words of a heading, a title or an introduction under which sentences are not the writer's own.
const UNTRUE: &[&str] = &[
    "myth",
    "misconception",
    "hoax",
    "rumour",
    "rumor",
    "debunk",
    "satire",
    "fiction",
    "retract",
    "false",
    "wrong",
    "untrue",
    "incorrect",
    "mistake",
    "fallac",
    "alleg",
    "claim",
    "critic",
    "believe",
    "suppose",
    "imagine",
    "assum",
    "hypothes",
    "conspiracy",
    "irrtum",
    "irrtümer",
    "mythos",
    "mythen",
    "falsch",
    "behaupt",
    "angeblich",
    "谣言",
    "误解",
    "错误",
    "誤解",
    "デマ",
];
/// Words that take back what was said before them.
const TAKEN_BACK: &[&str] = &[
    "myth",
    "false",
    "wrong",
    "untrue",
    "incorrect",
    "not true",
    "not so",
    "not correct",
    "not the case",
    "not right",
    "disproved",
    "disproven",
    "refuted",
    "debunked",
    "retracted",
    "withdrawn",
    "misconception",
    "nonsense",
    "mistaken",
    "isn't true",
    "isn't so",
    "never happened",
    "a lie",
    "unfounded",
    "no longer",
    "stimmt nicht",
    "falsch",
    "widerlegt",
    "不是真的",
    "并非如此",
    "是错误",
    "誤り",
];

/// What keeps the words at `span` of `text` from being a statement of the source, in a few words; none when nothing does.
pub(crate) fn disclaimer(text: &str, title: &str, span: Span, language: Language) -> Option<String> {
    let blocks = blocks(text);
    let at = blocks.iter().position(|block| block.range.end > span.start)?;
    if matches!(blocks[at].kind, BlockKind::Heading | BlockKind::Code) {
        return Some("a heading or code".to_owned());
    }
    let sentences = sentences_in(text, language);
    let first = sentences.iter().position(|range| range.end > span.start)?;
    let last = sentences.iter().rposition(|range| range.start < span.end)?;
    let before = without_marks(text.get(sentences[first].start..span.start)?);
    let behind = without_marks(text.get(span.end..sentences[last].end)?);
    if let Some(words) = around(&before, &behind) {
        return Some(words);
    }
    let inside = text.get(blocks[at].range.start..span.start)?;
    if inside.matches(['"', '“', '”', '„']).count() % 2 == 1 {
        return Some("a quotation of someone".to_owned());
    }
    let heading = blocks[..at].iter().rev().find(|block| block.kind == BlockKind::Heading);
    let heading = heading.map(|block| &text[block.range.clone()]);
    let introduced = first.checked_sub(1).map(|before| &text[sentences[before].clone()]);
    let introduced = introduced.filter(|sentence| sentence.trim_end().ends_with([':', '：']));
    if let Some(line) = [Some(title), heading, introduced].into_iter().flatten().find(|line| calls_untrue(line)) {
        return Some(shortened(line));
    }
    if let Some(next) = sentences.get(last + 1).map(|range| &text[range.clone()]).filter(|next| retracts(next)) {
        return Some(shortened(next));
    }
    let lower = text.to_lowercase();
    (lower.contains("been retracted") || lower.contains("was retracted") || lower.contains("retraction notice"))
        .then(|| "a source that was retracted".to_owned())
}

/// The words of a sentence before and behind a quotation, unless they leave it what it is.
fn around(before: &str, behind: &str) -> Option<String> {
    let quoted = |text: &str| text.contains(['"', '“', '”', '„', '«', '»', '「', '」']);
    let mut rest = behind.trim();
    // `[3]`, `(12)`: the source's own citations.
    while let Some(open) = rest.find(['[', '(']) {
        let number = rest[open + 1..].split([']', ')']).next().unwrap_or_default();
        let own =
            !number.is_empty() && number.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | ' ' | '-' | '–'));
        let plain = rest[..open].chars().all(|c| !c.is_alphanumeric());
        if !own || !plain {
            break;
        }
        rest = rest.get(open + number.len() + 2..).unwrap_or_default();
    }
    if rest.contains(['?', '？']) || rest.chars().any(char::is_alphanumeric) {
        return Some(shortened(&format!("{before} … {behind}")));
    }
    let lead = before
        .trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '*' | '+' | '•' | '–' | '>' | '|' | '_' | '`'));
    if quoted(lead) && quoted(rest) {
        return Some("a quotation of someone".to_owned());
    }
    let lead = lead.trim_end_matches([',', '"', '“', '，', '、']).trim();
    let item = lead
        .strip_suffix(['.', ')'])
        .is_some_and(|digits| !digits.is_empty() && digits.len() <= 3 && digits.chars().all(|c| c.is_ascii_digit()));
    let plain = lead.is_empty() || item || CONNECTIVES.contains(&lead.to_lowercase().as_str());
    (!plain).then(|| shortened(&format!("{lead} …")))
}

fn calls_untrue(line: &str) -> bool {
    let line = line.to_lowercase();
    UNTRUE.iter().any(|word| {
        line.match_indices(word)
            .any(|(at, _)| word.starts_with(|c: char| !c.is_ascii()) || !line[..at].ends_with(char::is_alphanumeric))
    })
}

/// Whether a sentence says of the one before it that it is not so: "This was later disproved.", "It is not.", "No."
fn retracts(next: &str) -> bool {
    let line = next.to_lowercase().replace('’', "'");
    let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> =
        line.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty()).collect();
    let Some(first) = words.first() else { return false };
    let denies =
        words.iter().any(|word| matches!(*word, "not" | "never" | "no" | "nicht" | "nie") || word.ends_with("n't"));
    let refers =
        matches!(*first, "this" | "that" | "it" | "these" | "they" | "which" | "such" | "dies" | "das" | "这" | "それ");
    let taken = TAKEN_BACK.iter().any(|word| line.contains(word));
    let short = words.len() <= 5;
    let label =
        ["reality", "fact", "truth", "in reality", "in truth", "actually", "wirklichkeit", "tatsächlich", "事实"];
    matches!(*first, "no" | "nope" | "wrong" | "false" | "nein" | "falsch")
        || short && (taken || refers && denies || words[0] == "not")
        || refers && taken
        || label.iter().any(|word| line.starts_with(word)) && (denies || taken || line.contains(':'))
}

fn shortened(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut short = words.iter().take(12).copied().collect::<Vec<_>>().join(" ");
    if words.len() > 12 {
        short.push_str(" …");
    }
    short
}
