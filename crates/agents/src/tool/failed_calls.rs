//! Calls that keep failing.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Risk, ToolError, ToolOutcome};

/// A call is not made again after it failed this often.
const LIMIT: u32 = 2;

/// Counts of failed calls, by call. It is part of the caller's state, so that it outlives the process.
///
/// A call is its tool and its arguments, whatever the order of their members. A success forgets the failures of the same
/// call; the success of a tool that changes something forgets all, since what failed may succeed now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct FailedCalls {
    failed: BTreeMap<String, Failed>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
struct Failed {
    times: u32,
    last: String,
}

impl FailedCalls {
    /// No failures.
    pub fn new() -> Self {
        Self::default()
    }

    /// The refusal of a call that failed too often.
    pub(crate) fn refusal(&self, tool: &str, fingerprint: &str) -> Option<ToolError> {
        let failed = self.failed.get(fingerprint).filter(|failed| failed.times >= LIMIT)?;
        Some(ToolError::Repeated { tool: tool.to_owned(), times: failed.times, last: failed.last.clone() })
    }

    /// Takes over what `later` knows of one call, where calls were made at the same time, each with a copy of its own.
    pub fn merge(&mut self, later: &Self, outcome: &ToolOutcome) {
        if outcome.is_success() && outcome.risk.is_some_and(|risk| risk > Risk::Read) {
            self.failed.clone_from(&later.failed);
            return;
        }
        let fingerprint = fingerprint(&outcome.tool, &outcome.arguments);
        match later.failed.get(&fingerprint) {
            Some(failed) => self.failed.insert(fingerprint, failed.clone()),
            None => self.failed.remove(&fingerprint),
        };
    }

    pub(crate) fn note_failure(&mut self, fingerprint: String, error: &ToolError) {
        let failed = self.failed.entry(fingerprint).or_default();
        failed.times = failed.times.saturating_add(1);
        failed.last = error.to_string();
    }

    pub(crate) fn note_success(&mut self, fingerprint: &str, risk: Risk) {
        if risk > Risk::Read {
            self.failed.clear();
        } else {
            self.failed.remove(fingerprint);
        }
    }
}

/// Names a call: the same for the same tool and equal arguments.
pub(crate) fn fingerprint(tool: &str, arguments: &Value) -> String {
    let mut text = String::new();
    canonical(arguments, &mut text);
    let mut hasher = blake3::Hasher::new();
    hasher.update(tool.as_bytes());
    hasher.update(&[0]);
    hasher.update(text.as_bytes());
    hasher.finalize().to_hex()[..16].to_owned()
}

/// JSON with the members of objects in order.
fn canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => {
            let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
            sorted.sort_by_key(|(name, _)| *name);
            out.push('{');
            for (name, member) in sorted {
                out.push_str(&Value::from(name.as_str()).to_string());
                out.push(':');
                canonical(member, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                canonical(item, out);
                out.push(',');
            }
            out.push(']');
        }
        other => out.push_str(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn order_of_members_does_not_matter_and_values_do() {
        let one = fingerprint("t", &json!({"a": 1, "b": [{"c": 1, "d": 2}]}));
        assert_eq!(one, fingerprint("t", &json!({"b": [{"d": 2, "c": 1}], "a": 1})));
        assert_ne!(one, fingerprint("t", &json!({"a": "1", "b": [{"c": 1, "d": 2}]})));
        assert_ne!(one, fingerprint("u", &json!({"a": 1, "b": [{"c": 1, "d": 2}]})));
    }
}
