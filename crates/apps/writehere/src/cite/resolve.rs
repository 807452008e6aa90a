//! Numbering the citations of a text, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use graphloom_retrieval::{Evidence, Source};
use graphloom_text::Language;
use graphloom_text::markdown::{close, code, math, touches};

use super::folders::Folders;
use super::marks::{Part, split, without_marks};
use super::{CiteEvent, Cited, Reference, heading};

/// Numbers the citations of a text. Evidence of one source gets one number; the same number twice in a row is written
/// once; unknown ids are removed with an event.
///
/// All else stays as it is, byte by byte: code, tables, formulas, spaces and numbers in brackets. A text without marks is
/// returned unchanged. No source gets a number that the text has in brackets itself, outside of code and formulas, so that
/// none can be confused. The heading of the list is in the language of the text.
///
/// ```
/// use graphloom_retrieval::{Evidence, Source};
/// use graphloom_writehere::cite::{resolve, verify};
///
/// let source = Source::Local { root: "docs".into(), path: "wal.md".into() };
/// let evidence = [Evidence::new("wal#1", source, "The log", "Pages go to the log first.")];
/// let cited = resolve("Pages go to `log[0]` first [reference:wal#1].", evidence.iter());
/// assert!(cited.text.starts_with("Pages go to `log[0]` first [1]."));
/// assert!(cited.text.ends_with("## References\n\n[1] The log. docs/wal.md"));
/// assert!(verify(&cited.text).is_empty());
/// ```
pub fn resolve<'e>(text: &str, evidence: impl IntoIterator<Item = &'e Evidence>) -> Cited {
    let parts = split(text);
    let known: BTreeMap<&str, &Evidence> = evidence.into_iter().map(|e| (e.id.as_str(), e)).collect();
    let mut sources = Sources::new(Folders::of(known.values().copied()), taken(text, &parts));
    let mut out = Output { text: String::with_capacity(text.len()), after: After::Text };
    let mut events = Vec::new();
    let mut last_number = None;
    for part in parts {
        match part {
            Part::Text("") => {}
            Part::Text(text) => {
                if !text.trim().is_empty() {
                    last_number = None;
                }
                out.text(text);
            }
            Part::Number(number) => {
                last_number = None;
                out.text(number);
            }
            Part::Mark(ids) => {
                for id in ids {
                    let Some(evidence) = known.get(id.as_str()) else {
                        events.push(CiteEvent::Unknown { id });
                        out.removed();
                        continue;
                    };
                    let number = sources.number(evidence);
                    if last_number.replace(number) == Some(number) {
                        out.removed();
                    } else {
                        out.cite(number);
                    }
                }
            }
        }
    }
    out.end();
    let mut cited = Cited { text: out.text, references: sources.references, events };
    cited.events.extend(unread(&cited.text, &known).into_iter().map(|id| CiteEvent::Unread { id: id.to_owned() }));
    cited.events.extend(sources.avoided.iter().map(|number| CiteEvent::LeftNumber { number: number.to_string() }));
    if !cited.references.is_empty() {
        let closed = close(cited.text.trim_end());
        cited.events.extend(closed.told().map(|what| CiteEvent::Closed { what }));
        cited.text = closed.text;
        cited.text.push_str("\n\n");
        cited.text.push_str(&heading(Language::detect(&without_marks(text))));
        for reference in &cited.references {
            cited.text.push_str(&format!("\n\n[{}] {}", reference.number, reference));
        }
    }
    cited
}

/// The numbers that a text has in brackets, outside of code and formulas.
fn taken(text: &str, parts: &[Part<'_>]) -> BTreeSet<usize> {
    let math = math(text);
    let numbers = parts.iter().filter_map(|part| match part {
        Part::Number(number) => Some(*number),
        _ => None,
    });
    let place = |number: &str| number.as_ptr() as usize - text.as_ptr() as usize;
    let own = numbers.filter(|number| !touches(&(place(number)..place(number) + number.len()), &math));
    own.filter_map(|number| number.trim_matches(['[', ']']).parse().ok()).collect()
}

/// The ids of known evidence that stand in a text as words, where no mark was read. Code has none.
fn unread<'e>(text: &str, known: &BTreeMap<&'e str, &Evidence>) -> Vec<&'e str> {
    let code = code(text);
    let ids = known.keys().copied().filter(|id| id.contains('#'));
    let stands = |id: &str| {
        text.match_indices(id).any(|(at, _)| {
            let behind = &text[at + id.len()..];
            !behind.starts_with(char::is_alphanumeric) && !touches(&(at..at + id.len()), &code)
        })
    };
    ids.filter(|id| stands(id)).collect()
}

