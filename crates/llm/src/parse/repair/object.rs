//! Objects that are almost JSON objects.

use serde_json::{Map, Value};

use super::lookahead::{LOOK_AHEAD, after_key, closing_quote, split_key};
use super::{Place, Reader, RepairError, RepairKind, Shape};

impl Reader<'_> {
    /// Reads an object whose opening bracket is next.
    pub(super) fn object(&mut self, depth: usize) -> Result<Value, RepairError> {
        self.bump();
        self.members(depth)
    }

    /// Reads members up to the closing bracket.
    pub(super) fn members(&mut self, depth: usize) -> Result<Value, RepairError> {
        self.open.push(Shape::Object);
        let mut members = Map::new();
        let mut last: Option<String> = None;
        let mut separated = true;
        loop {
            self.skip_blank();
            let at = self.at;
            match self.peek().filter(|_| !self.at_fence()) {
                None => {
                    self.note(RepairKind::ClosedBracket, at);
                    break;
                }
                Some('}') => {
                    self.bump();
                    if separated && !members.is_empty() {
                        self.note(RepairKind::ExtraComma, at);
                    }
                    break;
                }
                Some(']') => {
                    if self.ends_by_wrong_bracket() {
                        break;
                    }
                }
                Some(',') => {
                    self.bump();
                    if separated {
                        self.note(RepairKind::ExtraComma, at);
                    }
                    separated = true;
                }
                Some('.' | '…') if self.ellipsis() => {}
                Some('{') if self.next_object_begins() => {
                    self.close_here();
                    break;
                }
                Some('{' | '[')
                    if last_value(&mut members, last.as_deref()).is_some_and(|value| self.list_goes_on(value)) =>
                {
                    if let Some(list) = last_value(&mut members, last.as_deref()) {
                        self.more_items(list, depth)?;
                    }
                    separated = false;
                }
                Some('{' | '[' | ':') => {
                    self.bump();
                    self.note(RepairKind::StrayBracket, at);
                }
                Some(_) if self.stray_words(separated) => {}
                Some(_) => {
                    if !separated {
                        self.note(RepairKind::MissingComma, at);
                    }
                    separated = false;
                    let Some(key) = self.key() else { continue };
                    if let Some(value) = self.after_member_key(depth)? {
                        members.insert(key.clone(), value);
                    } else {
                        // A value that the text does not give replaces none that it gave before.
                        self.note(RepairKind::MissingValue, self.at);
                        members.entry(key.clone()).or_insert(Value::Null);
                    }
                    last = Some(key);
                }
            }
        }
        self.open.pop();
        Ok(Value::Object(members))
    }

    /// Reads the colon and the value behind a key, when there is a value.
    fn after_member_key(&mut self, depth: usize) -> Result<Option<Value>, RepairError> {
        self.skip_blank();
        match self.peek().filter(|_| !self.at_fence()) {
            Some(',' | '}' | ']') | None => return Ok(None),
            Some(':') => {
                self.bump();
            }
            Some('=') => {
                self.note(RepairKind::MissingColon, self.at);
                self.bump();
                if self.peek() == Some('>') {
                    self.bump();
                }
            }
            // The next member begins.
            Some(_) if self.key_of_member().is_some() => return Ok(None),
            Some(_) => self.note(RepairKind::MissingColon, self.at),
        }
        self.skip_blank();
        if matches!(self.peek(), Some(',' | '}' | ']')) {
            Ok(None)
        } else if self.key_of_member().is_some() {
            self.object_without_bracket(depth + 1).map(Some)
        } else {
            self.value(depth + 1, Place::Member)
        }
    }

    /// Reads an object that lacks its opening bracket.
    pub(super) fn object_without_bracket(&mut self, depth: usize) -> Result<Value, RepairError> {
        self.check_depth(depth)?;
        self.note(RepairKind::OpenedBracket, self.at);
        self.members(depth)
    }

    /// Reads a key. There is none when the end of the text cuts the key off.
    fn key(&mut self) -> Option<String> {
        if self.peek().is_some_and(|c| closing_quote(c).is_some()) {
            return self.string(Place::Key);
        }
        let start = self.at;
        while self.peek().is_some_and(|c| !matches!(c, ':' | '=' | ',' | '}' | ']' | '{' | '[' | '\n')) {
            self.bump();
        }
        if self.at == self.text.len() {
            self.note(RepairKind::CutOff, start);
            return None;
        }
        if self.at == start {
            self.bump();
        }
        let words = self.text[start..self.at].trim();
        if let Some(key) = words.strip_suffix('"').filter(|key| !key.contains('"')) {
            self.note(RepairKind::OpenedString, start);
            return Some(key.to_owned());
        }
        self.note(RepairKind::UnquotedKey, start);
        Some(words.to_owned())
    }

    /// Whether the opening bracket that is next goes on with the value before it: more items of an array, or an object like
    /// the one before it.
    fn list_goes_on(&self, value: &Value) -> bool {
        let key = split_key(self.ahead(self.at + 1)).map(|(key, _)| key);
        if self.peek() == Some('[') {
            return value.is_array() && key.is_none();
        }
        let before = value.as_array().map_or(Some(value), |items| items.last());
        key.zip(before).is_some_and(|(key, before)| before.get(key).is_some())
    }

    /// Reads an array or an object that belongs to `list`, which becomes an array when it is none.
    fn more_items(&mut self, list: &mut Value, depth: usize) -> Result<(), RepairError> {
        let kind = if list.is_array() { RepairKind::StrayBracket } else { RepairKind::OpenedBracket };
        self.note(kind, self.at);
        let more = self.value(depth + 1, Place::Item)?;
        if !list.is_array() {
            *list = Value::Array(vec![list.take()]);
        }
        match (list.as_array_mut(), more) {
            (Some(items), Some(Value::Array(more))) => items.extend(more),
            (Some(items), more) => items.extend(more),
            (None, _) => {}
        }
        Ok(())
    }

    /// Steps over words that are neither a key nor a value: words before a quoted key, and words that nothing separates
    /// from the value before them.
    fn stray_words(&mut self, separated: bool) -> bool {
        let ahead = self.window(self.at, LOOK_AHEAD);
        if ahead.starts_with(|c| closing_quote(c).is_some()) {
            return false;
        }
        let mut spaced = false;
        let mut length = (self.at + ahead.len() == self.text.len() && !separated).then_some(ahead.len());
        for (index, c) in ahead.char_indices() {
            match c {
                '}' | ']' | ',' => {
                    length = (!separated).then_some(index);
                    break;
                }
                ':' | '=' | '{' | '[' | '\n' => {
                    length = None;
                    break;
                }
                c if spaced && closing_quote(c).is_some() && after_key(&ahead[index..]).is_some() => {
                    length = Some(index);
                    break;
                }
                _ => spaced = c.is_whitespace(),
            }
        }
        let Some(length) = length.filter(|length| *length > 0) else { return false };
        self.note(RepairKind::StrayText, self.at);
        self.at += length;
        true
    }
}

/// The value of the member that was read last.
fn last_value<'a>(members: &'a mut Map<String, Value>, key: Option<&str>) -> Option<&'a mut Value> {
    members.get_mut(key?)
}
