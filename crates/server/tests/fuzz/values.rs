//! Bodies: what a schema asks for, more or less.

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use serde_json::{Map, Value, json};

pub(super) struct Values<'d> {
    pub(super) document: &'d Value,
    /// What is there.
    pub(super) ids: &'d [String],
}

/// Texts that have been trouble somewhere.
const TEXTS: &[&str] = &[
    "",
    "x",
    "null",
    "-1",
    "__start__",
    "__end__",
    "*",
    "plan",
    "review",
    "a.b",
    "..",
    "/",
    "0",
    "\u{0}",
    "é\u{301}🦀",
    "%",
    "|",
    "child",
    "0 0 1 1 *",
    "99 99 * * *",
    "Europe/Berlin",
    "values",
    "updates",
    "cancel",
    "rollback",
    "enqueue",
    "delete",
    "keep_latest",
    "00000000-0000-0000-0000-000000000000",
    "2026-01-01T00:00:00+00:00",
    "9999999999999999-99-99T00:00:00Z",
    "values.items[0]",
    "values.items[999999999999999999999]",
    "metadata",
    "thread_id",
    "http://127.0.0.1:1/",
    "file:///etc/passwd",
    "true",
];

impl Values<'_> {
    /// A segment of a path, or a value of a query, encoded.
    pub(super) fn segment(&self, random: &mut StdRng) -> String {
        let text = match random.random_range(0..10) {
            0..6 => self.ids.choose(random).unwrap().clone(),
            6..9 => (*TEXTS.choose(random).unwrap()).to_owned(),
            _ => "y".repeat(random.random_range(1..300)),
        };
        let encoded: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
        let encoded = encoded.replace('+', "%20");
        // A path of dots alone, and none at all, are other paths.
        if encoded.chars().all(|c| c == '.') { "%FF%00".to_owned() } else { encoded }
    }

    fn text(&self, random: &mut StdRng) -> String {
        if random.random_ratio(1, 2) {
            return self.ids.choose(random).unwrap().clone();
        }
        (*TEXTS.choose(random).unwrap()).to_owned()
    }

    /// Any value.
    fn any(&self, random: &mut StdRng, depth: usize) -> Value {
        match random.random_range(0..if depth > 3 { 7 } else { 10 }) {
            0 => Value::Null,
            1 => json!(random.random::<bool>()),
            2 => json!(random.random_range(-3..20)),
            3 => {
                [json!(-1), json!(u64::MAX), json!(i64::MIN), json!(1e308), json!(0.5)].choose(random).unwrap().clone()
            }
            4..7 => json!(self.text(random)),
            7 => (0..random.random_range(0..4)).map(|_| self.any(random, depth + 1)).collect(),
            _ => {
                let entries = (0..random.random_range(0..4)).map(|_| (self.text(random), self.any(random, depth + 1)));
                Value::Object(entries.collect())
            }
        }
    }

    /// A value that fits a schema mostly.
    fn fitting(&self, schema: &Value, random: &mut StdRng, depth: usize) -> Value {
        if depth > 8 || random.random_ratio(1, 25) {
            return self.any(random, depth);
        }
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.rsplit('/').next().unwrap();
            return self.fitting(&self.document["components"]["schemas"][name], random, depth + 1);
        }
        if let Some(constant) = schema.get("const") {
            return constant.clone();
        }
        if let Some(choices) = schema["enum"].as_array() {
            return choices.choose(random).cloned().unwrap_or_default();
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            if let Some(choice) = schema[key].as_array().and_then(|choices| choices.choose(random)) {
                return self.fitting(choice, random, depth + 1);
            }
        }
        let types: Vec<&str> = match &schema["type"] {
            Value::String(one) => vec![one],
            Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
            _ => vec![],
        };
        match types.choose(random).copied() {
            Some("null") => Value::Null,
            Some("boolean") => json!(random.random::<bool>()),
            Some("integer") => json!(random.random_range(0..30)),
            Some("number") => json!(f64::from(random.random_range(0..20_u8)) / 10.0),
            Some("string") => json!(self.text(random)),
            Some("array") => {
                let count = random.random_range(0..4);
                (0..count).map(|_| self.fitting(&schema["items"], random, depth + 1)).collect()
            }
            Some("object") => self.object(schema, random, depth),
            _ if schema.get("properties").is_some() => self.object(schema, random, depth),
            _ => self.any(random, depth),
        }
    }

    fn object(&self, schema: &Value, random: &mut StdRng, depth: usize) -> Value {
        let mut object = Map::new();
        let required = |name: &str| schema["required"].as_array().is_some_and(|all| all.contains(&json!(name)));
        let properties = schema["properties"].as_object();
        let share = random.random_range(0..4);
        for (name, schema) in properties.into_iter().flatten() {
            if required(name) && !random.random_ratio(1, 40) || random.random_ratio(share, 8) {
                let value = match name.as_str() {
                    "assistant_id" | "graph_id" => json!(["pipeline", "approval", "echo_chat"].choose(random).unwrap()),
                    "input" => self.input(random),
                    // A run that waits for long is a run that is never looked at.
                    "after_seconds" => json!(0),
                    "thread_id" | "checkpoint_id" => json!(self.ids.choose(random).unwrap()),
                    _ => self.fitting(schema, random, depth + 1),
                };
                object.insert(name.clone(), value);
            }
        }
        if properties.is_none_or(Map::is_empty) {
            for _ in 0..random.random_range(0..3) {
                object.insert(self.text(random), self.any(random, depth + 1));
            }
        }
        object.into()
    }

    fn input(&self, random: &mut StdRng) -> Value {
        match random.random_range(0..5) {
            0 => json!({"topic": self.text(random), "items": [self.text(random)]}),
            1 => json!({"request": self.text(random)}),
            2 => json!({"messages": [{"role": "user", "content": self.text(random), "id": self.text(random)}]}),
            3 => json!({"messages": self.any(random, 0), "topic": self.any(random, 2), "count": self.any(random, 2)}),
            _ => self.any(random, 0),
        }
    }

    /// A body that fits a schema mostly, sometimes with its bytes changed.
    pub(super) fn body(&self, schema: &Value, random: &mut StdRng) -> Vec<u8> {
        let mut body = self.fitting(schema, random, 0).to_string().into_bytes();
        match random.random_range(0..12) {
            0 => {
                let at = random.random_range(0..body.len());
                body[at] = random.random();
            }
            1 => body.truncate(random.random_range(0..body.len())),
            2 => body = "[".repeat(random.random_range(1..2_000)).into_bytes(),
            _ => {}
        }
        body
    }
}
