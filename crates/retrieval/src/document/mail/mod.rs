//! Mail: one message, or a mailbox of many.

mod letters;
mod mailbox;

use std::borrow::Cow;

use mail_parser::{Addr, Address, Message, MessageParser, MessagePart, PartType};

use super::blocks::Blocks;
use super::html::walk;
use super::kind::without_mark;
use super::{Passage, UnreadReason};
use letters::{text_of, with_readable_fields};

/// How deep messages may be enclosed in one another.
const DEEPEST: usize = 8;

/// Reads one message: who wrote it, to whom and when, under its subject, and its text.
///
/// # Errors
/// Bytes that are no message.
pub(super) fn read(bytes: &[u8], size: usize) -> Result<(Option<String>, Vec<Passage>, Option<String>), UnreadReason> {
    let mut letters = Letters::new();
    // What some programs write before the first field belongs to no message.
    let bytes = without_mark(bytes);
    let first = bytes.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let subject = letters.take(if bytes.starts_with(b"From ") { &bytes[first..] } else { bytes }, 1)?;
    let (passages, note) = letters.finish(size);
    Ok((subject, passages, note))
}

/// Reads the messages of a mailbox, each under its subject.
///
/// # Errors
/// A mailbox in which no message can be read.
pub(super) fn read_all(bytes: &[u8], size: usize) -> Result<(Vec<Passage>, Option<String>), UnreadReason> {
    let mut letters = Letters::new();
    for message in mailbox::messages(without_mark(bytes)) {
        if letters.take(&message, 1).is_err() {
            letters.unreadable += 1;
        }
    }
    Ok(letters.finish(size))
}

struct Letters {
    blocks: Blocks,
    attachments: usize,
    unreadable: usize,
    /// What is told of the charsets of texts.
    guessed: Vec<String>,
}

impl Letters {
    fn new() -> Self {
        Self { blocks: Blocks::new(), attachments: 0, unreadable: 0, guessed: Vec::new() }
    }

    /// Adds a message and says what its subject is.
    fn take(&mut self, bytes: &[u8], level: u8) -> Result<Option<String>, UnreadReason> {
        let bytes = with_readable_fields(bytes);
        let message = MessageParser::default().parse(&*bytes).filter(|message| !message.headers().is_empty());
        let message = message.ok_or_else(|| UnreadReason::malformed("it is no message"))?;
        Ok(self.add(&message, level))
    }

    fn add(&mut self, message: &Message<'_>, level: u8) -> Option<String> {
        let subject = message.subject().map(|subject| subject.split_whitespace().collect::<Vec<_>>().join(" "));
        let subject = subject.filter(|subject| !subject.is_empty());
        self.blocks.heading(level, subject.as_deref().unwrap_or("(no subject)"));
        let date = message.date().filter(|date| date.is_valid()).map(mail_parser::DateTime::to_rfc3339);
        let date = date.or_else(|| message.header_raw("Date").map(|date| date.trim().to_owned()));
        for (name, value) in [("From", people(message.from())), ("To", people(message.to())), ("Date", date)] {
            if let Some(value) = value {
                self.blocks.block(&format!("{name}: {value}"), name != "From");
            }
        }
        for part in message.text_bodies() {
            match &part.body {
                PartType::Text(text) => {
                    let text = self.readable(message, part, text);
                    paragraphs(&text).for_each(|text| self.blocks.block(text, false));
                }
                PartType::Html(page) => {
                    let page = self.readable(message, part, page);
                    let read = walk::read(&page, level, &mut self.blocks);
                    self.unreadable += usize::from(read.is_err());
                }
                _ => {}
            }
        }
        for part in message.attachments() {
            match &part.body {
                PartType::Message(enclosed) if usize::from(level) < DEEPEST => {
                    self.add(enclosed, level + 1);
                }
                _ => self.attachments += 1,
            }
        }
        subject
    }

    fn readable<'a>(&mut self, message: &'a Message<'_>, part: &'a MessagePart<'_>, text: &'a str) -> Cow<'a, str> {
        let (text, note) = text_of(message, part, text);
        self.guessed.extend(note.filter(|note| !self.guessed.contains(note)));
        text
    }

    fn finish(self, size: usize) -> (Vec<Passage>, Option<String>) {
        let mut notes = Vec::new();
        if self.attachments > 0 {
            notes.push(format!("{} attachments were not read", self.attachments));
        }
        if self.unreadable > 0 {
            notes.push(format!("{} messages or parts of them could not be read", self.unreadable));
        }
        notes.extend(self.guessed.iter().map(|note| format!("a message {note}")));
        (self.blocks.finish(size).1, (!notes.is_empty()).then(|| notes.join("; ")))
    }
}

/// Names and addresses as a reader of mail shows them.
fn people(address: Option<&Address<'_>>) -> Option<String> {
    let one = |person: &Addr<'_>| match (person.name(), person.address()) {
        (Some(name), Some(address)) => format!("{name} <{address}>"),
        (name, address) => name.or(address).unwrap_or_default().to_owned(),
    };
    let people = address?.iter().map(one).collect::<Vec<_>>().join(", ");
    (!people.is_empty()).then_some(people)
}

/// Pieces of a text between empty lines.
fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let mut end = 0;
            for line in rest.split_inclusive('\n') {
                if line.trim().is_empty() {
                    break;
                }
                end += line.len();
            }
            if end == 0 {
                let first = rest.split_inclusive('\n').next().map_or(rest.len(), str::len);
                rest = &rest[first..];
                continue;
            }
            let (piece, behind) = rest.split_at(end);
            rest = behind;
            return Some(piece);
        }
        None
    })
}
