//! A JSON value while its text arrives.
//!
//! [`PartialJson`] takes the text in pieces, keeps the value so far, and tells what each piece added: more of a string at a
//! path, a scalar, the end of a string, array or object. Each piece costs what it adds and the length of its path, and not
//! the length of what was there before. What cannot be told yet is not shown: half an escape, half a pair of surrogates, a number that may go on.
//!
//! ```
//! use graphloom_llm::structured::{PartialEvent, PartialJson};
//! use serde_json::json;
//!
//! let mut partial = PartialJson::new();
//! partial.push(r#"{"title": "Tides", "tasks": [{"goal": "Ask th"#);
//! assert_eq!(partial.value(), Some(&json!({"title": "Tides", "tasks": [{"goal": "Ask th"}]})));
//! let events = partial.push("e mo");
//! assert_eq!(events, [PartialEvent::Text { path: "/tasks/0/goal".into(), more: "e mo".into() }]);
//!
//! #[derive(Debug, serde::Deserialize)]
//! #[serde(default)]
//! struct Plan {
//!     title: String,
//! }
//! # impl Default for Plan { fn default() -> Self { Self { title: String::new() } } }
//! assert_eq!(partial.view::<Plan>().unwrap().title, "Tides");
//! ```

mod scan;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use scan::{NoJson, Scanner, Token};

/// The deepest nesting that is followed.
const DEEPEST: usize = 128;

/// What a piece of text added. A path is a JSON pointer (RFC 6901).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PartialEvent {
    /// More of a string.
    Text {
        /// Where the string is.
        path: String,
        /// What it has more, whole characters only.
        more: String,
    },
    /// A number, a truth value or null.
    Scalar {
        /// Where it is.
        path: String,
        /// The value.
        value: Value,
    },
    /// A string, an array or an object is complete.
    Ended {
        /// Where it is.
        path: String,
    },
}

/// A JSON value while its text arrives.
///
/// The value begins at the first `{` or `[`; what comes before and after it is passed over. Of a text that is no JSON the
/// value stays as it was before the fault: [`PartialJson::is_broken`].
#[derive(Debug, Default)]
pub struct PartialJson {
    scanner: Scanner,
    root: Option<Value>,
    /// The member of the root that holds the value, where a provider takes objects only.
    member: Option<&'static str>,
    open: Vec<Container>,
    expected: Expected,
    /// The name of a member that is being read.
    name: Option<String>,
    is_complete: bool,
    is_broken: bool,
}

/// An array or object that is not complete, with the place of what is read in it.
#[derive(Debug)]
enum Container {
    Object(String),
    Array(usize),
}

/// What may come next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Expected {
    #[default]
    Value,
    /// A value, or the end of an empty array.
    ValueOrEnd,
    /// A name, or the end of an empty object.
    NameOrEnd,
    Name,
    Colon,
    CommaOrEnd,
    /// More of a string.
    Text,
}

impl PartialJson {
    /// Nothing has arrived.
    pub fn new() -> Self {
        Self::default()
    }

    /// Nothing has arrived of a value that comes as this member of an object.
    pub(super) fn within(member: Option<&'static str>) -> Self {
        Self { member, ..Self::default() }
    }

    /// Takes more text, and gives what it added, in order.
    pub fn push(&mut self, text: &str) -> Vec<PartialEvent> {
        let mut text = text;
        if self.root.is_none() {
            let Some(start) = text.find(['{', '[']) else { return Vec::new() };
            text = &text[start..];
        }
        if self.is_complete || self.is_broken {
            return Vec::new();
        }
        let mut tokens = Vec::new();
        let scanned = self.scanner.push(text, &mut tokens);
        let mut events = Vec::new();
        for token in tokens {
            if self.is_complete {
                return events;
            }
            if self.take(token, &mut events).is_err() {
                self.is_broken = true;
                return events;
            }
        }
        self.is_broken = scanned.is_err() && !self.is_complete;
        events
    }

    /// The value so far; `None` before its beginning.
    pub fn value(&self) -> Option<&Value> {
        match (self.root.as_ref()?, self.member) {
            (Value::Object(members), Some(member)) => members.get(member),
            (root, _) => Some(root),
        }
    }

    /// The value so far as a `T`, all of whose members should have defaults; `None` where it does not fit yet. It costs as
    /// much as the value is long.
    pub fn view<T: DeserializeOwned>(&self) -> Option<T> {
        T::deserialize(self.value()?).ok()
    }

    /// Whether the value has ended.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Whether the text is no JSON, or is nested too deeply.
    pub fn is_broken(&self) -> bool {
        self.is_broken
    }

