//! Which parts of a text are thoughts: its marks, one after the other.

use std::ops::Range;

use super::code::{Code, Fences, JsonTexts, inline};
use super::marks::{Form, Mark, Sign, marks};
use super::spoken::{
    closing_is_spoken_of, closing_is_sure, ends_sentence, followed_by_its_word, is_quoted, its_word_may_follow,
    line_before,
};

/// The parts of a text.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// Each part, and whether it is thoughts; marks are in none.
    pub(super) parts: Vec<(bool, Range<usize>)>,
    /// Where the text begins that nothing can be said of before more of it is there.
    pub(super) held: Option<usize>,
    /// Whether the text ends in thoughts that nothing closed.
    pub(super) open: bool,
    /// The number of marks.
    pub(super) marks: usize,
}

/// Finds the parts of a text. `is_whole` tells that no more of it comes.
pub(super) fn parts(text: &str, is_whole: bool) -> Parts {
    let (found, begun) = marks(text, 0);
    if found.is_empty() && (begun.is_none() || is_whole) {
        return Parts { parts: vec![(false, 0..text.len())], ..Parts::default() };
    }
    let fences = Fences::of(text, found.iter().map(|mark| &mark.at));
    let end = if is_whole { text.len() } else { begun.unwrap_or(text.len()) };
    let walk = Walk {
        text,
        marks: &found,
        fences,
        is_whole,
        from: 0,
        json: JsonTexts::of(text, 0),
        spoken: 0,
        parts: Vec::new(),
        block: None,
        had_block: false,
        declared: false,
        nested_left: false,
    };
    let mut parts = walk.run(end);
    if !is_whole {
        parts.held = parts.held.or(begun);
    }
    parts
}

struct Walk<'t> {
    text: &'t str,
    marks: &'t [Mark],
    fences: Fences,
    is_whole: bool,
    /// Where the part begins that is looked at.
    from: usize,
    json: JsonTexts,
    /// Opening tags of which this part of the answer speaks, and whose closing tags were not spoken of yet.
    spoken: usize,
    parts: Vec<(bool, Range<usize>)>,
    block: Option<Block>,
    /// Whether a block of thoughts was opened and closed.
    had_block: bool,
    /// Whether a mark said that the answer begins.
    declared: bool,
    /// Whether the last block held an opening tag that nothing closed in it.
    nested_left: bool,
}

/// Thoughts that are open.
struct Block {
    form: Form,
    /// Tags that are opened in the thoughts.
    nested: Vec<Form>,
}

/// What a mark does.
enum Effect {
    Nothing,
    /// It leaves the text.
    Leave,
    Open,
    End,
    /// All that stands before is thoughts.
    EndAll,
    Answer,
    Undecided,
}

