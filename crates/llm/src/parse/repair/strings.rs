//! Strings that are almost JSON strings.

use super::inside::Inside;
use super::lookahead::closing_quote;
use super::{Place, Reader, Repair, RepairKind};

/// How the reading of a string came to its end.
enum Ending {
    /// A quote closed the string.
    Closed,
    /// The text or the part that was to be read ended.
    Open,
    /// The closing quote is missing, and the string ended at this place.
    Earlier(usize),
}

/// A string that is being read.
struct Reading {
    place: Place,
    opened: usize,
    open: char,
    text: String,
    inside: Inside,
    /// Whether a second opening quote is either doubled or opens quoted words. The next quote tells which: it closes the
    /// string, or it closes the words.
    second: bool,
    /// The number of repairs that were listed before the second quote.
    noted: usize,
    /// The end of an object in the text of the string whose quotes are not escaped.
    inner_object_end: usize,
}

impl Reader<'_> {
    /// Reads a string whose opening quote is next. There is none when the end of the text cuts a key off, or an item
    /// behind its opening quote.
    pub(super) fn string(&mut self, place: Place) -> Option<String> {
        let (opened, noted) = (self.at, self.repairs.len());
        let open = self.peek().unwrap_or('"');
        let (text, ending) = self.string_until(place, open, self.text.len());
        let end = match ending {
            Ending::Closed => return Some(text),
            Ending::Earlier(end) => Some(end),
            Ending::Open => self.open_string_end(place, opened + open.len_utf8()),
        };
        if let Some(end) = end {
            self.at = opened;
            self.repairs.truncate(noted);
            return Some(self.string_until(place, open, end).0);
        }
        if place == Place::Key || place == Place::Item && text.is_empty() {
            self.repairs.truncate(noted);
            self.note(RepairKind::CutOff, opened);
            return None;
        }
        Some(text)
    }

    /// Reads a string with the opening quote `open` up to its closing quote, and not beyond `limit`.
    fn string_until(&mut self, place: Place, open: char, limit: usize) -> (String, Ending) {
        let opened = self.at;
        self.at += open.len_utf8();
        let quotes = closing_quote(open).unwrap_or(&['"']);
        if quotes != ['"'] {
            self.note(RepairKind::OtherQuotes, opened);
        }
        let more = self.quotes_at(self.at, open).min(limit.saturating_sub(self.at));
        self.at += more;
        if more > 1 {
            self.note(RepairKind::DoubledQuote, opened + 1);
        }
        let mut inside = Inside::new(self.at);
        if more > 0 && self.ends_string(self.at, place, inside) {
            return (String::new(), Ending::Closed);
        }
        inside.quotes = usize::from(more == 1);
        let noted = self.repairs.len();
        let text = String::new();
        let mut reading = Reading { place, opened, open, text, inside, second: more == 1, noted, inner_object_end: 0 };
        loop {
            let at = self.at;
            let Some(c) = self.peek().filter(|_| at < limit) else {
                self.settle_second(&mut reading, RepairKind::DoubledQuote);
                self.note(RepairKind::ClosedString, at);
                reading.text.truncate(reading.text.trim_end().len());
                return (reading.text, Ending::Open);
            };
            self.at += c.len_utf8();
            if c == '\\' {
                self.escape(at, &mut reading.text);
                reading.inside.take('\\', self.at);
            } else if quotes.contains(&c) {
                if let Some(ending) = self.quote(at, c, &mut reading) {
                    return (reading.text, ending);
                }
            } else {
                if c.is_ascii_control() {
                    self.note(RepairKind::ControlCharacter, at);
                }
                if c == '\n' && place == Place::Key && self.ahead(self.at).starts_with(quotes) {
                    // A line break before the closing quote is no part of the key.
                    self.at = self.text.len() - self.text[self.at..].trim_start().len();
                } else {
                    reading.text.push(c);
                }
                reading.inside.take(c, self.at);
            }
        }
    }

    /// Judges the quote `c` at `at`, which was just read. The quote belongs to the text of the string unless an ending is
    /// returned.
    fn quote(&mut self, at: usize, c: char, reading: &mut Reading) -> Option<Ending> {
        let Reading { place, opened, inside, .. } = *reading;
        if at >= reading.inner_object_end {
            let key_end = (place == Place::Key).then(|| self.key_end(opened + reading.open.len_utf8(), at)).flatten();
            if let Some(end) = key_end {
                return Some(Ending::Earlier(end));
            }
            let more = self.quotes_at(self.at, c);
            let may_be_doubled = more > 0 && (inside.paired() || reading.second);
            let doubled = may_be_doubled && self.ends_string(self.at + more, place, inside);
            if doubled || self.ends_string(self.at, place, inside) {
                // The only quote in the text stands where an item would open, so the item before it lacks its closing
                // quote.
                if let Some(end) = inside.before_comma.filter(|_| place == Place::Item && inside.quotes == 1) {
                    return Some(Ending::Earlier(end));
                }
                self.settle_second(reading, RepairKind::DoubledQuote);
                if doubled {
                    self.at += more;
                    self.note(RepairKind::DoubledQuote, at + 1);
                }
                return Some(Ending::Closed);
            }
            if let Some(end) = self.before_next_key(at, inside) {
                return Some(Ending::Earlier(end));
            }
            reading.inner_object_end = self.inner_object_end(at, inside);
        }
        self.settle_second(reading, RepairKind::InnerQuote);
        self.note(RepairKind::InnerQuote, at);
        reading.text.push(c);
        if inside.quotes == 0 && inside.words_depth == 0 && self.text[inside.words_end..at].trim() == "," {
            reading.inside.before_comma = Some(inside.words_end);
        }
        reading.inside.quotes += 1;
        reading.inside.take(c, self.at);
        None
    }

    /// Lists what the second opening quote turned out to be. An inner quote goes to the text of the string.
    fn settle_second(&mut self, reading: &mut Reading, kind: RepairKind) {
        if std::mem::take(&mut reading.second) {
            self.repairs.insert(reading.noted, Repair { kind, at: reading.opened + 1 });
            if kind == RepairKind::InnerQuote {
                reading.text.insert(0, reading.open);
            }
        }
    }

    /// The number of quotes `quote` at `at`. More than four are no doubled quotes.
    fn quotes_at(&self, at: usize, quote: char) -> usize {
        match quote {
            '"' | '\'' => self.text[at..].chars().take(4).take_while(|c| *c == quote).count(),
            _ => 0,
        }
    }
}
