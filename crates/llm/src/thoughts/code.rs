//! Code in a text: a mark that stands in it is spoken of, and begins or ends nothing.

use std::ops::Range;

/// How far the ends of a line are looked for, in bytes.
const LINE: usize = 4096;

/// Whether a place is in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    /// It is.
    Inside,
    /// It is not.
    Outside,
    /// It is in a fence that no later line closes: the fence was cut off, or the text around it was.
    Unclosed,
    /// The text that comes next decides.
    Undecided,
}

/// A line, or the rest of one behind a mark, that opens or closes a fence.
#[derive(Clone, Copy, Debug)]
struct Fence {
    start: usize,
    mark: u8,
    length: usize,
    /// Whether words stand behind the mark: then it opens a fence and closes none.
    has_words: bool,
    /// Whether its line is whole.
    is_whole: bool,
    /// Where the part must begin for which the fence begins a line, when something else stands before it.
    behind: Option<usize>,
}

/// The fences of a text.
#[derive(Debug)]
pub(super) struct Fences(Vec<Fence>);

impl Fences {
    /// Finds the lines of fences. Behind one of `marks` a line begins for the part that the mark begins.
    pub(super) fn of<'m>(text: &str, marks: impl Iterator<Item = &'m Range<usize>>) -> Self {
        let mut marks = marks.peekable();
        let mut found = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let end = start + line.len();
            let mut begin = start;
            let mut behind = None;
            loop {
                let mark = marks.next_if(|mark| mark.start < end);
                let until = mark.map_or(end, |mark| mark.start.max(begin));
                found.extend(Fence::read(text, begin..until, behind));
                let Some(mark) = mark.filter(|mark| mark.end < end) else { break };
                begin = mark.end;
                behind = Some(begin);
            }
            start = end;
        }
        Self(found)
    }

    /// Whether `at` is in a fence of the part that begins at `from`. `is_whole` tells that no more text comes.
    pub(super) fn around(&self, from: usize, at: usize, is_whole: bool) -> Code {
        let first = self.0.partition_point(|fence| fence.start < from);
        let mut open: Option<Fence> = None;
        let mut after = first;
        let counts = |fence: &&Fence| fence.behind.is_none_or(|begin| begin == from);
        for fence in &self.0[first..] {
            if fence.start >= at {
                break;
            }
            after += 1;
            if !counts(&fence) {
                continue;
            }
            open = match open {
                None => Some(*fence),
                Some(opened) if opened.closes_with(fence) => None,
                Some(opened) => Some(opened),
            };
        }
        let Some(opened) = open else { return Code::Outside };
        let later = self.0[after..].iter().filter(counts);
        let mut later = later.filter(|fence| fence.mark == opened.mark && fence.length >= opened.length);
        match later.next() {
            Some(fence) if !fence.is_whole && !is_whole => Code::Undecided,
            Some(fence) if fence.has_words => Code::Unclosed,
            // Where the lines that follow are pairs by themselves, none of them closes this one.
            Some(_) if is_whole && later.count() % 2 == 1 => Code::Unclosed,
            Some(_) => Code::Inside,
            None if is_whole => Code::Unclosed,
            None => Code::Undecided,
        }
    }
}

impl Fence {
    fn read(text: &str, line: Range<usize>, behind: Option<usize>) -> Option<Self> {
        let is_whole = text[line.clone()].ends_with('\n') || line.end < text.len();
        let rest = text[line.clone()].trim_start();
        let start = line.end - rest.len();
        let rest = rest.trim_end();
        let mark = rest.bytes().next().filter(|mark| matches!(mark, b'`' | b'~'))?;
        let length = rest.bytes().take_while(|byte| *byte == mark).count();
        let words = rest[length..].trim();
        // A fence of backticks has none behind it: such a line is code by itself.
        let is_fence = length >= 3 && !(mark == b'`' && words.contains('`'));
        is_fence.then_some(Self { start, mark, length, has_words: !words.is_empty(), is_whole, behind })
    }

    fn closes_with(&self, other: &Self) -> bool {
        other.mark == self.mark && other.length >= self.length && !other.has_words
    }
}

/// Whether the range `at` is in code amid its line, in the part that begins at `from`.
pub(super) fn inline(text: &str, from: usize, at: &Range<usize>, is_whole: bool) -> Code {
    let near = text.ceil_char_boundary(at.start.saturating_sub(LINE)).clamp(from, at.start);
    let far = text.floor_char_boundary(at.end.saturating_add(LINE));
    let begin = text[near..at.start].rfind('\n').map_or(near, |line| near + line + 1);
    let end = text[at.end..far].find('\n').map_or(far, |line| at.end + line);
    let line = &text.as_bytes()[begin..end];
    let (start, stop) = (at.start - begin, at.end - begin);
    let mut place = 0;
    while place < start {
        if line[place] != b'`' {
            place += 1;
            continue;
        }
        let run = run_at(line, place);
        let inner = place + run;
        // So many begin or end a fence.
        if run > 2 {
            place = inner;
            continue;
        }
        // Code of one backtick begins with it; a lone one amid spaces is none.
        if run == 1 && line.get(inner).is_none_or(u8::is_ascii_whitespace) {
            place = inner;
            continue;
        }
        match closing(line, inner, run) {
            // What stands behind a mark at the end of the text decides whether it closes.
            Some(close) if close >= stop && begin + close + run == text.len() && !is_whole => return Code::Undecided,
            Some(close) if close >= stop => return Code::Inside,
            Some(close) => place = close + run,
            None if end == text.len() && !is_whole => return Code::Undecided,
            None => place = inner,
        }
    }
    Code::Outside
}

fn run_at(line: &[u8], at: usize) -> usize {
    line[at..].iter().take_while(|byte| **byte == b'`').count()
}

/// Where a run of so many backticks closes the code that begins at `from`.
fn closing(line: &[u8], from: usize, run: usize) -> Option<usize> {
    let mut at = from;
    while at < line.len() {
        if line[at] != b'`' {
            at += 1;
            continue;
        }
        let length = run_at(line, at);
        if length == run {
            // A mark that ends before a word, or behind a space, opens the next code and closes none.
            let is_amid_word = line.get(at + length).is_some_and(u8::is_ascii_alphanumeric);
            let closes = run > 1 || !line[at - 1].is_ascii_whitespace() && !is_amid_word;
            return closes.then_some(at);
        }
        at += length;
    }
    None
}

/// Whether a place is in a text of JSON, where the part that begins at `from` is JSON.
#[derive(Debug)]
pub(super) struct JsonTexts {
    at: usize,
    is_json: bool,
    in_text: bool,
    escaped: bool,
}

impl JsonTexts {
    /// Begins with the part at `from`.
    pub(super) fn of(text: &str, from: usize) -> Self {
        let rest = text[from..].trim_start();
        let is_json =
            rest.strip_prefix(['{', '[']).is_some_and(|inner| inner.trim_start().starts_with(['"', '{', '[']));
        Self { at: from, is_json, in_text: false, escaped: false }
    }

    /// Whether `place` is in a text. Places are asked for in their order.
    pub(super) fn holds(&mut self, text: &str, place: usize) -> bool {
        if !self.is_json {
            return false;
        }
        for byte in text.as_bytes().get(self.at..place).unwrap_or_default() {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = self.in_text,
                b'"' => self.in_text = !self.in_text,
                _ => {}
            }
        }
        self.at = self.at.max(place);
        self.in_text
    }
}
