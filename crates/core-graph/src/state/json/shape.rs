//! The part of JSON Schema that values are checked against.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

/// Keywords that say nothing about a value.
const ANNOTATIONS: [&str; 10] =
    ["$schema", "$id", "$comment", "title", "description", "default", "examples", "deprecated", "readOnly", "format"];

/// A parsed schema. A value that no keyword refuses fits.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shape {
    /// The schema `false`: nothing fits.
    never: bool,
    kinds: Option<Vec<Kind>>,
    /// `enum`, or `const` as the only one.
    choices: Option<Vec<Value>>,
    properties: BTreeMap<String, Self>,
    required: Vec<String>,
    additional: Option<Box<Self>>,
    items: Option<Box<Self>>,
    minimum: Option<f64>,
    maximum: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl Shape {
    /// Reads a schema.
    ///
    /// # Errors
    /// Where it is not a schema of the keywords that are checked, and why.
    pub(crate) fn parse(schema: &Value) -> Result<Self, String> {
        Self::parse_at(schema, "")
    }

    fn parse_at(schema: &Value, path: &str) -> Result<Self, String> {
        let place = || if path.is_empty() { "the schema".to_owned() } else { format!("the schema at `{path}`") };
        let keywords = match schema {
            Value::Bool(fits) => return Ok(Self { never: !fits, ..Self::default() }),
            Value::Object(keywords) => keywords,
            other => return Err(format!("{} is {}, not an object", place(), kind_name(other))),
        };
        let mut shape = Self::default();
        for (keyword, value) in keywords {
            let wrong = |expected: &str| Err(format!("`{keyword}` of {} is not {expected}", place()));
            let below = |part: &str| if path.is_empty() { part.to_owned() } else { format!("{path}.{part}") };
            match (keyword.as_str(), value) {
                ("type", Value::String(name)) => shape.kinds = Some(vec![Kind::named(name)?]),
                ("type", Value::Array(names)) => {
                    let named = |name: &Value| Kind::named(name.as_str().unwrap_or_default());
                    shape.kinds = Some(names.iter().map(named).collect::<Result<_, _>>()?);
                }
                ("type", _) => return wrong("a name or a list of names"),
                ("enum", Value::Array(choices)) => shape.choices = Some(choices.clone()),
                ("enum", _) => return wrong("a list"),
                ("const", value) => shape.choices = Some(vec![value.clone()]),
                ("properties", Value::Object(properties)) => {
                    for (name, schema) in properties {
                        let shape_of = Self::parse_at(schema, &below(&format!("properties.{name}")))?;
                        shape.properties.insert(name.clone(), shape_of);
                    }
                }
                ("properties", _) => return wrong("an object"),
                ("required", Value::Array(names)) => {
                    let names: Option<Vec<_>> = names.iter().map(|name| name.as_str().map(str::to_owned)).collect();
                    let Some(names) = names else { return wrong("a list of names") };
                    shape.required = names;
                }
                ("required", _) => return wrong("a list of names"),
                ("additionalProperties", schema) => {
                    shape.additional = Some(Box::new(Self::parse_at(schema, &below(keyword))?));
                }
                ("items", schema) => shape.items = Some(Box::new(Self::parse_at(schema, &below(keyword))?)),
                ("minimum" | "maximum", value) => {
                    let Some(limit) = value.as_f64() else { return wrong("a number") };
                    *if keyword == "minimum" { &mut shape.minimum } else { &mut shape.maximum } = Some(limit);
                }
                (other, _) if ANNOTATIONS.contains(&other) => {}
                (other, _) => {
                    return Err(format!(
                        "`{other}` of {} is not checked here; checked are `type`, `enum`, `const`, `properties`, `required`, `additionalProperties`, `items`, `minimum` and `maximum`",
                        place()
                    ));
                }
            }
        }
        Ok(shape)
    }

    /// Whether a value fits.
    ///
    /// # Errors
    /// Where it does not, and what was expected there.
    pub(crate) fn check(&self, value: &Value) -> Result<(), String> {
        self.check_at(value, &mut String::new())
    }

    fn check_at(&self, value: &Value, path: &mut String) -> Result<(), String> {
        let refused = |expected: String| {
            let found = format!("found {}", shown(value));
            Err(if path.is_empty() {
                format!("expected {expected}, {found}")
            } else {
                format!("at `{path}`: expected {expected}, {found}")
            })
        };
        if self.never {
            return refused("nothing".to_owned());
        }
        if let Some(kinds) = &self.kinds
            && !kinds.iter().any(|kind| kind.fits(value))
        {
            let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
            return refused(names.join(" or "));
        }
        if let Some(choices) = &self.choices
            && !choices.contains(value)
        {
            let names: Vec<_> = choices.iter().map(|choice| format!("`{choice}`")).collect();
            return refused(names.join(" or "));
        }
        if let Some(number) = value.as_f64() {
            if let Some(limit) = self.minimum.filter(|limit| number < *limit) {
                return refused(format!("at least {limit}"));
            }
            if let Some(limit) = self.maximum.filter(|limit| number > *limit) {
                return refused(format!("at most {limit}"));
            }
        }
        match value {
            Value::Object(entries) => {
                if let Some(missing) = self.required.iter().find(|name| !entries.contains_key(*name)) {
                    return refused(format!("a property `{missing}`"));
                }
                for (name, entry) in entries {
                    let shape = self.properties.get(name).or(self.additional.as_deref());
                    if let Some(shape) = shape {
                        let separator = if path.is_empty() { "" } else { "." };
                        within(path, &format!("{separator}{name}"), |path| shape.check_at(entry, path))?;
                    }
                }
                Ok(())
            }
            Value::Array(items) => {
                let Some(shape) = &self.items else { return Ok(()) };
                for (at, item) in items.iter().enumerate() {
                    within(path, &format!("[{at}]"), |path| shape.check_at(item, path))?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Calls `check` with a longer path.
fn within<T>(path: &mut String, part: &str, check: impl FnOnce(&mut String) -> T) -> T {
    let length = path.len();
    path.push_str(part);
    let result = check(path);
    path.truncate(length);
    result
}

impl Kind {
    const ALL: [Self; 7] =
        [Self::Null, Self::Boolean, Self::Integer, Self::Number, Self::String, Self::Array, Self::Object];

    fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    fn named(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
            let known: Vec<_> = Self::ALL.iter().map(|kind| format!("`{}`", kind.name())).collect();
            format!("`type` names `{name}`; types: {}", known.join(", "))
        })
    }

    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Null => value.is_null(),
            Self::Boolean => value.is_boolean(),
            // A whole number is an integer however it is written (JSON Schema 2020-12, 4.2.3).
            Self::Integer => {
                value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
            }
            Self::Number => value.is_number(),
            Self::String => value.is_string(),
            Self::Array => value.is_array(),
            Self::Object => value.is_object(),
        }
    }
}

/// The kind of a value, for people.
pub(super) fn kind_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A value, for people: its kind, and what it is when that is short.
fn shown(value: &Value) -> String {
    let mut text = kind_name(value).to_owned();
    let json = value.to_string();
    if !value.is_null() && json.chars().count() <= 40 {
        // Writing to a text does not fail.
        let _ = write!(text, " `{json}`");
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_fit_or_are_refused_with_their_path() {
        let chapter = json!({
            "type": "object",
            "title": "a chapter",
            "properties": {"title": {"type": "string"}, "pages": {"type": "integer", "minimum": 1, "maximum": 9}},
            "required": ["title"],
            "additionalProperties": false,
        });
        let chapters = json!({"type": ["array", "null"], "items": chapter});
        let cases = [
            (chapters.clone(), json!(null), ""),
            (chapters.clone(), json!([{"title": "x", "pages": 2}, {"title": "y", "pages": 2.0}]), ""),
            (chapters.clone(), json!(3), "expected array or null, found a number `3`"),
            (chapters.clone(), json!([{"title": 7}]), "at `[0].title`: expected string, found a number `7`"),
            (
                chapters.clone(),
                json!([{"title": "x"}, {}]),
                "at `[1]`: expected a property `title`, found an object `{}`",
            ),
            (
                chapters.clone(),
                json!([{"title": "x", "pages": 0}]),
                "at `[0].pages`: expected at least 1, found a number `0`",
            ),
            (
                chapters.clone(),
                json!([{"title": "x", "pages": 2.5}]),
                "at `[0].pages`: expected integer, found a number `2.5`",
            ),
            (chapters, json!([{"title": "x", "page": 1}]), "at `[0].page`: expected nothing, found a number `1`"),
            (json!({"enum": ["a", 1]}), json!("b"), "expected `\"a\"` or `1`, found a string `\"b\"`"),
            (json!({"const": null}), json!(null), ""),
            (json!({"maximum": 1}), json!("no number"), ""),
            (
                json!({"additionalProperties": {"type": "string"}}),
                json!({"k": 1}),
                "at `k`: expected string, found a number `1`",
            ),
            (json!(true), json!([1]), ""),
            (json!(false), json!(null), "expected nothing, found null"),
        ];
        for (schema, value, expected) in cases {
            let shape = Shape::parse(&schema).unwrap();
            assert_eq!(shape.check(&value).err().unwrap_or_default(), expected, "{schema} {value}");
        }
    }

    #[test]
    fn a_schema_that_would_not_be_checked_is_refused() {
        let cases = [
            (json!(1), "the schema is a number, not an object"),
            (json!({"type": "text"}), "`type` names `text`; types: `null`"),
            (json!({"type": 1}), "`type` of the schema is not a name"),
            (json!({"items": {"oneOf": []}}), "`oneOf` of the schema at `items` is not checked here"),
            (
                json!({"properties": {"a": {"required": [1]}}}),
                "`required` of the schema at `properties.a` is not a list",
            ),
            (json!({"minimum": "1"}), "`minimum` of the schema is not a number"),
        ];
        for (schema, expected) in cases {
            let error = Shape::parse(&schema).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
