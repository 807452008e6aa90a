//! From YAML events to keys, values and the bytes they are written in.

use std::collections::{BTreeMap, BTreeSet};

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::{Map, Number, Value};

use super::{Entry, Scalar, Shape};

/// Larger frontmatter is not read: it is data that somebody put in the wrong place.
const SIZE_LIMIT: usize = 256 * 1024;
/// The deepest nesting that is read.
const DEPTH_LIMIT: usize = 64;
/// The most values, those repeated by `*aliases` counted each time.
const VALUE_LIMIT: usize = 50_000;

pub(super) struct ParsedYaml {
    pub(super) entries: Vec<Entry>,
    pub(super) scalars: Vec<Scalar>,
}

/// A list or map that is not closed yet.
struct OpenCollection {
    collection: Collection,
    anchor: usize,
}

enum Collection {
    List(Vec<Value>),
    Map(Map<String, Value>, Option<String>),
}

/// Where the value of the current top-level key is.
struct Pending {
    key: String,
    start: usize,
    key_end: usize,
    value_start: Option<usize>,
    end: usize,
    shape: Shape,
}

struct Reader<'a> {
    source: &'a str,
    base: usize,
    /// The byte of each character; empty when all are ASCII.
    bytes: Vec<usize>,
    open: Vec<OpenCollection>,
    anchors: BTreeMap<usize, (Value, usize)>,
    values: usize,
    pending: Option<Pending>,
    keys: BTreeSet<String>,
    found: ParsedYaml,
}

type Problem = (usize, String);

/// Reads YAML whose first byte is at `base` in the note. A problem tells its line in the YAML, counted from 1.
pub(super) fn read(source: &str, base: usize) -> Result<ParsedYaml, Problem> {
    if source.len() > SIZE_LIMIT {
        return Err((1, format!("it has {} bytes, more than {SIZE_LIMIT}", source.len())));
    }
    let bytes = if source.is_ascii() {
        Vec::new()
    } else {
        source.char_indices().map(|(at, _)| at).chain([source.len()]).collect()
    };
    let mut reader = Reader {
        source,
        base,
        bytes,
        open: Vec::new(),
        anchors: BTreeMap::new(),
        values: 0,
        pending: None,
        keys: BTreeSet::new(),
        found: ParsedYaml { entries: Vec::new(), scalars: Vec::new() },
    };
    let mut documents = 0;
    for event in Parser::new_from_str(source) {
        let (event, span) = event.map_err(|error| (error.marker().line().max(1), error.info().to_owned()))?;
        let line = span.start.line().max(1);
        if matches!(event, Event::DocumentStart(_)) {
            documents += 1;
            if documents > 1 {
                return Err((line, "it holds a second YAML document".to_owned()));
            }
        }
        reader.event(event, span).map_err(|message| (line, message))?;
    }
    Ok(reader.found)
}

