//! The parts that all prompts of the collector share: the model, the arguments on the step, the documents.

use serde_json::{Value, json};

use super::CollectRequest;
use crate::ask::Ask;
use crate::evidence::Document;
use crate::resources::Slot;

impl CollectRequest {
    /// A question to the collector's model with as many tries as the request allows.
    pub(super) fn ask(&self, key: &str, prompt: &str) -> Ask {
        Ask::new(key, prompt).slot(Slot::InfoCollecting).tries(self.limits.max_retry_num)
    }

    /// The arguments of a prompt on the step, with those of the object `more`.
    pub(super) fn args(&self, more: Value) -> Value {
        let mut args = json!({
            "language": self.language.as_str(),
            "today": self.today,
            "step_title": self.step.title.trim(),
            "step_description": self.step.description,
            "background": self.background,
        });
        if let (Value::Object(args), Value::Object(more)) = (&mut args, more) {
            args.extend(more);
        }
        args
    }
}

/// At most `most` documents as a prompt shows them, with so many characters of each.
pub(super) fn documents_in_prompt<'e>(
    found: impl Iterator<Item = &'e Document>,
    most: usize,
    excerpt: usize,
) -> Vec<Value> {
    let one = |found: &Document| {
        let text: String = found.text.chars().take(excerpt).collect();
        json!({ "title": found.title, "url": found.url, "text": text, "scores": found.scores })
    };
    found.take(most).map(one).collect()
}
