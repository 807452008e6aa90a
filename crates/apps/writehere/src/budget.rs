//! A spent budget: what a task asks that cannot go on, and what that means for the run.

use std::collections::BTreeMap;

use graphloom_llm::layers::Spent;
use graphloom_llm::{ModelError, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The question of a task whose call the budget refused. Any answer lets it try again, under the budget of then.
pub(crate) const BUDGET: &str = "budget";

/// Why a task waits: the budget is spent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Shortage {
    /// Which limit was reached.
    pub reason: String,
    /// What the run had spent by then, the calls of unfinished tasks included.
    pub spent: Spent,
    /// The calls that were answered in the open turn of the task, by model.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub answered: BTreeMap<String, Answered>,
}

/// Calls of a model that were answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Answered {
    /// How many.
    pub calls: u64,
    /// Their tokens.
    pub usage: Usage,
}

impl Answered {
    /// Adds calls and their tokens.
    pub fn add(&mut self, calls: u64, usage: Usage) {
        self.calls += calls;
        self.usage += usage;
    }
}

impl Shortage {
    pub(crate) fn new(refused: &ModelError, spent: Spent, answered: BTreeMap<String, Answered>) -> Self {
        Self { reason: refused.to_string(), spent, answered }
    }

    /// Reads a question of a run: `None` for one that has nothing to do with the budget.
    ///
    /// ```
    /// use graphloom_writehere::Shortage;
    /// use serde_json::json;
    ///
    /// let asked = Shortage::read("budget/2.0/call/0/1", &json!({ "reason": "the budget of 2 calls is spent" }));
    /// assert_eq!(asked.unwrap_or_default().reason, "the budget of 2 calls is spent");
    /// assert!(Shortage::read("break/root/plan/before", &json!({})).is_none());
    /// ```
    pub fn read(key: &str, payload: &Value) -> Option<Self> {
        let (kind, _) = key.split_once('/')?;
        (kind == BUDGET).then(|| serde_json::from_value(payload.clone()).unwrap_or_default())
    }
}
