//! Arrays that are almost JSON arrays.

use serde_json::Value;

use super::{Place, Reader, RepairError, RepairKind, Shape};

impl Reader<'_> {
    /// Reads an array whose opening bracket is next.
    pub(super) fn array(&mut self, depth: usize) -> Result<Value, RepairError> {
        self.bump();
        self.open.push(Shape::Array);
        let items = self.items(depth)?;
        self.open.pop();
        Ok(Value::Array(items))
    }

    fn items(&mut self, depth: usize) -> Result<Vec<Value>, RepairError> {
        let mut items = Vec::new();
        let mut separated = true;
        loop {
            self.skip_blank();
            let at = self.at;
            match self.peek().filter(|_| !self.at_fence()) {
                None => {
                    self.note(RepairKind::ClosedBracket, at);
                    return Ok(items);
                }
                Some(']') => {
                    self.bump();
                    if separated && !items.is_empty() {
                        self.note(RepairKind::ExtraComma, at);
                    }
                    return Ok(items);
                }
                Some('}') => {
                    if self.ends_by_wrong_bracket() {
                        return Ok(items);
                    }
                }
                Some(',') => {
                    self.bump();
                    if separated {
                        self.note(RepairKind::ExtraComma, at);
                    }
                    separated = true;
                }
                Some(':') => {
                    self.bump();
                    self.note(RepairKind::StrayBracket, at);
                }
                Some('.' | '…') if self.ellipsis() => {}
                Some(_) => {
                    let key = self.key_of_member();
                    if key.is_some_and(|key| self.key_is_outside(key, items.last())) {
                        self.close_here();
                        return Ok(items);
                    }
                    if !separated {
                        self.note(RepairKind::MissingComma, at);
                    }
                    let value = match key {
                        Some(_) => Some(self.object_without_bracket(depth + 1)?),
                        None => self.value(depth + 1, Place::Item)?,
                    };
                    items.extend(value);
                    separated = false;
                }
            }
        }
    }

    /// Whether `key`, which stands where an item is to come, is a key of the object around the array, since the array lacks
    /// its closing bracket. A key that the object before it has as well begins one more object of the array.
    fn key_is_outside(&self, key: &str, before: Option<&Value>) -> bool {
        let in_object = matches!(self.open.as_slice(), [.., Shape::Object, Shape::Array]);
        in_object && before.is_some_and(|item| item.get(key).is_none())
    }
}
