//! The whole pipeline from a model's text to a checked value.

use serde_json::Value;

use super::coerce::{coerce, resolve};
use super::json::{Shape, fences, scan, strip_reasoning};
use super::repair::repair_json;
use super::{MAX_BYTES, ParseStep, SchemaCheck};

/// The most candidate values of one text that are tried.
const MAX_CANDIDATES: usize = 16;

/// A value that was read from a model's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The value.
    pub value: Value,
    /// The stages that reading needed, in order.
    pub steps: Vec<ParseStep>,
}

/// Why no value could be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}", errors.join("; "))]
pub struct ParseFailure {
    /// The faults, each with its place.
    pub errors: Vec<String>,
    /// The candidate that was tried first, when there was one.
    pub nearest: Option<Value>,
    /// The stages before reading failed.
    pub steps: Vec<ParseStep>,
}

/// Reads a JSON value from `text`, tolerantly, and checks it against `schema` when there is one.
///
/// The stages, in order: the whole text as JSON; the text without reasoning and byte order mark; fenced blocks; the
/// last complete object (or array, when the schema describes an array); repair of broken JSON. A value that does not
/// fit the schema is coerced as [`super::coerce`] lists. The first value that fits wins.
///
/// # Errors
/// [`ParseFailure`] with every fault of the candidate that was tried first, or with the reason why there is no
/// candidate.
pub fn read_value(text: &str, schema: Option<&Value>) -> Result<Parsed, Box<ParseFailure>> {
    let fail = |message: String| ParseFailure { errors: vec![message], nearest: None, steps: Vec::new() };
    if text.len() > MAX_BYTES {
        return Err(Box::new(fail(format!(
            "the reply has {} bytes, more than the {MAX_BYTES} that are read",
            text.len()
        ))));
    }
    let check = match schema.map(SchemaCheck::new).transpose() {
        Ok(check) => check,
        Err(message) => return Err(Box::new(fail(message))),
    };
    let mut reading = Reading { schema: schema.zip(check), before: Vec::new(), first_failure: None };

    if let Ok(value) = serde_json::from_str::<Value>(text)
        && let Some(parsed) = reading.offer(value, vec![ParseStep::Strict])
    {
        return Ok(parsed);
    }
    let stripped = strip_reasoning(text);
    if stripped.len() < text.len() {
        reading.before.push(ParseStep::StrippedReasoning { bytes: text.len() - stripped.len() });
    }
    let body = stripped.trim();
    if body.len() < text.len()
        && let Ok(value) = serde_json::from_str::<Value>(body)
        && let Some(parsed) = reading.offer(value, Vec::new())
    {
        return Ok(parsed);
    }
    let shape = match schema.map(|schema| resolve(schema, schema).get("type")) {
        Some(Some(Value::String(name))) if name == "array" => Shape::Array,
        _ => Shape::Object,
    };
    if let Some(parsed) = reading.search(body, shape) {
        return Ok(parsed);
    }
    let steps = reading.before;
    Err(Box::new(reading.first_failure.unwrap_or_else(|| {
        let kind = if shape == Shape::Array { "array" } else { "object" };
        ParseFailure { errors: vec![format!("the reply holds no JSON {kind}")], nearest: None, steps }
    })))
}

struct Reading<'a> {
    schema: Option<(&'a Value, SchemaCheck)>,
    before: Vec<ParseStep>,
    first_failure: Option<ParseFailure>,
}

