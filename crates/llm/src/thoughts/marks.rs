//! The marks around thoughts, as models write them.

use std::ops::Range;

/// Names of tags between which models think.
const TAGS: [&str; 16] = [
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reasoning",
    "reflection",
    "scratchpad",
    "inner_monologue",
    "inner_thoughts",
    "chain_of_thought",
    "antthinking",
    "ant:thinking",
    "antml:thinking",
    "seed:think",
    "mm:think",
    "longcat_think",
];

/// Names in tokens such as `<|begin_of_thought|>`, without what says that they begin or end.
const TOKENS: [&str; 7] = ["think", "thinking", "thought", "thoughts", "reasoning", "inner_prefix", "inner"];

/// Names in tokens around the answer, such as `<|begin_of_solution|>`.
const ANSWER_TOKENS: [&str; 4] = ["solution", "response", "answer", "final_answer"];

/// What begins and what ends, before the name in a token.
const BEGINS: [&str; 4] = ["begin_of_", "start_of_", "begin_", "start_"];
const ENDS: [&str; 3] = ["end_of_", "end_", "/"];

/// Marks that are always written in the same way.
const FIXED: [(&str, Sign, Form); 10] = [
    ("[think]", Sign::Open, Form::Square),
    ("[/think]", Sign::Close, Form::Square),
    ("[thinking]", Sign::Open, Form::Square),
    ("[/thinking]", Sign::Close, Form::Square),
    ("[begin final response]", Sign::Answer, Form::Token),
    ("[end final response]", Sign::AnswerEnd, Form::Token),
    ("<|channel>thought", Sign::Open, Form::Token),
    ("<channel|>", Sign::Close, Form::Token),
    ("<unused94>thought", Sign::Open, Form::Token),
    ("<unused95>", Sign::Close, Form::Token),
];

/// Channels whose tokens a server took away: the role and the channel stand as one word.
const GLUED: [(&str, Sign); 3] =
    [("assistantfinal", Sign::Answer), ("assistantanalysis", Sign::Open), ("assistantcommentary", Sign::Open)];

/// The longest mark, in bytes.
const LONGEST: usize = 256;

/// The most marks of a text that are looked at, so that a text of marks takes no time.
const MOST: usize = 500;

/// The fewest letters of a glued word that are waited for, in a text that does not begin with a channel.
const FEWEST: usize = 6;

/// What a mark says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// Thoughts begin.
    Open,
    /// Thoughts end.
    Close,
    /// The answer begins.
    Answer,
    /// The answer, or a message of a channel, ends.
    AnswerEnd,
}

/// How a mark is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A tag such as `<think>`, which a text may also speak of.
    Tag(&'static str),
    /// `[THINK]`, which a text may also speak of.
    Square,
    /// A token of the model, which stands in no other text.
    Token,
    /// A channel of the harmony format.
    Channel,
}

/// A mark and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) at: Range<usize>,
    pub(super) sign: Sign,
    pub(super) form: Form,
}

/// What stands at a place.
enum Read {
    Mark(usize, Sign, Form),
    /// More text decides.
    Begun,
    Nothing,
}

/// The marks of a text, and where one begins that is not whole at its end.
pub(super) fn marks(text: &str, from: usize) -> (Vec<Mark>, Option<usize>) {
    let mut found = Vec::new();
    let mut at = from;
    if from == 0 {
        match leading(text) {
            Read::Mark(length, sign, form) => {
                found.push(Mark { at: 0..length, sign, form });
                at = length;
            }
            Read::Begun => return (found, Some(0)),
            Read::Nothing => {}
        }
    }
    while let Some(next) = next_start(text, at).filter(|_| found.len() < MOST) {
        match read(text, next) {
            Read::Mark(length, sign, form) => {
                found.push(Mark { at: next..next + length, sign, form });
                at = next + length;
            }
            Read::Begun => return (found, Some(next)),
            Read::Nothing => at = next + 1,
        }
    }
    (found, None)
}

/// The next place at which a mark may begin.
fn next_start(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    (from..bytes.len()).find(|at| match bytes[*at] {
        b'<' | b'[' => true,
        // The first byte of `◁`.
        0xE2 => text.is_char_boundary(*at),
        b'a' => b"assistant".iter().zip(&bytes[*at..]).all(|(one, two)| one == two),
        _ => false,
    })
}

