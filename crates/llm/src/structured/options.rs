//! The options of asking for a value.

use serde_json::Value;

/// The options of [`structured`](super::structured()). The texts are templates, which an application can replace.
#[derive(Clone, Debug)]
pub struct StructuredOptions {
    /// A name for the schema; `None` takes the type's.
    pub name: Option<String>,
    /// The schema to ask and check with in place of the type's own, for a schema made at run time. A value that fits
    /// this schema must still be one of the type.
    pub schema: Option<Value>,
    /// How often a reply that does not fit is sent back; 2 unless set.
    pub max_reasks: u32,
    /// The text under the last user message for models that take no schema. `{schema}` stands for the schema.
    pub instruction: String,
    /// The text that is sent back about a reply that does not fit. `{errors}` stands for the faults, `{schema}` for an
    /// excerpt of the schema.
    pub reask: String,
    /// The length of the schema's excerpt, in characters.
    pub excerpt: usize,
}

impl Default for StructuredOptions {
    fn default() -> Self {
        Self {
            name: None,
            schema: None,
            max_reasks: 2,
            instruction: include_str!("instruction.txt").trim_end().to_owned(),
            reask: include_str!("reask.txt").trim_end().to_owned(),
            excerpt: 2000,
        }
    }
}
