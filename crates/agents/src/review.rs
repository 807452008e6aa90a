//! Review gates: a person sees what would change and approves all of it, some of it, or none.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::AgentError;
use crate::profile::quoted;

/// The question of a review gate, for `Context::ask`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewRequest {
    /// What would happen, in a sentence or two.
    pub summary: String,
    /// What can be approved on its own.
    pub items: Vec<ReviewItem>,
}

/// One thing to approve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewItem {
    /// Names the item in the verdict.
    pub id: String,
    /// What it is, in a line.
    pub title: String,
    /// What would change, for reading.
    pub diff: String,
}

/// The answer: `"approve"`, `{"some": {"ids": ["1"]}}` or `{"reject": {"reason": "…"}}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// All items.
    Approve,
    /// Only these items.
    Some {
        /// The ids of the approved items.
        ids: Vec<String>,
    },
    /// No item.
    Reject {
        /// The reason, for whoever proposed the change.
        #[serde(default)]
        reason: String,
    },
}

/// The items that a verdict approves and declines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reviewed {
    /// The ids of approved items, in the order of the request.
    pub approved: Vec<String>,
    /// The ids of the others, in the order of the request.
    pub declined: Vec<String>,
    /// Why items were declined, where a reason was given.
    pub reason: Option<String>,
}

impl ReviewRequest {
    /// Reads which of these items a verdict approves.
    ///
    /// # Errors
    /// [`AgentError::Verdict`] when the verdict names an item that the request does not have.
    pub fn decide(&self, verdict: &Verdict) -> Result<Reviewed, AgentError> {
        let all = || self.items.iter().map(|item| item.id.as_str());
        let (approved, reason): (BTreeSet<&str>, _) = match verdict {
            Verdict::Approve => (all().collect(), None),
            Verdict::Some { ids } => (ids.iter().map(String::as_str).collect(), None),
            Verdict::Reject { reason } => (BTreeSet::new(), Some(reason.clone()).filter(|text| !text.is_empty())),
        };
        let known: BTreeSet<&str> = all().collect();
        let unknown: Vec<&str> = approved.difference(&known).copied().collect();
        if !unknown.is_empty() {
            return Err(AgentError::Verdict { unknown: quoted(unknown), known: quoted(all()) });
        }
        let (approved, declined) = all().map(str::to_owned).partition(|id| approved.contains(id.as_str()));
        Ok(Reviewed { approved, declined, reason })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> ReviewRequest {
        let item = |id: &str| ReviewItem { id: id.into(), title: id.into(), diff: String::new() };
        ReviewRequest { summary: "two notes".into(), items: vec![item("2"), item("1")] }
    }

    #[test]
    fn verdicts_are_short_json_and_decide_every_item() {
        for (json, approved, declined, reason) in [
            (r#""approve""#, vec!["2", "1"], vec![], None),
            (r#"{"some": {"ids": ["1", "1"]}}"#, vec!["1"], vec!["2"], None),
            (r#"{"some": {"ids": []}}"#, vec![], vec!["2", "1"], None),
            (r#"{"reject": {"reason": "wrong folder"}}"#, vec![], vec!["2", "1"], Some("wrong folder")),
            (r#"{"reject": {}}"#, vec![], vec!["2", "1"], None),
        ] {
            let verdict: Verdict = serde_json::from_str(json).unwrap();
            let reviewed = request().decide(&verdict).unwrap();
            assert_eq!(reviewed.approved, approved, "{json}");
            assert_eq!(reviewed.declined, declined, "{json}");
            assert_eq!(reviewed.reason.as_deref(), reason, "{json}");
        }
    }

    #[test]
    fn an_unknown_item_is_told_with_those_there_are() {
        let error = request().decide(&Verdict::Some { ids: vec!["3".into()] }).unwrap_err().to_string();
        assert_eq!(error, "the verdict names `3`, which the review does not have; its items are `2`, `1`");
    }
}
