//! The function of each phrase in a reply: a verb of change, a place, a part of a proposal, a joining word.

use super::change::ReviewedItems;
use super::tokens::{Text, Token};
use super::words::{LANGUAGES, WordLists};

/// The change that a verb asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EditVerb {
    Remove,
    Keep,
    Change,
    Add,
    Swap,
    Merge,
    Move,
}

/// The function of a word or phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Verb(EditVerb),
    /// Places, and whether they were written in digits.
    Place(Vec<usize>, bool),
    /// A part of the proposal, with its place if the proposal has the part.
    Part(Option<usize>),
    Except,
    Into,
    Instead,
    How,
    All,
    Rest,
    Front,
    End,
    Before,
    And,
    Skip,
    /// A word of no list: part of the person's own text.
    Word,
}

/// A phrase with its function.
#[derive(Clone, Debug)]
pub(super) struct Tagged {
    pub(super) tag: Tag,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) after_break: bool,
}

const LISTS: &[(&str, Tag)] = &[
    ("except", Tag::Except),
    ("swap", Tag::Verb(EditVerb::Swap)),
    ("merge", Tag::Verb(EditVerb::Merge)),
    ("remove", Tag::Verb(EditVerb::Remove)),
    ("add", Tag::Verb(EditVerb::Add)),
    ("move", Tag::Verb(EditVerb::Move)),
    ("change", Tag::Verb(EditVerb::Change)),
    ("keep", Tag::Verb(EditVerb::Keep)),
    ("front", Tag::Front),
    ("end", Tag::End),
    ("rest", Tag::Rest),
    ("all", Tag::All),
    ("instead", Tag::Instead),
    ("before", Tag::Before),
    ("how", Tag::How),
    ("into", Tag::Into),
    ("and", Tag::And),
    ("skip", Tag::Skip),
];

/// The phrases of a reply with their functions. Of several phrases at one place, the longest is taken.
pub(super) fn tag(text: &Text, words: &WordLists, shown: &ReviewedItems) -> Vec<Tagged> {
    let parts: Vec<Option<&'static str>> = shown.items.iter().map(|item| part_of(item)).collect();
    let tokens = &text.tokens;
    let mut tagged = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let (tag, length) = longest_tag(text, words, shown, &parts, at);
        tagged.push(Tagged {
            tag,
            start: tokens[at].start,
            end: tokens[at + length - 1].end,
            after_break: tokens[at].after_break,
        });
        at += length;
    }
    ranges(&text.text, tagged)
}

fn longest_tag(
    text: &Text,
    words: &WordLists,
    shown: &ReviewedItems,
    parts: &[Option<&str>],
    at: usize,
) -> (Tag, usize) {
    let tokens = &text.tokens;
    if let Some(place) = digits(&tokens[at], shown.count()) {
        return (Tag::Place(vec![place], true), 1);
    }
    let mut best: Option<(Tag, usize)> = None;
    let mut take = |tag: Tag, length: usize| {
        if length > best.as_ref().map_or(0, |(_, longest)| *longest) {
            best = Some((tag, length));
        }
    };
    for name in words.names() {
        if let Some(places) = name.strip_prefix("place ") {
            let length = words.longest(name, tokens, at);
            if length > 0
                && let Some(places) = resolve(places, shown.count())
            {
                take(Tag::Place(places, false), length);
            }
        } else if let Some(part) = name.strip_prefix("section ")
            && shown.proposal
        {
            let place = parts.iter().position(|known| *known == Some(part)).map(|at| at + 1);
            take(Tag::Part(place), words.longest(name, tokens, at));
        }
    }
    for (name, tag) in LISTS {
        take(tag.clone(), words.longest(name, tokens, at));
    }
    best.unwrap_or((Tag::Word, 1))
}

/// The place that a word with a digit at its front names: `2`, `2nd`, `2번은`.
fn digits(token: &Token, count: usize) -> Option<usize> {
    let digits: String = token.lower.chars().take_while(char::is_ascii_digit).collect();
    let after = token.lower.len() - digits.len();
    let place: usize = digits.parse().ok()?;
    (after <= 12 && place > 0 && place <= count.max(1)).then_some(place)
}

/// The places in the name of a list. A negative place counts from the end of the `count` items.
fn resolve(places: &str, count: usize) -> Option<Vec<usize>> {
    let resolved: Option<Vec<usize>> = places
        .split(',')
        .map(|place| {
            let place: isize = place.parse().ok()?;
            if place > 0 { usize::try_from(place).ok() } else { count.checked_add_signed(place + 1) }
        })
        .collect();
    resolved.filter(|places| places.iter().all(|place| *place > 0 && *place <= count))
}

/// The part of a proposal that a heading names, in any language.
fn part_of(heading: &str) -> Option<&'static str> {
    let text = Text::new(heading);
    LANGUAGES.iter().find_map(|words| {
        words.names().filter_map(|name| Some((name, name.strip_prefix("section ")?))).find_map(|(name, part)| {
            (0..text.tokens.len()).any(|at| words.longest(name, &text.tokens, at) > 0).then_some(part)
        })
    })
}

/// Joins a range such as `2-4` to the places from 2 to 4.
fn ranges(text: &str, tagged: Vec<Tagged>) -> Vec<Tagged> {
    let mut joined: Vec<Tagged> = Vec::new();
    for next in tagged {
        if let (Some(last), Tag::Place(to, true)) = (joined.last_mut(), &next.tag)
            && let Tag::Place(from, true) = &mut last.tag
            && ["-", "–", "~", "〜"].contains(&text[last.end..next.start].trim())
            && from[0] <= to[0]
        {
            *from = (from[0]..=to[0]).collect();
            last.end = next.end;
            continue;
        }
        joined.push(next);
    }
    joined
}