/// A channel whose opening tokens the server's template took, at the very beginning.
fn leading(text: &str) -> Read {
    const TOKEN: &str = "<|message|>";
    for (word, sign) in [("analysis", Sign::Open), ("commentary", Sign::Open), ("final", Sign::Answer)] {
        let Some(rest) = text.strip_prefix(word) else {
            if !text.is_empty() && word.starts_with(text) {
                return Read::Begun;
            }
            continue;
        };
        if TOKEN.starts_with(rest) && rest.len() < TOKEN.len() {
            return Read::Begun;
        }
        if rest.starts_with(TOKEN) {
            return Read::Mark(word.len() + TOKEN.len(), sign, Form::Channel);
        }
        let is_glued = sign == Sign::Open && rest.starts_with(|c: char| c.is_alphanumeric() && !c.is_lowercase());
        if is_glued || (sign == Sign::Open && rest.contains("assistantfinal")) {
            return Read::Mark(word.len(), sign, Form::Channel);
        }
    }
    Read::Nothing
}

fn read(text: &str, at: usize) -> Read {
    let rest = &text[at..];
    let rest = &rest[..rest.floor_char_boundary(LONGEST)];
    let readers = [fixed, tag, triangle, harmony, token, glued];
    let mut begun = false;
    for reader in readers {
        match reader(rest) {
            Read::Nothing => {}
            Read::Begun if rest.starts_with('a') && !waits_for_word(text, at, rest.len()) => {}
            Read::Begun => begun = true,
            Read::Mark(_, _, Form::Channel) if rest.starts_with('a') && !is_glued(text, at) => {}
            found @ Read::Mark(..) => return found,
        }
    }
    // A mark that is longer than any is none.
    if begun && at + rest.len() == text.len() { Read::Begun } else { Read::Nothing }
}

/// Whether the word at a place is glued to what stands before it, or begins its line, in a text of channels.
fn is_glued(text: &str, at: usize) -> bool {
    let before = &text[..at];
    before.starts_with("analysis") || before.starts_with("commentary") || !before.ends_with(' ')
}

/// Whether the beginning of a glued word is waited for.
fn waits_for_word(text: &str, at: usize, letters: usize) -> bool {
    text.starts_with("analysis") || text.starts_with("commentary") || letters >= FEWEST && is_glued(text, at)
}

/// Whether `rest` is a beginning of `word`, whatever its case.
fn begins(word: &str, rest: &str) -> bool {
    rest.len() < word.len() && word.as_bytes()[..rest.len()].eq_ignore_ascii_case(rest.as_bytes())
}

fn starts(rest: &str, word: &str) -> bool {
    rest.as_bytes().get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
}

fn fixed(rest: &str) -> Read {
    let mut begun = false;
    for (word, sign, form) in FIXED {
        if starts(rest, word) {
            return Read::Mark(word.len(), sign, form);
        }
        begun |= begins(word, rest);
    }
    if begun { Read::Begun } else { Read::Nothing }
}

/// A tag, with spaces and attributes.
fn tag(rest: &str) -> Read {
    let Some(inner) = rest.strip_prefix('<') else { return Read::Nothing };
    let trimmed = inner.trim_start_matches(' ');
    let (closes, trimmed) = match trimmed.strip_prefix('/') {
        Some(after) => (true, after.trim_start_matches(' ')),
        None => (false, trimmed),
    };
    let mut begun = trimmed.is_empty();
    for name in TAGS {
        if !starts(trimmed, name) {
            begun |= begins(name, trimmed);
            continue;
        }
        let after = &trimmed[name.len()..];
        let Some(next) = after.chars().next() else {
            begun = true;
            continue;
        };
        if !(next == '>' || next == '/' || next == ' ' || next == '\t') {
            continue;
        }
        let Some(end) = after.find(['>', '<', '\n']) else {
            begun = true;
            continue;
        };
        let attributes = after[..end].trim_end_matches('/').trim();
        if after.as_bytes()[end] != b'>' || !(attributes.is_empty() || attributes.contains('=')) {
            continue;
        }
        let length = rest.len() - after.len() + end + 1;
        if !closes && after[..end].ends_with('/') {
            return Read::Mark(length, Sign::AnswerEnd, Form::Tag(name));
        }
        return Read::Mark(length, if closes { Sign::Close } else { Sign::Open }, Form::Tag(name));
    }
    if begun { Read::Begun } else { Read::Nothing }
}

