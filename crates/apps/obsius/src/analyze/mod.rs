//! Analysis: what a request wants, and the plan for it, from a model or by rules.

mod claim;
mod intent;
mod model;
mod rules;

pub use claim::{asks_for_change, claims_change};
pub use intent::{Intents, estimated_complexity, keywords, title_of, wants_index};
pub(crate) use model::or_by_rules;
pub use model::{Compiled, WrittenCriterion, WrittenPlan, WrittenSubtask, compile, plan_schema, small_plan_schema};
pub use rules::plan_by_rules;
pub(crate) use rules::tag_of;
