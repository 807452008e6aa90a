//! Short replies in English.

use super::Reading;

const APPROVE: &[&str] = &[
    "looks good",
    "sounds good",
    "go ahead",
    "thumbs up",
    "approve",
    "approved",
    "proceed",
    "continue",
    "yes",
    "yep",
    "yeah",
    "ok",
    "okay",
    "good",
    "great",
    "fine",
    "perfect",
    "lgtm",
    "accept",
    "accepted",
    "agreed",
    "👍",
];
const REJECT: &[&str] = &[
    "thumbs down",
    "try again",
    "start over",
    "reject",
    "rejected",
    "retry",
    "redo",
    "no",
    "nope",
    "bad",
    "worse",
    "wrong",
    "change",
    "disapprove",
    "disapproved",
    "dislike",
    "regenerate",
    "not what",
    "👎",
];
const NEGATORS: &[&str] = &["not", "no", "never", "cannot", "hardly", "nothing", "without"];
/// Words that take the certainty out of an approval.
const HEDGES: &[&str] = &[
    "sure", "unsure", "maybe", "perhaps", "but", "if", "unless", "except", "however", "almost", "until", "wait",
    "before", "might", "could", "should", "enough", "once", "after",
];
const ASKING: &[&str] = &["what", "why", "how", "which", "who", "when", "where", "whose"];
const SEARCH: &[&str] = &[
    "new queries",
    "other queries",
    "different queries",
    "redo search",
    "redo the search",
    "search again",
    "new search",
];
const CANCEL: &[&str] = &["cancel", "stop", "quit", "abort", "never mind", "nevermind", "forget it"];
const POLITE: &[&str] = &["please", "just", "it", "this", "everything", "now", "all", "the", "let's"];
/// A negation reaches this many words to its right.
const REACH: usize = 3;

struct Word {
    text: String,
    /// The clause that it stands in.
    clause: usize,
}

fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut clause = 0;
    let mut current = String::new();
    let mut end = |current: &mut String, clause: usize| {
        if !current.is_empty() {
            let text = std::mem::take(current).trim_matches('\'').to_owned();
            words.push(Word { text, clause });
        }
    };
    for c in text.to_lowercase().replace('’', "'").chars() {
        if c.is_alphanumeric() || c == '\'' {
            current.push(c);
        } else {
            end(&mut current, clause);
            if matches!(c, '👍' | '👎') {
                current.push(c);
                end(&mut current, clause);
            } else if matches!(c, ',' | '.' | ';' | ':' | '!' | '?' | '\n') {
                clause += 1;
            }
        }
    }
    end(&mut current, clause);
    words
}

fn negates(word: &str) -> bool {
    NEGATORS.contains(&word) || word.ends_with("n't") || word == "dont" || word == "cant"
}

/// Reads a short reply.
pub(super) fn read(text: &str) -> (Reading, Vec<String>) {
    let words = words(text);
    let plain: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let joined = plain.join(" ");
    if let Some(cancel) = cancels(&plain) {
        return (Reading::Cancel, vec![format!("`{cancel}`")]);
    }
    if text.trim_end().ends_with('?') || plain.first().is_some_and(|first| ASKING.contains(first)) {
        return (Reading::Question, vec!["it asks".to_owned()]);
    }
    if let Some(search) = SEARCH.iter().find(|phrase| holds(&joined, phrase)) {
        if plain.iter().any(|word| negates(word)) {
            return (Reading::Unclear, vec![format!("a negated `{search}`")]);
        }
        return (Reading::Reject { feedback: text.to_owned(), search: true }, vec![format!("`{search}`")]);
    }
    let found = polarities(&words);
    let evidence: Vec<String> = found.iter().map(|found| found.evidence.clone()).collect();
    let has = |polarity| found.iter().any(|found| found.polarity == polarity);
    if has(Polarity::Unclear) || (has(Polarity::Approve) && has(Polarity::Reject)) || found.is_empty() {
        return (Reading::Unclear, evidence);
    }
    if has(Polarity::Reject) {
        return (Reading::Reject { feedback: reason(text), search: false }, evidence);
    }
    let doubt = plain.iter().find(|word| negates(word) || HEDGES.contains(word));
    match doubt {
        Some(word) => (Reading::Unclear, [evidence, vec![format!("`{word}` leaves a doubt")]].concat()),
        None => (Reading::Approve, evidence),
    }
}

/// The word that ends a journey, where a reply says nothing else.
fn cancels<'w>(words: &[&'w str]) -> Option<&'w str> {
    let rest: Vec<&str> = words.iter().copied().filter(|word| !POLITE.contains(word)).collect();
    CANCEL.contains(&rest.join(" ").as_str()).then(|| rest.first().copied()).flatten()
}

fn holds(joined: &str, phrase: &str) -> bool {
    format!(" {joined} ").contains(&format!(" {phrase} "))
}

#[derive(Clone, Copy, PartialEq)]
enum Polarity {
    Approve,
    Reject,
    Unclear,
}

struct Found {
    polarity: Polarity,
    evidence: String,
}

/// The polar phrases of a text, each as a negation before it leaves it.
fn polarities(words: &[Word]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut negation: Option<usize> = None;
    while at < words.len() {
        let starts = |phrases: &'static [&'static str]| {
            let longest = phrases.iter().filter(|phrase| {
                let parts = phrase.split(' ');
                let there = words[at..].iter().map(|word| word.text.as_str());
                let count = parts.clone().count();
                at + count <= words.len()
                    && words[at].clause == words[at + count - 1].clause
                    && parts.eq(there.take(count))
            });
            longest.max_by_key(|phrase| phrase.len()).copied()
        };
        let word = &words[at];
        let negated = negation
            .filter(|from| at - from <= REACH && words[*from].clause == word.clause)
            .map(|from| words[from].text.clone());
        let (phrase, polarity) = match (starts(APPROVE), starts(REJECT)) {
            (Some(phrase), _) => (phrase, Polarity::Approve),
            (None, Some(phrase)) => (phrase, Polarity::Reject),
            (None, None) => {
                if negates(&word.text) {
                    negation = Some(at);
                }
                at += 1;
                continue;
            }
        };
        // `no` before something polar negates it; alone it is a rejection.
        if phrase == "no" && polar_follows(words, at) {
            negation = Some(at);
            at += 1;
            continue;
        }
        found.push(match negated {
            None => Found { polarity, evidence: format!("`{phrase}`") },
            Some(by) => {
                let turned = if polarity == Polarity::Approve { Polarity::Reject } else { Polarity::Unclear };
                Found { polarity: turned, evidence: format!("`{phrase}` negated by `{by}`") }
            }
        });
        at += phrase.split(' ').count();
    }
    found
}

fn polar_follows(words: &[Word], at: usize) -> bool {
    let near = words[at + 1..].iter().take(REACH).take_while(|word| word.clause == words[at].clause);
    near.into_iter().any(|word| APPROVE.contains(&word.text.as_str()) || REJECT.contains(&word.text.as_str()))
}

/// The reason of a rejection: the text without a first word that only rejects.
fn reason(text: &str) -> String {
    let first = text.find([',', ':', '.', '-', '!']).map(|at| text.split_at(at));
    if let Some((head, rest)) = first {
        let only = ["no", "nope", "reject", "rejected", "redo", "retry"].contains(&head.trim().to_lowercase().as_str());
        let rest = rest.get(1..).unwrap_or_default().trim();
        if only && !rest.is_empty() {
            return rest.to_owned();
        }
    }
    text.to_owned()
}