impl Reader<'_> {
    fn byte(&self, index: usize) -> usize {
        if self.bytes.is_empty() { index.min(self.source.len()) } else { self.bytes[index.min(self.bytes.len() - 1)] }
    }

    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), String> {
        let (start, end) = (self.byte(span.start.index()), self.byte(span.end.index()));
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                if self.at_top_key() {
                    return self.top_key(&text, start, end);
                }
                if self.open.is_empty() {
                    let empty = style == ScalarStyle::Plain && matches!(&*text, "" | "~" | "null");
                    return if empty { Ok(()) } else { Err("it is not a list of keys and values".to_owned()) };
                }
                let end = quoted_end(self.source, start, style).unwrap_or(end);
                let block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
                // An empty value has no characters of its own: its mark is wherever the reader looked next.
                if !(style == ScalarStyle::Plain && start >= end) {
                    self.reach(start, end, if block { Shape::BlockScalar } else { Shape::Scalar });
                }
                self.found.scalars.push(Scalar {
                    span: self.base + start..self.base + end.max(start),
                    single_quoted: style == ScalarStyle::SingleQuoted,
                    double_quoted: style == ScalarStyle::DoubleQuoted,
                });
                let as_text = style != ScalarStyle::Plain || tag.is_some_and(|tag| tag.suffix == "str");
                let value = if as_text { Value::String(text.into_owned()) } else { plain(&text) };
                self.value(value, anchor, 1)
            }
            Event::Alias(id) => {
                if self.at_top_key() {
                    return Err("a key is an alias; write it out".to_owned());
                }
                self.reach(start, end, Shape::Scalar);
                let Some((value, size)) = self.anchors.get(&id).cloned() else {
                    return Err("an alias stands inside what it names".to_owned());
                };
                self.value(value, 0, size)
            }
            Event::SequenceStart(anchor, _) => self.begin(Collection::List(Vec::new()), anchor, start, end),
            Event::MappingStart(anchor, _) => self.begin(Collection::Map(Map::new(), None), anchor, start, end),
            Event::SequenceEnd | Event::MappingEnd => {
                // Only the end of a bracketed one has a character of its own.
                if end > start && self.source[start..end].starts_with([']', '}']) {
                    self.reach(start, start + 1, Shape::Flow);
                }
                if self.open.len() == 1 {
                    self.finish();
                }
                let Some(done) = self.open.pop() else { return Ok(()) };
                let value = match done.collection {
                    Collection::List(items) => Value::Array(items),
                    Collection::Map(map, _) => Value::Object(map),
                };
                if self.open.is_empty() {
                    return Ok(());
                }
                let size = size_of(&value);
                if done.anchor > 0 {
                    self.anchors.insert(done.anchor, (value.clone(), size));
                }
                self.place(value)
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, collection: Collection, anchor: usize, start: usize, end: usize) -> Result<(), String> {
        let flow = end > start && self.source[start..end].starts_with(['[', '{']);
        if self.open.is_empty() {
            if matches!(collection, Collection::List(_)) {
                return Err("it is a list, not keys and values".to_owned());
            }
            if flow {
                return Err("it is written in one pair of braces; write one key a line".to_owned());
            }
        } else {
            if self.at_top_key() {
                return Err("a key is not a text".to_owned());
            }
            self.reach(start, end.max(start), if flow { Shape::Flow } else { Shape::Block });
        }
        if self.open.len() >= DEPTH_LIMIT {
            return Err(format!("it is nested deeper than {DEPTH_LIMIT} levels"));
        }
        self.count(1)?;
        self.open.push(OpenCollection { collection, anchor });
        Ok(())
    }

    /// Whether the next value is a key of the outermost map.
    fn at_top_key(&self) -> bool {
        matches!(self.open.as_slice(), [OpenCollection { collection: Collection::Map(_, None), .. }])
    }

    fn top_key(&mut self, key: &str, start: usize, end: usize) -> Result<(), String> {
        self.finish();
        if !self.keys.insert(key.to_owned()) {
            return Err(format!("the key `{key}` is there twice"));
        }
        self.pending =
            Some(Pending { key: key.to_owned(), start, key_end: end, value_start: None, end, shape: Shape::Scalar });
        if let Some(OpenCollection { collection: Collection::Map(_, waiting), .. }) = self.open.last_mut() {
            *waiting = Some(key.to_owned());
        }
        Ok(())
    }

    /// Extends the value of the current key over these bytes. The first call sets its shape.
    fn reach(&mut self, start: usize, end: usize, shape: Shape) {
        let trimmed = start + self.source[start..end].trim_end().len();
        let Some(pending) = &mut self.pending else { return };
        if pending.value_start.is_none() {
            pending.value_start = Some(start);
            pending.shape = shape;
        }
        pending.end = pending.end.max(trimmed);
    }

    fn count(&mut self, values: usize) -> Result<(), String> {
        self.values += values;
        if self.values > VALUE_LIMIT { Err(format!("it holds more than {VALUE_LIMIT} values")) } else { Ok(()) }
    }

    fn value(&mut self, value: Value, anchor: usize, size: usize) -> Result<(), String> {
        self.count(size)?;
        if anchor > 0 {
            self.anchors.insert(anchor, (value.clone(), size));
        }
        self.place(value)
    }

    fn place(&mut self, value: Value) -> Result<(), String> {
        match self.open.last_mut().map(|open| &mut open.collection) {
            Some(Collection::List(items)) => items.push(value),
            Some(Collection::Map(map, waiting)) => match waiting.take() {
                Some(key) => {
                    if map.insert(key.clone(), value).is_some() {
                        return Err(format!("the key `{key}` is there twice"));
                    }
                }
                None => {
                    *waiting = Some(match value {
                        Value::String(text) => text,
                        Value::Array(_) | Value::Object(_) => return Err("a key is not a text".to_owned()),
                        other => other.to_string(),
                    });
                }
            },
            None => {}
        }
        Ok(())
    }

    /// Closes the current top-level key.
    fn finish(&mut self) {
        let Some(pending) = self.pending.take() else { return };
        let value = match self.open.first() {
            Some(OpenCollection { collection: Collection::Map(map, _), .. }) => map.get(&pending.key).cloned(),
            _ => None,
        };
        let after_key = &self.source[pending.key_end..];
        let colon = after_key.find(':').map_or(pending.key_end, |at| pending.key_end + at + 1);
        self.found.entries.push(Entry {
            value: value.unwrap_or(Value::Null),
            span: self.base + pending.start..self.base + pending.end.max(colon),
            value_start: self.base + pending.value_start.unwrap_or(colon),
            shape: pending.shape,
            key: pending.key,
        });
    }
}

/// Where a quoted scalar ends; the reader's own mark is after the space and the comment that follow it.
fn quoted_end(source: &str, start: usize, style: ScalarStyle) -> Option<usize> {
    let quote = match style {
        ScalarStyle::SingleQuoted => b'\'',
        ScalarStyle::DoubleQuoted => b'"',
        _ => return None,
    };
    let bytes = source.as_bytes();
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match *byte {
            b'\\' if quote == b'"' => at += 1,
            byte if byte == quote && quote == b'\'' && bytes.get(at + 1) == Some(&quote) => at += 1,
            byte if byte == quote => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

fn size_of(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(size_of).sum::<usize>(),
        Value::Object(map) => 1 + map.values().map(size_of).sum::<usize>(),
        _ => 1,
    }
}

/// A plain scalar by the rules of YAML 1.2's core schema.
pub(super) fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

fn number(text: &str) -> Option<Number> {
    if let Some(digits) = text.strip_prefix("0x") {
        return i64::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with(['+', '-'])).map(Number::from);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return i64::from_str_radix(digits, 8).ok().filter(|_| !digits.starts_with(['+', '-'])).map(Number::from);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned.is_empty()
        || !unsigned.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'))
    {
        return None;
    }
    if unsigned.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from)).ok();
    }
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        || !unsigned.contains(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    text.parse::<f64>().ok().and_then(Number::from_f64)
}
