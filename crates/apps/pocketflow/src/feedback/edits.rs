//! Changes inside sentences: `ok, drop the third one`, `keep all but 2`, `make the method shorter`.
//!
//! A reply is cut into clauses. The verb, the places and the person's own words of a clause say what is to change. An
//! edit that is read here takes effect only after the person confirms it.

use super::Language;
use super::change::{Edit, ReviewedItems};
use super::others::asks;
use super::tags::{EditVerb, Tag, Tagged, tag};
use super::tokens::Text;
use super::words::WordLists;

/// A clause of a reply.
#[derive(Debug, Default)]
struct Clause {
    verbs: Vec<EditVerb>,
    places: Vec<usize>,
    /// The parts of the proposal that the clause names, each by its place if the proposal has the part.
    parts: Vec<Option<usize>>,
    except: bool,
    into: bool,
    how: bool,
    all: bool,
    rest: bool,
    front: bool,
    end: bool,
    before: bool,
    /// The person's own words, as they stand in the reply.
    content: String,
    /// Whether the person's own words begin with a word of manner (`shorter`).
    begins_how: bool,
    start: usize,
    stop: usize,
}

/// Reads the changes that a reply asks for.
pub(super) fn read(text: &Text, words: &WordLists, shown: &ReviewedItems) -> Option<Vec<Edit>> {
    if shown.items.is_empty() {
        return None;
    }
    let tagged = settle(tag(text, words, shown), words.language);
    let mut clauses: Vec<Clause> =
        cut(&tagged, words.language).into_iter().map(|tagged| clause(text, tagged, words.language)).collect();
    // A clause that is a remark asks for no change: `I have to show it to my supervisor first`.
    let remarks: Vec<usize> = words.spans("remark", text).iter().map(|(at, _)| text.tokens[*at].start).collect();
    clauses.retain(|clause| !remarks.iter().any(|at| (clause.start..clause.stop).contains(at)));
    let asks = text.asks || asks(text, words);
    let edits =
        if shown.proposal { parts(text, words, shown, &clauses, asks) } else { places(text, shown, &clauses, asks) };
    (!edits.is_empty()).then_some(edits)
}

/// Corrects tags by the words beside them. A word such as `but` excludes something only beside a place; elsewhere the
/// word joins. An English `first` before a verb is no place.
fn settle(mut tagged: Vec<Tagged>, language: Language) -> Vec<Tagged> {
    let is_place = |tagged: Option<&Tagged>| tagged.is_some_and(|one| matches!(one.tag, Tag::Place(..) | Tag::Part(_)));
    for at in 0..tagged.len() {
        let next_is_verb = matches!(tagged.get(at + 1), Some(Tagged { tag: Tag::Verb(_), .. }));
        if language == Language::English && next_is_verb && tagged[at].tag == Tag::Place(vec![1], false) {
            tagged[at].tag = Tag::Skip;
        }
        if tagged[at].tag == Tag::Except {
            let next = tagged[at + 1..].iter().find(|next| next.tag != Tag::Skip);
            let before = tagged[..at].iter().rfind(|before| before.tag != Tag::Skip);
            let all = tagged[..at].iter().any(|before| matches!(before.tag, Tag::All | Tag::Verb(_)));
            if !is_place(before) && !(is_place(next) && (all || tagged.len() < 4)) && !(at == 0 && is_place(next)) {
                tagged[at].tag = Tag::And;
            }
        }
    }
    tagged
}