/// What the last piece of the output was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Text,
    Citation,
    /// A mark that left nothing.
    Nothing,
}

struct Output {
    text: String,
    after: After,
}

impl Output {
    /// Text as it stands. Only next to a citation a blank is added or taken away.
    fn text(&mut self, text: &str) {
        let mut text = text;
        match std::mem::replace(&mut self.after, After::Text) {
            After::Text => {}
            // `[1](…)` and `[1][…]` would be links, and `[1]: …` at the start of a line defines one.
            After::Citation => {
                let line = self.text.rsplit('\n').next().unwrap_or_default();
                let defines = text.starts_with(':') && line.trim_start().starts_with('[') && !line.contains(' ');
                if text.starts_with(['(', '[']) || defines {
                    self.text.push(' ');
                }
            }
            After::Nothing if self.at_line_start() => {
                text = text.trim_start_matches(' ');
                // The line is empty now, behind which an indented line would be code and no more part of its paragraph.
                let end = if text.starts_with('\r') { "\r\n" } else { "\n" };
                if let Some(next) = text.strip_prefix(end) {
                    let unindented = next.trim_start_matches([' ', '\t']);
                    if !unindented.starts_with(['\r', '\n']) {
                        self.text.push_str(end);
                        text = unindented;
                    }
                }
            }
            After::Nothing => {
                if text.starts_with(|c: char| c.is_whitespace() || CLOSING.contains(&c)) {
                    self.drop_blanks();
                }
            }
        }
        self.text.push_str(text);
    }

    fn cite(&mut self, number: usize) {
        let last = self.text.chars().next_back();
        let glued = match self.after {
            After::Citation => false,
            _ => last.is_some_and(|c| !c.is_whitespace() && !matches!(c, '(' | '[')),
        };
        if glued {
            self.text.push(' ');
        }
        self.text.push_str(&format!("[{number}]"));
        self.after = After::Citation;
    }

    /// A mark that is not written. After a citation there is still a citation.
    fn removed(&mut self) {
        if self.after == After::Text {
            self.after = After::Nothing;
        }
    }

    fn end(&mut self) {
        if self.after == After::Nothing {
            self.drop_blanks();
        }
    }

    fn at_line_start(&self) -> bool {
        let line = self.text.rsplit('\n').next().unwrap_or_default();
        line.chars().all(char::is_whitespace)
    }

    fn drop_blanks(&mut self) {
        let length = self.text.trim_end_matches([' ', '\t']).len();
        self.text.truncate(length);
    }
}

/// What closes the words before it, so that no blank stands in between.
const CLOSING: [char; 17] = ['.', ',', ';', ':', '!', '?', ')', ']', '}', '»', '”', '’', '。', '，', '；', '：', '、'];

/// The sources in the order of their numbers.
struct Sources<'e> {
    folders: Folders<'e>,
    found: Vec<&'e Source>,
    references: Vec<Reference>,
    /// The numbers that the text has in brackets.
    taken: BTreeSet<usize>,
    /// Those of them that would have been given to a source.
    avoided: BTreeSet<usize>,
    next: usize,
}

impl<'e> Sources<'e> {
    fn new(folders: Folders<'e>, taken: BTreeSet<usize>) -> Self {
        let (found, references, avoided) = (Vec::new(), Vec::new(), BTreeSet::new());
        Self { folders, found, references, taken, avoided, next: 1 }
    }

    /// The number of a piece of evidence: that of its source.
    fn number(&mut self, evidence: &'e Evidence) -> usize {
        let whole = evidence.source.to_string();
        let place = evidence.place();
        let place = place.strip_prefix(&whole).map_or("", |rest| rest.trim_start_matches([',', ' '])).to_string();
        let found = self.found.iter().position(|source| **source == evidence.source);
        let at = found.unwrap_or_else(|| {
            while self.taken.contains(&self.next) {
                self.avoided.insert(self.next);
                self.next += 1;
            }
            self.found.push(&evidence.source);
            self.references.push(Reference {
                number: self.next,
                evidence: Vec::new(),
                title: evidence.title.clone(),
                places: vec![self.folders.shown(&evidence.source).to_string()],
            });
            self.next += 1;
            self.references.len() - 1
        });
        let reference = &mut self.references[at];
        if !reference.evidence.contains(&evidence.id) {
            reference.evidence.push(evidence.id.clone());
        }
        if !place.is_empty() && !reference.places.contains(&place) {
            reference.places.push(place);
        }
        reference.number
    }
}