impl Walk<'_> {
    fn run(mut self, end: usize) -> Parts {
        for index in 0..self.marks.len() {
            let mark = &self.marks[index];
            if mark.at.start < self.from {
                continue;
            }
            let effect = match self.code_around(mark) {
                Code::Inside => Effect::Nothing,
                Code::Undecided if mark.sign != Sign::Open || self.block.is_none() => Effect::Undecided,
                code => match &self.block {
                    Some(_) => self.in_thoughts(index, code),
                    None => self.in_answer(index, code),
                },
            };
            match effect {
                Effect::Nothing => continue,
                Effect::Undecided => {
                    self.close_part(mark.at.start);
                    return self.told(Some(mark.at.start));
                }
                Effect::Leave => self.close_part(mark.at.start),
                Effect::Open => {
                    self.close_part(mark.at.start);
                    self.block = Some(Block { form: mark.form, nested: Vec::new() });
                }
                Effect::End | Effect::Answer | Effect::EndAll => {
                    self.close_part(mark.at.start);
                    if let Some(block) = self.block.take() {
                        self.had_block = true;
                        self.nested_left = !block.nested.is_empty();
                    }
                    if matches!(effect, Effect::EndAll) {
                        self.parts.iter_mut().for_each(|part| part.0 = true);
                        self.had_block = true;
                        self.nested_left = false;
                    }
                    self.declared |= matches!(effect, Effect::Answer);
                }
            }
            self.begin_part(mark.at.end);
        }
        self.close_part(end);
        self.told(None)
    }

    fn told(self, held: Option<usize>) -> Parts {
        Parts { parts: self.parts, held, open: self.block.is_some(), marks: self.marks.len() }
    }

    fn begin_part(&mut self, at: usize) {
        self.from = at;
        self.spoken = 0;
        if self.block.is_none() {
            self.json = JsonTexts::of(self.text, at);
        }
    }

    fn close_part(&mut self, end: usize) {
        if self.from < end {
            self.parts.push((self.block.is_some(), self.from..end));
        }
    }

    /// Whether a mark stands in code of its part, or in a text of JSON.
    fn code_around(&mut self, mark: &Mark) -> Code {
        if self.block.is_none() {
            let line = mark.at.start - line_before(self.text, self.from, mark.at.start).len();
            let in_line = || JsonTexts::of(self.text, line).holds(self.text, mark.at.start);
            if self.json.holds(self.text, mark.at.start) || in_line() {
                return Code::Inside;
            }
        }
        match inline(self.text, self.from, &mark.at, self.is_whole) {
            Code::Outside => self.fences.around(self.from, mark.at.start, self.is_whole),
            code => code,
        }
    }

    fn in_thoughts(&mut self, index: usize, code: Code) -> Effect {
        let mark = &self.marks[index];
        let Some(block) = &mut self.block else { return Effect::Nothing };
        match mark.sign {
            Sign::Answer => Effect::Answer,
            Sign::AnswerEnd if block.form == Form::Channel && mark.form == Form::Channel => Effect::End,
            Sign::AnswerEnd => Effect::Nothing,
            Sign::Open if mark.form == Form::Channel => Effect::Open,
            Sign::Open => {
                let begins = code != Code::Outside
                    || ends_sentence(line_before(self.text, self.from, mark.at.start))
                        && !is_quoted(self.text, &mark.at, self.from);
                if begins {
                    block.nested.push(mark.form);
                } else {
                    self.spoken += 1;
                }
                Effect::Nothing
            }
            Sign::Close => self.closing_in_thoughts(index, code),
        }
    }

    fn closing_in_thoughts(&mut self, index: usize, code: Code) -> Effect {
        let mark = &self.marks[index];
        let Some(block) = &mut self.block else { return Effect::Nothing };
        let later = |form: Form| later_closings(self.marks, index, form);
        if let Some(place) = block.nested.iter().rposition(|form| *form == mark.form) {
            // A tag that is opened in the thoughts of its own name is closed when enough closing tags follow.
            if mark.form != block.form || code == Code::Unclosed || later(block.form) > 0 {
                block.nested.truncate(place);
                return Effect::Nothing;
            }
        }
        let is_spoken_of = closing_is_spoken_of(self.text, &mark.at, self.from);
        let is_pair = self.spoken > 0;
        if is_pair {
            self.spoken -= 1;
        }
        // Of a pair that is spoken of the thoughts may be the end; a closing tag alone is spoken of when another one follows.
        if is_quoted(self.text, &mark.at, self.from) || is_pair && is_spoken_of {
            return Effect::Nothing;
        }
        let is_unsure =
            mark.form != block.form || is_spoken_of || is_pair && !closing_is_sure(self.text, &mark.at, self.from);
        if is_unsure && later(block.form) > 0 { Effect::Nothing } else { Effect::End }
    }

    fn in_answer(&mut self, index: usize, code: Code) -> Effect {
        let mark = &self.marks[index];
        match (mark.sign, mark.form) {
            (Sign::Answer, _) if !self.declared && !self.has_only_thoughts(mark.at.start) => {
                self.declared = true;
                Effect::EndAll
            }
            (Sign::Answer, _) => Effect::Answer,
            // A tag that closes itself is empty thoughts where thoughts may begin.
            (Sign::AnswerEnd, Form::Tag(_)) if code == Code::Unclosed || !self.begins_anew(mark) => Effect::Nothing,
            (Sign::AnswerEnd, _) => Effect::Leave,
            (Sign::Open, Form::Token | Form::Channel) => Effect::Open,
            (Sign::Open, _) if code == Code::Unclosed => {
                self.spoken += 1;
                Effect::Nothing
            }
            (Sign::Open, _) => self.opening(index),
            (Sign::Close, _) => self.lone_closing(index, code),
        }
    }

    /// Whether nothing of an answer stands before a place.
    fn has_only_thoughts(&self, end: usize) -> bool {
        let is_blank = |range: &Range<usize>| self.text[range.clone()].trim_matches(is_blank).is_empty();
        self.parts.iter().all(|(thoughts, range)| *thoughts || is_blank(range)) && is_blank(&(self.from..end))
    }

    /// Whether thoughts may begin at a tag: at a line, behind a sentence, or at a word without a space between.
    fn begins_anew(&self, mark: &Mark) -> bool {
        let before = line_before(self.text, self.from, mark.at.start);
        let is_glued = before.ends_with(|c: char| c.is_ascii_alphanumeric());
        (is_glued || ends_sentence(before)) && !is_quoted(self.text, &mark.at, self.from)
    }

    fn opening(&mut self, index: usize) -> Effect {
        let mark = &self.marks[index];
        let text = self.text;
        let after = &text[mark.at.end..];
        let is_first = self.has_only_thoughts(mark.at.start);
        if !is_first && !self.begins_anew(mark) {
            self.spoken += 1;
            return Effect::Nothing;
        }
        let closings =
            self.marks[index + 1..].iter().filter(|other| other.sign == Sign::Close && other.form == mark.form);
        let is_closed = closings.clone().next().is_some();
        let line = after.split('\n').next().unwrap_or_default();
        let on_line = closings.take_while(|closing| closing.at.end <= mark.at.end + line.len());
        let is_code = |closing: &&Mark| inline(text, self.from, &closing.at, self.is_whole) != Code::Outside;
        let on_line: Vec<&Mark> = on_line.filter(|closing| !is_code(closing)).collect();
        let ending = on_line.iter().find(|closing| !closing_is_spoken_of(text, &closing.at, mark.at.end));
        if !self.is_whole {
            let decides_later = match ending {
                _ if is_first => !is_closed && !after.is_empty() && its_word_may_follow(after),
                Some(ending) => is_short(&text[ending.at.end..]),
                None => line.len() == after.len(),
            };
            if decides_later {
                return Effect::Undecided;
            }
        }
        let speaks = if is_first || on_line.is_empty() {
            !is_closed && followed_by_its_word(after)
        } else {
            // The closing tags of which the line speaks belong to as many opening ones.
            let opened = self.marks[index..].iter().take_while(|other| other.at.end <= mark.at.end + line.len());
            let opened = opened.filter(|other| other.sign == Sign::Open && other.form == mark.form).count();
            ending.is_none() && on_line.len() >= opened
        };
        if speaks {
            self.spoken += 1;
            return Effect::Nothing;
        }
        let begins_line = line_before(text, self.from, mark.at.start).trim().is_empty();
        let is_followed_closely = after.starts_with(|c: char| c == '\n' || c == '\r' || !c.is_whitespace());
        if is_first || begins_line || is_closed || is_followed_closely {
            return Effect::Open;
        }
        if !self.is_whole {
            return Effect::Undecided;
        }
        self.spoken += 1;
        Effect::Nothing
    }

    /// A closing mark without an opening one: the server's template began the thoughts, and all that stands before is
    /// thoughts, unless the text speaks of the mark.
    fn lone_closing(&mut self, index: usize, code: Code) -> Effect {
        let mark = &self.marks[index];
        let is_text = !matches!(mark.form, Form::Token | Form::Channel);
        if is_text {
            let after = &self.text[mark.at.end..];
            if !self.is_whole && is_short(after) {
                return Effect::Undecided;
            }
            let is_spoken_of = if self.spoken > 0 {
                self.spoken -= 1;
                code == Code::Unclosed || !closing_is_sure(self.text, &mark.at, self.from)
            } else {
                closing_is_spoken_of(self.text, &mark.at, self.from)
            };
            if is_spoken_of {
                return Effect::Nothing;
            }
        }
        if self.text[mark.at.end..].trim_matches(is_blank).is_empty() {
            if !self.is_whole {
                return Effect::Undecided;
            }
            if self.had_block && !self.nested_left && !self.has_only_thoughts(mark.at.start) {
                return Effect::Leave;
            }
        }
        Effect::EndAll
    }
}

/// Whether the text behind a tag is too short to say whether a sentence goes on.
fn is_short(after: &str) -> bool {
    after.chars().take(12).count() < 12 && !after.contains('\n')
}

/// How many closing marks of a form follow, for which no opening one does.
fn later_closings(marks: &[Mark], index: usize, form: Form) -> usize {
    let mut open = 0_usize;
    let mut closing = 0;
    for mark in marks[index + 1..].iter().filter(|mark| mark.form == form) {
        match mark.sign {
            Sign::Open => open += 1,
            Sign::Close if open > 0 => open -= 1,
            Sign::Close => closing += 1,
            Sign::Answer | Sign::AnswerEnd => {}
        }
    }
    closing
}

pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}
