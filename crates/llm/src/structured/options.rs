//! How a value is asked for.

use serde_json::Value;

/// How [`structured`](super::structured()) asks. The texts are templates, so that an application can word them itself.
#[derive(Clone, Debug)]
pub struct StructuredOptions {
    /// A name for the schema; `None` takes the type's.
    pub name: Option<String>,
    /// The schema to ask and check with in place of the type's own, for one made at run time. A value that fits it
    /// must still be one of the type.
    pub schema: Option<Value>,
    /// How often a reply that does not fit is sent back; 2 unless set.
    pub max_reasks: u32,
    /// What is written under the last user message for models that take no schema; `{schema}` stands for it.
    pub instruction: String,
    /// What is said about a reply that does not fit; `{errors}` stands for the faults, `{schema}` for an excerpt of the
    /// schema.
    pub reask: String,
    /// How much of the schema a re-ask quotes, in characters.
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
