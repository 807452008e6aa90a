//! Words that turn a statement round.

use std::collections::BTreeSet;

use graphloom_text::Language;

use crate::segment::sentences_in;
use crate::stem::{is_stop, stem};
use crate::token::{Kind, Token, tokens};

use super::opposite::opposite;

const NEGATIONS: &[&str] = &[
    "not", "no", "never", "none", "nor", "neither", "cannot", "without", "nicht", "kein", "keine", "keinen", "keinem",
    "keiner", "nie", "niemals", "ohne", "weder", "hardly",
];
/// Ideographs that deny what stands behind them.
const DENYING: &str = "不没沒无無未非";
/// How many words of content a negation reaches.
const REACH: usize = 3;

/// The words that a claim and the clause of `passage` next to it both have, but one of them only denied; or one word whose
/// opposite stands in that sentence.
///
/// The first is the word of the claim, the second what the passage has. A negation belongs to its clause: one in another
/// clause of the passage denies nothing here.
pub(super) fn differences(claim: &str, passage: &str, language: Language) -> Option<(String, String)> {
    let mine = Polarity::of(&tokens(claim), language);
    let sentences = sentences_in(passage, language);
    let near = |polarity: &Polarity| mine.all.intersection(&polarity.all).count();
    let sentence = sentences.iter().map(|range| tokens(&passage[range.clone()]));
    let sentence = sentence.max_by_key(|tokens| near(&Polarity::of(tokens, language)))?;
    let clause = clauses(&sentence).into_iter().map(|clause| Polarity::of(clause, language)).max_by_key(near);
    let denied = clause.and_then(|theirs| denied(&mine, &theirs));
    denied.or_else(|| {
        let theirs = Polarity::of(&sentence, language);
        // Where only one side is denied, opposites say the same.
        let alike = mine.denied.is_empty() == theirs.denied.is_empty();
        opposite(&mine.raw, &theirs.raw, language).filter(|_| alike)
    })
}

fn clauses(tokens: &[Token]) -> Vec<&[Token]> {
    let ends = |token: &Token| {
        matches!(
            token.folded.as_str(),
            "." | ";"
                | ":"
                | "("
                | ")"
                | ","
                | "。"
                | "，"
                | "；"
                | "but"
                | "while"
                | "whereas"
                | "although"
                | "which"
                | "aber"
                | "sondern"
        )
    };
    tokens.split(ends).filter(|clause| !clause.is_empty()).collect()
}

fn denied(mine: &Polarity, theirs: &Polarity) -> Option<(String, String)> {
    let shared = mine.all.intersection(&theirs.all).count();
    for word in mine.denied.iter().filter(|word| !mine.stated.contains(*word)) {
        if theirs.stated.contains(word) && !theirs.denied.contains(word) && shared >= 2 {
            return Some((format!("not … {word}"), word.clone()));
        }
    }
    for word in theirs.denied.iter().filter(|word| !theirs.stated.contains(*word)) {
        if mine.stated.contains(word) && !mine.denied.contains(word) && shared >= 2 {
            return Some((word.clone(), format!("not … {word}")));
        }
    }
    None
}

/// What a text states and what it denies, as stems.
struct Polarity {
    stated: BTreeSet<String>,
    denied: BTreeSet<String>,
    all: BTreeSet<String>,
    /// Every word, small ones too.
    raw: BTreeSet<String>,
}

impl Polarity {
    fn of(all: &[Token], language: Language) -> Self {
        let mut made =
            Self { stated: BTreeSet::new(), denied: BTreeSet::new(), all: BTreeSet::new(), raw: BTreeSet::new() };
        let mut reach = 0;
        for (index, token) in all.iter().enumerate() {
            if token.kind == Kind::Sign {
                if matches!(token.folded.as_str(), "." | ";" | "," | ":" | "。" | "、" | "，" | "(" | ")" | "；") {
                    reach = 0;
                }
                continue;
            }
            made.raw.insert(stem(&token.folded, language));
            if denies(token, all.get(index + 1)) {
                reach = REACH + usize::from(token.kind == Kind::Ideograph) * 2;
                continue;
            }
            if matches!(token.folded.as_str(), "but" | "aber" | "sondern" | "only") {
                reach = 0;
            }
            if is_stop(&token.folded, language) || token.kind == Kind::Number {
                continue;
            }
            let word = stem(&token.folded, language);
            made.all.insert(word.clone());
            if reach > 0 {
                reach -= 1;
                made.denied.insert(word);
            } else {
                made.stated.insert(word);
            }
        }
        made
    }
}

fn denies(token: &Token, next: Option<&Token>) -> bool {
    match token.kind {
        Kind::Word => {
            // "not only" and "no matter" deny nothing; "No. 5" counts.
            let idle = next.is_some_and(|next| matches!(next.folded.as_str(), "only" | "matter" | "nur" | "just"));
            (NEGATIONS.contains(&token.folded.as_str()) || token.folded.ends_with("n't")) && !idle
        }
        Kind::Ideograph => {
            DENYING.contains(token.folded.as_str())
                && !next.is_some_and(|next| matches!(next.folded.as_str(), "仅" | "但" | "常" | "过"))
        }
        _ => false,
    }
}
