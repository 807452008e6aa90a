//! What all questions of the collector to a model have in common: who is asked, what is told of the step, how documents are
//! shown.

use serde_json::{Value, json};

use super::CollectRequest;
use crate::ask::Ask;
use crate::evidence::Document;
use crate::resources::Slot;

impl CollectRequest {
    /// Asks the collector's model as often as the request allows.
    pub(super) fn ask(&self, key: &str, prompt: &str) -> Ask {
        Ask::new(key, prompt).slot(Slot::InfoCollecting).tries(self.limits.max_retry_num)
    }

    /// What a prompt is told of the step, and `more`, an object.
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
pub(super) fn shown<'e>(found: impl Iterator<Item = &'e Document>, most: usize, excerpt: usize) -> Vec<Value> {
    let one = |found: &Document| {
        let text: String = found.text.chars().take(excerpt).collect();
        json!({ "title": found.title, "url": found.url, "text": text, "scores": found.scores })
    };
    found.take(most).map(one).collect()
}