    fn take(&mut self, token: Token, events: &mut Vec<PartialEvent>) -> Result<(), NoJson> {
        use Expected::{Colon, CommaOrEnd, Name, NameOrEnd, Text, Value as AnyValue, ValueOrEnd};
        match (token, self.expected) {
            (Token::Quote, Name | NameOrEnd) => {
                self.name = Some(String::new());
                self.expected = Text;
            }
            (Token::Quote, AnyValue | ValueOrEnd) => {
                self.put(Value::String(String::new()))?;
                self.expected = Text;
            }
            (Token::Piece(more), Text) => match &mut self.name {
                Some(name) => name.push_str(&more),
                None => {
                    let Some(Value::String(text)) = self.current() else { return Err(NoJson) };
                    text.push_str(&more);
                    events.extend(self.path().map(|path| PartialEvent::Text { path, more }));
                }
            },
            (Token::Unquote, Text) => match self.name.take() {
                Some(name) => {
                    let Some(Container::Object(place)) = self.open.last_mut() else { return Err(NoJson) };
                    *place = name;
                    self.expected = Colon;
                }
                None => {
                    events.extend(self.path().map(|path| PartialEvent::Ended { path }));
                    self.expected = CommaOrEnd;
                }
            },
            (Token::Scalar(word), AnyValue | ValueOrEnd) => {
                let value: Value = serde_json::from_str(&word).map_err(|_| NoJson)?;
                self.put(value.clone())?;
                events.extend(self.path().map(|path| PartialEvent::Scalar { path, value }));
                self.expected = CommaOrEnd;
            }
            (Token::Sign(':'), Colon) => self.expected = AnyValue,
            (Token::Sign(sign @ ('{' | '[')), AnyValue | ValueOrEnd) => {
                if self.open.len() == DEEPEST {
                    return Err(NoJson);
                }
                let (value, open, expected) = if sign == '{' {
                    (Value::Object(Map::new()), Container::Object(String::new()), NameOrEnd)
                } else {
                    (Value::Array(Vec::new()), Container::Array(0), ValueOrEnd)
                };
                self.put(value)?;
                self.open.push(open);
                self.expected = expected;
            }
            (Token::Sign(','), CommaOrEnd) => {
                self.expected = match self.open.last() {
                    Some(Container::Object(_)) => Name,
                    Some(Container::Array(_)) => AnyValue,
                    None => return Err(NoJson),
                };
            }
            (Token::Sign(sign @ ('}' | ']')), CommaOrEnd | NameOrEnd | ValueOrEnd) => {
                match (sign, self.open.pop()) {
                    ('}', Some(Container::Object(_))) | (']', Some(Container::Array(_))) => {}
                    _ => return Err(NoJson),
                }
                events.extend(self.path().map(|path| PartialEvent::Ended { path }));
                self.is_complete = self.open.is_empty();
                self.expected = CommaOrEnd;
            }
            _ => return Err(NoJson),
        }
        Ok(())
    }

    /// Puts a value at the place that comes next.
    fn put(&mut self, value: Value) -> Result<(), NoJson> {
        if self.open.is_empty() {
            self.root = Some(value);
            return Ok(());
        }
        let depth = self.open.len() - 1;
        let name = match self.open.last() {
            Some(Container::Object(name)) => name.clone(),
            _ => String::new(),
        };
        let place = match self.at(depth) {
            Some(Value::Object(members)) => {
                members.insert(name, value);
                None
            }
            Some(Value::Array(items)) => {
                items.push(value);
                Some(items.len() - 1)
            }
            _ => return Err(NoJson),
        };
        if let (Some(place), Some(Container::Array(index))) = (place, self.open.last_mut()) {
            *index = place;
        }
        Ok(())
    }

    /// The value that is being read.
    fn current(&mut self) -> Option<&mut Value> {
        self.at(self.open.len())
    }

    /// The value below this many of the open ones.
    fn at(&mut self, depth: usize) -> Option<&mut Value> {
        let mut value = self.root.as_mut()?;
        for open in self.open.iter().take(depth) {
            value = match open {
                Container::Object(name) => value.get_mut(name)?,
                Container::Array(index) => value.get_mut(*index)?,
            };
        }
        Some(value)
    }

    /// Where the value is that is being read; `None` for what is not part of the value.
    fn path(&self) -> Option<String> {
        let mut open = self.open.iter();
        if let (Some(member), Some(Value::Object(_))) = (self.member, &self.root) {
            open.next().filter(|open| matches!(open, Container::Object(name) if name == member))?;
        }
        let mut path = String::new();
        for open in open {
            path.push('/');
            match open {
                Container::Object(name) => path.push_str(&name.replace('~', "~0").replace('/', "~1")),
                Container::Array(index) => path.push_str(&index.to_string()),
            }
        }
        Some(path)
    }
}
