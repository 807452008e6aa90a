//! How durable steps of model calls are named.

use std::collections::BTreeMap;

use graphloom_llm::cassette::key_of;
use serde_json::Value;

/// How the durable steps of a task's calls are named. Every form holds a hash of what is asked, so that a prompt that
/// has changed since is asked anew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepKeys {
    /// `KIND/NUMBER/HASH`, numbered in the order in which the calls begin. For work that makes one call after the other
    /// and begins from the start at every attempt.
    #[default]
    InOrder,
    /// `PREFIX/NUMBER/HASH`: the same below a name of its own, for a task that makes several such chains of calls.
    Under(String),
    /// `KIND/HASH/COUNT`: by what is asked and how often it was asked before. For work that goes on in the middle, or
    /// whose calls begin in no fixed order.
    ByContent,
}

/// The step keys that one task has issued so far.
#[derive(Debug, Default)]
pub(super) struct IssuedKeys {
    begun: u32,
    asked: BTreeMap<String, u32>,
}

impl StepKeys {
    /// The key of the next step of this kind.
    pub(super) fn next(&self, issued: &mut IssuedKeys, kind: &str, asked: &Value) -> String {
        let hash = key_of(asked);
        let digits = |count: usize| hash.get(..count).unwrap_or(&hash).to_owned();
        let first = match self {
            Self::InOrder => kind,
            Self::Under(prefix) => prefix.as_str(),
            Self::ByContent => {
                let short = digits(16);
                let count = issued.asked.entry(short.clone()).or_default();
                *count += 1;
                return format!("{kind}/{short}/{count}");
            }
        };
        let number = issued.begun;
        issued.begun += 1;
        format!("{first}/{number}/{}", digits(12))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_form_names_equal_questions_apart() {
        let asked = json!({ "prompt": "tides" });
        let hash = key_of(&asked);
        for (keys, first, second) in [
            (StepKeys::InOrder, format!("call/0/{}", &hash[..12]), format!("choose/1/{}", &hash[..12])),
            (StepKeys::Under("plan".into()), format!("plan/0/{}", &hash[..12]), format!("plan/1/{}", &hash[..12])),
            (StepKeys::ByContent, format!("call/{}/1", &hash[..16]), format!("choose/{}/2", &hash[..16])),
        ] {
            let mut issued = IssuedKeys::default();
            assert_eq!(keys.next(&mut issued, "call", &asked), first);
            assert_eq!(keys.next(&mut issued, "choose", &asked), second);
        }
    }
}