/// Cuts a reply into clauses: at punctuation, at a joining word before a new verb, place or part, and after the verb in
/// languages whose verb comes last.
fn cut(tagged: &[Tagged], language: Language) -> Vec<&[Tagged]> {
    let verb_last = matches!(language, Language::Japanese | Language::Korean);
    let mut cuts = vec![0];
    for at in 1..tagged.len() {
        let here = &tagged[at];
        let before = &tagged[at - 1];
        let among_places = matches!(before.tag, Tag::Place(..) | Tag::Part(_)) && {
            let next = tagged[at..].iter().find(|next| !matches!(next.tag, Tag::And | Tag::Skip));
            next.is_some_and(|next| matches!(next.tag, Tag::Place(..)))
        };
        let starts = |from: usize| {
            tagged[from..]
                .iter()
                .take(4)
                .take_while(|next| next.tag != Tag::Word)
                .any(|next| matches!(next.tag, Tag::Verb(_) | Tag::Place(..) | Tag::Part(_)))
        };
        let joins = here.tag == Tag::And && !among_places && starts(at + 1);
        let after_verb = verb_last
            && matches!(before.tag, Tag::Verb(_))
            && !matches!(here.tag, Tag::Skip | Tag::Verb(_) | Tag::All | Tag::Except)
            && tagged[at..].iter().any(|next| matches!(next.tag, Tag::Place(..) | Tag::Part(_) | Tag::Verb(_)));
        if (here.after_break && !among_places) || joins || after_verb {
            cuts.push(at);
        }
    }
    cuts.push(tagged.len());
    cuts.windows(2).filter(|pair| pair[0] < pair[1]).map(|pair| &tagged[pair[0]..pair[1]]).collect()
}

fn clause(text: &Text, tagged: &[Tagged], language: Language) -> Clause {
    let mut clause = Clause {
        start: tagged.first().map_or(0, |first| first.start),
        stop: tagged.last().map_or(0, |last| last.end),
        ..Clause::default()
    };
    for one in tagged {
        match &one.tag {
            Tag::Verb(verb) => clause.verbs.push(*verb),
            Tag::Place(places, _) => clause.places.extend(places),
            Tag::Part(part) => clause.parts.push(*part),
            Tag::Except => clause.except = true,
            Tag::Into => clause.into = true,
            Tag::How => clause.how = true,
            Tag::All => clause.all = true,
            Tag::Rest => clause.rest = true,
            Tag::Front => clause.front = true,
            Tag::End => clause.end = true,
            Tag::Before => clause.before = true,
            Tag::Instead | Tag::And | Tag::Skip | Tag::Word => {}
        }
    }
    // The words before `instead of` are the new text; the words after it name what is replaced.
    let own = |one: &Tagged| matches!(one.tag, Tag::Word | Tag::How);
    let cut = tagged.iter().position(|one| one.tag == Tag::Instead).filter(|cut| tagged[..*cut].iter().any(own));
    let tagged = &tagged[..cut.unwrap_or(tagged.len())];
    let first = tagged.iter().position(own);
    let last = tagged.iter().rposition(own);
    if let (Some(first), Some(last)) = (first, last) {
        let spaceless = matches!(language, Language::Japanese | Language::Chinese);
        // Without spaces, a part of a word can look like a verb or a place; the longest run of own words is taken.
        let (first, last) = if spaceless { run(tagged, first, last) } else { (first, last) };
        clause.begins_how = tagged[first].tag == Tag::How;
        clause.content = text.text[tagged[first].start..tagged[last].end].trim().to_owned();
    }
    clause
}

/// The first and last index of the longest run of own words between verbs and places.
fn run(tagged: &[Tagged], first: usize, last: usize) -> (usize, usize) {
    let own = |at: usize| matches!(tagged[at].tag, Tag::Word | Tag::How);
    let (mut best, mut start) = ((first, first), first);
    for at in first..=last {
        if matches!(tagged[at].tag, Tag::Verb(_) | Tag::Place(..) | Tag::Part(_)) {
            start = at + 1;
        } else if own(at) {
            while start < at && !own(start) {
                start += 1;
            }
            let width = |pair: (usize, usize)| tagged[pair.1].end - tagged[pair.0].start;
            if width((start, at)) > width(best) {
                best = (start, at);
            }
        }
    }
    best
}

impl Clause {
    /// The verb of the clause. Verbs of keeping, such as `only`, give way to any other verb.
    fn verb(&self) -> Option<EditVerb> {
        self.verbs.iter().copied().find(|verb| *verb != EditVerb::Keep).or(self.verbs.first().copied())
    }

    fn has(&self, verb: EditVerb) -> bool {
        self.verbs.contains(&verb)
    }

    /// Whether the clause names no verb, no place, and neither all items nor the rest.
    fn is_empty(&self) -> bool {
        self.verbs.is_empty() && self.places.is_empty() && !self.all && !self.rest
    }
}

