//! The outcome of a reply of the golden list, compared with what its label and its meaning say.

use graphloom_pocketflow::feedback::{Candidate, Edit, Reading, ReviewedItems, by_signs, read_answer, read_shown};

/// How a reply in a context is read without a model.
pub(crate) fn read(context: &str, text: &str) -> Reading {
    let shown = shown(context);
    match context {
        "nothing" => read_answer(text, Some(&shown)).reading,
        "failed" => read_answer(text, None).reading,
        _ => by_signs(read_shown(text, &shown), text, &shown).reading,
    }
}

/// What became of a clear reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fate {
    /// It was read as it was meant, or shown back so.
    Right,
    /// It was shown back, or taken, as something else.
    Otherwise,
    /// It was not read: the person is asked again.
    Unread,
}

/// What became of a reply of a label by its outcome; none for labels that are not clear.
pub(crate) fn fate(label: &str, outcome: &str) -> Option<Fate> {
    let right: &[&str] = match label {
        "approve" => &["approve", "asked back"],
        "reject" => &["again", "again asked back"],
        "edit" => &["edit"],
        "cancel" => &["cancel", "cancel asked back"],
        "queries" => &["queries"],
        "retry" => &["retry"],
        _ => return None,
    };
    Some(match outcome {
        outcome if right.contains(&outcome) => Fate::Right,
        "unclear" => Fate::Unread,
        _ => Fate::Otherwise,
    })
}

/// Whether an outcome changes something, or makes something again, before the person has said yes to it.
pub(crate) fn acts(reading: &Reading) -> bool {
    !matches!(reading, Reading::Candidate(_) | Reading::Question | Reading::Unclear | Reading::Queries(_))
}

/// What the list's replies reply to. Its queries are nowhere written, so these stand for them.
pub(crate) fn shown(context: &str) -> ReviewedItems {
    match context {
        "proposal" => ReviewedItems::proposal(["Topic", "Background", "Gap", "Objectives", "Method", "Risks"]),
        _ => ReviewedItems::queries([
            "retrieval practice",
            "forgetting curve",
            "sleep and memory",
            "memory in older adults",
        ]),
    }
}

/// `approve`, `again`, `edit` (one that is what was asked for), `other edit`, `cancel`, `question`, `queries`, `retry` or
/// `unclear`; what is only shown back has `asked back` in it, but for edits that are asked for.
pub(crate) fn outcome(reading: &Reading, label: &str, meaning: &str) -> &'static str {
    match reading {
        Reading::Approve => "approve",
        Reading::Reject { .. } => "again",
        Reading::Queries(queries) => {
            if alike(&queries.join(" "), meaning) {
                "queries"
            } else {
                "other queries"
            }
        }
        Reading::Retry => "retry",
        Reading::NewTopic { .. } => "new topic",
        Reading::Edit(edits) | Reading::Candidate(Candidate::Edit(edits)) if label == "edit" => {
            if fits(edits, meaning) { "edit" } else { "other edit" }
        }
        Reading::Edit(_) => "edit",
        Reading::Candidate(Candidate::Edit(_)) => "edit asked back",
        Reading::Candidate(Candidate::Cancel) => "cancel asked back",
        Reading::Candidate(Candidate::Reject(_)) => "again asked back",
        Reading::Candidate(_) => "asked back",
        Reading::Question => "question",
        Reading::Cancel => "cancel",
        _ => "unclear",
    }
}

/// One part of a meaning: what is done, to which places or part, and the words.
#[derive(Debug, PartialEq)]
struct Part {
    what: String,
    places: Vec<usize>,
    words: String,
}

const SECTIONS: [&str; 7] = ["topic", "background", "gap", "objectives", "method", "risks", "references"];

fn parts(meaning: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    for one in meaning.split(';').map(str::trim) {
        let (head, words) = one.split_once("->").map_or((one, ""), |(head, words)| (head.trim(), words.trim()));
        let (verb, rest) = head.split_once(' ').unwrap_or((head, ""));
        let part =
            |what: &str, places: Vec<usize>, words: &str| Part { what: what.into(), places, words: words.into() };
        let numbers: Vec<usize> = rest.split([',', ' ']).filter_map(|number| number.trim().parse().ok()).collect();
        let section = |name: &str| SECTIONS.iter().position(|section| *section == name).map(|at| at + 1);
        match verb {
            "section" => {
                let mut words_of = rest.splitn(2, ' ');
                let at = words_of.next().and_then(section);
                parts.push(part("rework", at.into_iter().collect(), words));
            }
            "remove" if rest.starts_with("section ") => {
                let at = section(rest.trim_start_matches("section "));
                parts.push(part("remove", at.into_iter().collect(), rest));
            }
            "add" if rest.starts_with("section ") => parts.push(part("rework", vec![], "")),
            "remove" if !numbers.is_empty() => {
                parts.extend(numbers.into_iter().map(|number| part("remove", vec![number], "")));
            }
            "remove" => parts.push(part("rework", vec![], rest)),
            "keep" => {
                parts.extend((1..=4).filter(|at| !numbers.contains(at)).map(|at| part("remove", vec![at], "")));
            }
            "change" => parts.push(part("change", numbers, words)),
            "add" => parts.push(part("add", vec![], rest)),
            "move" if rest.ends_with("first") => parts.push(part("move", vec![numbers[0], 1], "")),
            "move" if rest.ends_with("last") => parts.push(part("move", vec![numbers[0], 4], "")),
            "move" => parts.push(part("move", numbers, "")),
            "swap" | "merge" => parts.push(part(verb, numbers, "")),
            _ => parts.push(part("rework", vec![], "")),
        }
    }
    parts
}

/// Whether edits are those of a meaning, in whatever order. What is to be written anew is compared by its place, since its
/// words are the person's own, shown back as they are; new words must be half the same.
fn fits(edits: &[Edit], meaning: &str) -> bool {
    let expected = parts(meaning);
    let mut left: Vec<&Edit> = edits.iter().collect();
    for part in &expected {
        let found = left.iter().position(|edit| match edit {
            Edit::Remove(at) => part.what == "remove" && part.places == [*at],
            Edit::Add(text) => part.what == "add" && alike(text, &part.words),
            Edit::Replace(at, text) => part.what == "change" && part.places == [*at] && alike(text, &part.words),
            Edit::Swap(one, other) => {
                part.what == "swap" && (part.places == [*one, *other] || part.places == [*other, *one])
            }
            Edit::Merge(one, other) => {
                part.what == "merge" && (part.places == [*one, *other] || part.places == [*other, *one])
            }
            Edit::Move(from, to) => part.what == "move" && part.places == [*from, *to],
            Edit::Rework { at, how } => {
                let place: Vec<usize> = at.iter().copied().collect();
                let written = part.what == "rework" || part.what == "change" && alike(how, &part.words);
                written && place == part.places
            }
            _ => false,
        });
        match found {
            Some(at) => left.remove(at),
            None => return false,
        };
    }
    left.is_empty()
}

/// Whether two thirds of the letter pairs of the expected words are there, and no more others than these.
fn alike(text: &str, expected: &str) -> bool {
    let pairs = |text: &str| -> Vec<(char, char)> {
        let letters: Vec<char> = text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
        letters.windows(2).map(|pair| (pair[0], pair[1])).collect()
    };
    let (text, expected) = (pairs(text), pairs(expected));
    let there = expected.iter().filter(|pair| text.contains(pair)).count();
    let others = text.iter().filter(|pair| !expected.contains(pair)).count();
    !expected.is_empty() && there * 3 >= expected.len() * 2 && others <= expected.len()
}