impl Reading<'_> {
    /// Returns the value when it fits, coerced where that is needed. The first value that does not fit is kept with its
    /// faults.
    fn offer(&mut self, mut value: Value, steps: Vec<ParseStep>) -> Option<Parsed> {
        let mut all = self.before.clone();
        all.extend(steps);
        let Some((schema, check)) = &self.schema else { return Some(Parsed { value, steps: all }) };
        let mut errors = check.errors(&value);
        if !errors.is_empty() {
            let changes = coerce(&mut value, schema);
            if !changes.is_empty() {
                all.push(ParseStep::Coerced { changes });
                errors = check.errors(&value);
            }
        }
        if errors.is_empty() {
            return Some(Parsed { value, steps: all });
        }
        if self.first_failure.is_none() {
            self.first_failure = Some(ParseFailure { errors, nearest: Some(value), steps: all });
        }
        None
    }

    /// Tries fenced blocks, complete values and repaired ones, later ones first.
    fn search(&mut self, body: &str, shape: Shape) -> Option<Parsed> {
        let fenced = fences(body);
        let last_fences = || fenced.iter().rev().take(MAX_CANDIDATES).map(|range| body[range.clone()].trim());
        for block in last_fences() {
            if let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str::<Value>(block)
                && let Some(parsed) = self.offer(value, vec![ParseStep::Fence])
            {
                return Some(parsed);
            }
        }
        let found = scan(body, shape);
        let extracted = |start: usize, end: usize| ParseStep::Extracted { start, end };
        // A value that never ends is the last one, which the model was still writing, so it is tried before earlier
        // values.
        if let Some(open) = found.open
            && let Some(parsed) = self.repaired(&body[open..], extracted(open, body.len()))
        {
            return Some(parsed);
        }
        let complete = || found.complete.iter().rev().take(MAX_CANDIDATES).cloned();
        let empty = |text: &str| text[1..text.len() - 1].trim().is_empty();
        for want_empty in [false, true] {
            for range in complete().filter(|range| empty(&body[range.clone()]) == want_empty) {
                if let Ok(value) = serde_json::from_str::<Value>(&body[range.clone()])
                    && let Some(parsed) = self.offer(value, vec![extracted(range.start, range.end)])
                {
                    return Some(parsed);
                }
            }
        }
        for block in last_fences().filter(|block| block.starts_with(['{', '['])) {
            if let Some(parsed) = self.repaired(block, ParseStep::Fence) {
                return Some(parsed);
            }
        }
        for range in complete() {
            if let Some(parsed) = self.repaired(&body[range.clone()], extracted(range.start, range.end)) {
                return Some(parsed);
            }
        }
        // Unbalanced quotes can hide the end of a value. The last resort reads from the first opening bracket on.
        let opening = if shape == Shape::Array { '[' } else { '{' };
        let start = body.find(opening)?;
        self.repaired(&body[start..], extracted(start, body.len()))
    }

    fn repaired(&mut self, text: &str, step: ParseStep) -> Option<Parsed> {
        match repair_json(text) {
            Ok(repaired) if repaired.repairs.is_empty() => self.offer(repaired.value, vec![step]),
            Ok(repaired) => self.offer(repaired.value, vec![step, ParseStep::Repaired { repairs: repaired.repairs }]),
            Err(error) => {
                if self.first_failure.is_none() {
                    let steps = self.before.clone();
                    self.first_failure = Some(ParseFailure { errors: vec![error.to_string()], nearest: None, steps });
                }
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_found_in_what_models_write() {
        let schema = json!({
            "type": "object",
            "properties": {"id": {"type": "string"}, "n": {"type": "integer"}},
            "required": ["id"]
        });
        let cases = [
            (r#"{"id":"a"}"#, json!({"id": "a"})),
            ("\u{feff} {\"id\":\"a\"} ", json!({"id": "a"})),
            ("<think>{\"id\":\"no\"}</think>{\"id\":\"a\"}", json!({"id": "a"})),
            ("Here:\n```json\n{\"id\":\"a\"}\n```\nDone.", json!({"id": "a"})),
            ("```\n{\"id\": 'a',}\n```", json!({"id": "a"})),
            ("The input {\"id\":\"in\"} gives {\"id\":\"out\"}.", json!({"id": "out"})),
            ("{\"id\":\"a\"} where {x} is free", json!({"id": "a"})),
            ("{\"id\":\"a\"} and {\"other\":1}", json!({"id": "a"})),
            ("{\"id\": 7, \"n\": \"3\"}", json!({"id": "7", "n": 3})),
            ("{\"id\": \"a\", \"n\": 3", json!({"id": "a", "n": 3})),
            ("{id: a, n: 3}", json!({"id": "a", "n": 3})),
        ];
        for (text, expected) in cases {
            match read_value(text, Some(&schema)) {
                Ok(parsed) => assert_eq!(parsed.value, expected, "{text}"),
                Err(failure) => panic!("{text}: {failure}"),
            }
        }
    }

    #[test]
    fn failures_say_what_is_wrong() {
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
        let cases = [
            ("no json at all", "the reply holds no JSON object"),
            ("", "the reply holds no JSON object"),
            ("{\"n\": \"many\"}", "at `/n`: "),
            ("{\"m\": 1}", "at the top level: "),
        ];
        for (text, expected) in cases {
            let failure = read_value(text, Some(&schema)).unwrap_err();
            assert!(failure.errors[0].starts_with(expected), "{text}: {failure}");
        }
        let long = " ".repeat(MAX_BYTES + 1);
        assert!(read_value(&long, None).unwrap_err().errors[0].contains("more than"));
    }

    #[test]
    fn arrays_are_read_where_the_schema_wants_one() {
        let schema = json!({"type": "array", "items": {"type": "string"}});
        let parsed = read_value("Queries: [\"a\", \"b\",] as asked", Some(&schema)).unwrap();
        assert_eq!(parsed.value, json!(["a", "b"]));
        assert!(matches!(parsed.steps.last(), Some(ParseStep::Repaired { .. })), "{:?}", parsed.steps);
    }

    #[test]
    fn steps_tell_what_was_done() {
        let steps = read_value("<think>x</think>\n```json\n{\"a\": True}\n```", None).unwrap().steps;
        assert!(
            matches!(
                steps.as_slice(),
                [ParseStep::StrippedReasoning { bytes: 17 }, ParseStep::Extracted { .. }, ParseStep::Repaired { .. }]
                    | [ParseStep::StrippedReasoning { bytes: 17 }, ParseStep::Fence, ParseStep::Repaired { .. }]
            ),
            "{steps:?}"
        );
        assert_eq!(read_value("{}", None).unwrap().steps, [ParseStep::Strict]);
    }
}