/// Changes of numbered queries.
fn places(text: &Text, shown: &ReviewedItems, clauses: &[Clause], asks: bool) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut pending: Vec<usize> = Vec::new();
    let mut before: Option<EditVerb> = None;
    let mut to_keep: Option<Vec<usize>> = None;
    for (index, clause) in clauses.iter().enumerate() {
        if clause.is_empty() {
            continue;
        }
        let next = clauses[index + 1..].iter().find(|next| !next.is_empty());
        let mut verb = clause.verb();
        let mut at = clause.places.clone();
        let waits = next.is_some_and(|next| {
            next.places.is_empty() && next.content.is_empty() && next.verb().is_some_and(|verb| verb != EditVerb::Add)
        });
        if verb.is_none() && !asks && clause.into && !clause.content.is_empty() && !waits {
            verb = Some(EditVerb::Change);
        }
        if clause.except && !at.is_empty() {
            if clause.has(EditVerb::Remove) {
                to_keep.get_or_insert_default().extend(at);
            } else {
                edits.extend(at.into_iter().map(Edit::Remove));
            }
            continue;
        }
        if verb.is_none() && !at.is_empty() && !clause.all {
            let waits = next
                .is_some_and(|next| next.places.is_empty() && next.verb().is_some_and(|verb| verb != EditVerb::Add));
            if waits {
                pending.extend(at);
                continue;
            }
            verb = match before {
                Some(EditVerb::Change | EditVerb::Add) if !clause.content.is_empty() => Some(EditVerb::Change),
                Some(EditVerb::Remove | EditVerb::Keep) if clause.content.is_empty() => before,
                _ if clause.begins_how && !asks => Some(EditVerb::Change),
                _ => None,
            };
        }
        if at.is_empty() && verb != Some(EditVerb::Add) {
            at.append(&mut pending);
        }
        before = verb.or(before);
        let whole = || Edit::Rework { at: None, how: text.text.clone() };
        match verb {
            // A question that names a place with a verb of adding asks for no change.
            Some(EditVerb::Add) if asks && !at.is_empty() => {}
            Some(EditVerb::Keep) if !at.is_empty() => to_keep.get_or_insert_default().extend(at),
            Some(EditVerb::Remove) if clause.has(EditVerb::Keep) && (clause.all || clause.rest) && !at.is_empty() => {
                to_keep.get_or_insert_default().extend(at);
            }
            Some(EditVerb::Swap) if at.len() == 2 => edits.push(Edit::Swap(at[0], at[1])),
            Some(EditVerb::Merge) if at.len() == 2 => edits.push(Edit::Merge(at[0], at[1])),
            Some(EditVerb::Change | EditVerb::Move | EditVerb::Add | EditVerb::Swap)
                if at.len() == 1 && clause.front =>
            {
                edits.push(Edit::Move(at[0], 1));
            }
            Some(EditVerb::Change | EditVerb::Move | EditVerb::Add) if at.len() == 1 && clause.end => {
                edits.push(Edit::Move(at[0], shown.count()));
            }
            Some(EditVerb::Swap) if at.is_empty() && !asks => edits.push(whole()),
            Some(EditVerb::Move | EditVerb::Change) if at.len() == 2 && clause.has(EditVerb::Move) => {
                edits.push(Edit::Move(at[0], at[1]));
            }
            Some(EditVerb::Remove) if !at.is_empty() => edits.extend(at.into_iter().map(Edit::Remove)),
            Some(EditVerb::Remove) if clause.rest || clause.all || asks => {}
            Some(EditVerb::Remove) if !clause.content.is_empty() => {
                edits.push(removal_of(&clause.content, shown).unwrap_or_else(whole));
            }
            Some(EditVerb::Add) if at.is_empty() && !clause.content.is_empty() => {
                edits.push(Edit::Add(bare(&clause.content)));
            }
            Some(EditVerb::Change)
                if at.is_empty() && (!asks && (clause.all || clause.how) || clause.all && clause.how) =>
            {
                edits.push(whole());
            }
            Some(EditVerb::Keep) | None if at.is_empty() && !asks && clause.all && clause.how => edits.push(whole()),
            Some(EditVerb::Keep | EditVerb::Remove) | None => {}
            Some(_) if at.is_empty() || clause.content.is_empty() && !clause.how => {}
            Some(_) => {
                let how = text.text[clause.start..clause.stop].trim().to_owned();
                edits.extend(at.into_iter().map(|at| {
                    if clause.begins_how || clause.content.is_empty() {
                        Edit::Rework { at: Some(at), how: how.clone() }
                    } else {
                        Edit::Replace(at, bare(&clause.content))
                    }
                }));
            }
        }
    }
    if let Some(to_keep) = to_keep {
        let gone = (1..=shown.count()).filter(|place| !to_keep.contains(place)).map(Edit::Remove);
        edits.retain(|edit| !matches!(edit, Edit::Remove(_)));
        edits.extend(gone);
    }
    let mut distinct: Vec<Edit> = Vec::new();
    for edit in edits {
        if !distinct.contains(&edit) {
            distinct.push(edit);
        }
    }
    distinct
}

