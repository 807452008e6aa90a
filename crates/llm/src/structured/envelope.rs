//! Wrapping values in an object for providers that take objects only.

use serde_json::{Map, Value, json};

use crate::StructuredSupport;
use crate::parse::ParseStep;
use crate::parse::coerce::resolve;

/// The member that carries the value.
const MEMBER: &str = "value";

/// A schema as it is sent, and whether the value must be unwrapped from an object.
#[derive(Debug)]
pub(super) struct Envelope {
    schema: Value,
    wrapped: bool,
}

impl Envelope {
    /// Wraps a schema of something other than an object when the provider takes objects only.
    pub(super) fn for_schema(schema: &Value, support: StructuredSupport) -> Self {
        let objects_only = matches!(support, StructuredSupport::JsonSchema | StructuredSupport::JsonObject);
        if !objects_only || resolve(schema, schema).get("type").is_some_and(|name| name == "object") {
            return Self { schema: schema.clone(), wrapped: false };
        }
        let mut inner = schema.clone();
        let mut outer = Map::new();
        if let Value::Object(members) = &mut inner {
            // References start at the root, so definitions move there.
            for word in ["$defs", "definitions", "$schema", "title"] {
                if let Some(moved) = members.remove(word) {
                    outer.insert(word.to_owned(), moved);
                }
            }
        }
        outer.insert("type".to_owned(), json!("object"));
        outer.insert("properties".to_owned(), json!({ MEMBER: inner }));
        outer.insert("required".to_owned(), json!([MEMBER]));
        outer.insert("additionalProperties".to_owned(), json!(false));
        Self { schema: Value::Object(outer), wrapped: true }
    }

    pub(super) fn schema(&self) -> &Value {
        &self.schema
    }

    /// The member that holds the value, where it is wrapped.
    pub(super) fn member(&self) -> Option<&'static str> {
        self.wrapped.then_some(MEMBER)
    }

    /// Unwraps the value from the object.
    pub(super) fn unwrap(&self, value: Value, steps: &mut Vec<ParseStep>) -> Value {
        match value {
            Value::Object(mut members) if self.wrapped => {
                steps.push(ParseStep::Unwrapped);
                members.remove(MEMBER).unwrap_or_default()
            }
            other => other,
        }
    }
}
