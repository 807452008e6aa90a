//! The state of the drawn graphs: what ran, in order and by name.

use std::collections::BTreeMap;

use graphloom_core_graph::{Log, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What ran.
#[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// Names, in commit order.
    #[state(append)]
    pub log: Log<String>,
    /// How often, by name.
    #[state(reduce_with = count, update = String, stored = deltas)]
    pub ran: BTreeMap<String, u64>,
    /// One for each result of a durable step.
    #[state(add)]
    pub effects: u64,
}

fn count(ran: &mut BTreeMap<String, u64>, name: String) {
    *ran.entry(name).or_default() += 1;
}

/// The update of a child whose tasks ran.
pub fn all_ran(names: impl IntoIterator<Item = String>) -> TallyUpdate {
    names.into_iter().fold(Tally::update(), TallyUpdate::ran)
}

/// The update of a task that ran.
pub fn ran(name: &str) -> TallyUpdate {
    Tally::update().log([name.to_owned()]).ran(name.to_owned())
}