/// The removal of the only query that has these words; `None` when no query or several have them.
fn removal_of(content: &str, shown: &ReviewedItems) -> Option<Edit> {
    let content = bare(content).to_lowercase();
    let mut found = shown.items.iter().enumerate().filter(|(_, item)| item.to_lowercase().contains(&content));
    let (at, _) = found.next()?;
    found.next().is_none().then_some(Edit::Remove(at + 1))
}

/// A text without quotation marks, punctuation and spaces at its ends.
fn bare(text: &str) -> String {
    text.trim_matches(|c: char| c.is_whitespace() || "'\"“”«»「」『』‘’.,;:!?。、，".contains(c)).to_owned()
}

/// Changes of the parts of a proposal. Each change carries the person's own words, because only a model can write the
/// new text of a part.
fn parts(text: &Text, words: &WordLists, shown: &ReviewedItems, clauses: &[Clause], asks: bool) -> Vec<Edit> {
    let named = |clause: &Clause| -> Vec<Option<usize>> {
        if clause.parts.is_empty() { clause.places.iter().copied().map(Some).collect() } else { clause.parts.clone() }
    };
    let signal = |clause: &Clause| {
        clause.except || !clause.verbs.is_empty() || !asks && (clause.how || clause.into && !clause.content.is_empty())
    };
    let rejected = words.find("reject", text).is_some();
    let heads: Vec<usize> = (0..clauses.len()).filter(|at| !named(&clauses[*at]).is_empty()).collect();
    if heads.is_empty() {
        let verb = clauses.iter().any(|clause| matches!(clause.verb(), Some(verb) if verb != EditVerb::Keep));
        let how = clauses.iter().any(|clause| clause.how || clause.all);
        let own = clauses.iter().any(|clause| !clause.content.is_empty());
        let all = clauses.iter().any(|clause| clause.all && clause.how);
        return if !rejected && !asks && own && (verb || how && all) {
            vec![Edit::Rework { at: None, how: text.text.clone() }]
        } else {
            Vec::new()
        };
    }
    let mut edits: Vec<Edit> = Vec::new();
    for (index, head) in heads.iter().enumerate() {
        let from = if index == 0 { 0 } else { *head };
        let until = heads.get(index + 1).copied().unwrap_or(clauses.len());
        let group = &clauses[from..until];
        let here = &clauses[*head];
        if !group.iter().any(&signal) || rejected && !signal(here) {
            continue;
        }
        let how = bare(&text.text[group[0].start..group[group.len() - 1].stop]);
        for part in named(here) {
            let only_removes = here.verb() == Some(EditVerb::Remove) && here.content.is_empty() && !here.how;
            edits.push(match part {
                Some(at) if only_removes && at <= shown.count() => Edit::Remove(at),
                at => Edit::Rework { at, how: how.clone() },
            });
        }
    }
    let mut merged: Vec<Edit> = Vec::new();
    for edit in edits {
        match (merged.last_mut(), &edit) {
            (Some(Edit::Rework { at, how }), Edit::Rework { at: again, how: more }) if at == again && at.is_some() => {
                *how = format!("{how}; {more}");
            }
            (Some(last), edit) if last == edit => {}
            _ => merged.push(edit),
        }
    }
    merged
}