/// `◁think▷` and `◁/think▷`.
fn triangle(rest: &str) -> Read {
    if !rest.starts_with('◁') {
        return Read::Nothing;
    }
    let mut begun = false;
    for (word, sign) in [("◁think▷", Sign::Open), ("◁/think▷", Sign::Close)] {
        if rest.starts_with(word) {
            return Read::Mark(word.len(), sign, Form::Token);
        }
        begun |= word.starts_with(rest);
    }
    if begun { Read::Begun } else { Read::Nothing }
}

/// The head of a message of the harmony format, or its end.
fn harmony(rest: &str) -> Read {
    for end in ["<|end|>", "<|return|>", "<|call|>"] {
        if rest.starts_with(end) {
            return Read::Mark(end.len(), Sign::AnswerEnd, Form::Channel);
        }
        if begins(end, rest) {
            return Read::Begun;
        }
    }
    let head = ["<|start|>", "<|channel|>", "<|message|>"];
    if head.iter().any(|token| begins(token, rest)) {
        return Read::Begun;
    }
    if !head.iter().any(|token| rest.starts_with(token)) {
        return Read::Nothing;
    }
    let Some(end) = rest.find("<|message|>") else {
        return if rest.contains('\n') { Read::Nothing } else { Read::Begun };
    };
    let length = end + "<|message|>".len();
    let channel = rest[..end].split("<|channel|>").nth(1).map(str::trim_start);
    let sign = match channel {
        Some(channel) if starts(channel, "analysis") || starts(channel, "commentary") => Sign::Open,
        _ => Sign::Answer,
    };
    Read::Mark(length, sign, Form::Channel)
}

/// A token such as `<|begin_of_thought|>`.
fn token(rest: &str) -> Read {
    let Some((bar, inner)) = ["<|", "<｜"].iter().find_map(|bar| Some((bar, rest.strip_prefix(bar)?))) else {
        return if ["<|", "<｜"].iter().any(|bar| bar.starts_with(rest)) { Read::Begun } else { Read::Nothing };
    };
    let Some(end) = inner.find(['|', '｜', '\n', '<']) else {
        let is_word = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '/' | '▁' | ' ');
        return if inner.len() < 40 && inner.chars().all(is_word) { Read::Begun } else { Read::Nothing };
    };
    let after = inner[end..].trim_start_matches(['|', '｜']);
    if after.is_empty() {
        return Read::Begun;
    }
    if !after.starts_with('>') || inner[end..].starts_with(['\n', '<']) {
        return Read::Nothing;
    }
    let word = inner[..end].to_ascii_lowercase().replace(['▁', ' '], "_");
    let length = bar.len() + inner.len() - after.len() + 1;
    let strip = |all: &[&str]| all.iter().find_map(|start| word.strip_prefix(start)).map(str::to_owned);
    let strip_end = |end: &str| word.strip_suffix(end).map(str::to_owned);
    let (name, ends) =
        match (strip(&ENDS).or_else(|| strip_end("_end")), strip(&BEGINS).or_else(|| strip_end("_start"))) {
            (Some(name), _) => (name, true),
            (None, Some(name)) => (name, false),
            (None, None) => match word.as_str() {
                "inner_suffix" => ("inner".to_owned(), true),
                _ => (word.clone(), false),
            },
        };
    let is_bare = name == word;
    let sign = if TOKENS.contains(&name.as_str()) {
        if ends { Sign::Close } else { Sign::Open }
    } else if ANSWER_TOKENS.contains(&name.as_str()) && (ends || !is_bare) {
        if ends { Sign::AnswerEnd } else { Sign::Answer }
    } else {
        return Read::Nothing;
    };
    Read::Mark(length, sign, Form::Token)
}

fn glued(rest: &str) -> Read {
    for (word, sign) in GLUED {
        if rest.starts_with(word) {
            return Read::Mark(word.len(), sign, Form::Channel);
        }
        if word.starts_with(rest) {
            return Read::Begun;
        }
    }
    Read::Nothing
}
