//! An outline as it is written: the arguments of `generate_outline` and `dep_driving_generate_outline`.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use super::RELATIONSHIPS;

/// An outline as it is written. Everything but the sections may be left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RawOutline {
    /// The language of the outline.
    pub language: String,
    /// Why the report is built this way.
    pub thought: String,
    /// The title of the report.
    pub title: String,
    /// The sections, in the order of the report.
    pub sections: Vec<RawSection>,
}

/// A section as it is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RawSection {
    /// Its id.
    #[serde(deserialize_with = "text_or_number")]
    pub id: String,
    /// Its title.
    pub title: String,
    /// What it is about.
    pub description: String,
    /// Whether the report stands or falls with it.
    pub is_core_section: bool,
    /// The ids of the sections that it builds on.
    #[serde(deserialize_with = "texts_or_numbers")]
    pub parent_ids: Vec<String>,
    /// How it builds on each of them.
    pub relationships: Vec<String>,
}

/// The schema that a model answers in, with its bounds.
pub fn schema(most_sections: u32, dependencies: bool) -> Value {
    let text = |most: u32| json!({ "type": "string", "minLength": 1, "maxLength": most });
    let mut section = json!({
        "type": "object",
        "properties": {
            "id": text(8),
            "title": text(120),
            "description": text(600),
            "is_core_section": { "type": "boolean" },
        },
        "required": ["id", "title", "description", "is_core_section"],
        "additionalProperties": false,
    });
    if dependencies {
        section["properties"]["parent_ids"] =
            json!({ "type": "array", "items": text(8), "maxItems": most_sections.saturating_sub(1) });
        section["properties"]["relationships"] = json!({
            "type": "array",
            "items": { "type": "string", "enum": RELATIONSHIPS },
            "maxItems": most_sections.saturating_sub(1),
        });
        section["required"] = json!(["id", "title", "description", "is_core_section", "parent_ids", "relationships"]);
    }
    json!({
        "type": "object",
        "description": "The outline of the report",
        "properties": {
            "language": text(16),
            "thought": text(1000),
            "title": text(160),
            "sections": { "type": "array", "items": section, "minItems": 1, "maxItems": most_sections.max(1) },
        },
        "required": ["language", "thought", "title", "sections"],
        "additionalProperties": false,
    })
}

#[derive(Deserialize)]
#[serde(untagged)]
enum TextOrNumber {
    Text(String),
    Number(i64),
    Nothing(()),
}

impl From<TextOrNumber> for String {
    fn from(value: TextOrNumber) -> Self {
        match value {
            TextOrNumber::Text(text) => text,
            TextOrNumber::Number(number) => number.to_string(),
            TextOrNumber::Nothing(()) => Self::new(),
        }
    }
}

fn text_or_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    TextOrNumber::deserialize(deserializer).map(String::from)
}

fn texts_or_numbers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let found = Option::<Vec<TextOrNumber>>::deserialize(deserializer)?;
    Ok(found.unwrap_or_default().into_iter().map(String::from).collect())
}
