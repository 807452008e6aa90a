//! Plans: from a planner's reply to tasks that can be carried out.
//!
//! A reply is read into a [`RawPlan`] in either form ([`read_plan`]), repaired into a [`Plan`], whose dependencies always
//! have an order ([`repair_plan`], or [`check_plan`] when the model shall be asked again instead). [`PlanStats`] describes a
//! plan as it was written; [`plan_to_graph`](crate::plan_to_graph) makes nodes of a task tree of it.

mod chain;
mod format;
mod json;
mod planned;
mod raw;
mod repair;
mod repairs;
mod schema;
mod stats;
mod whole;
mod xml;

pub use chain::ChainRules;
pub use format::read_plan;
pub use planned::{Plan, PlannedTask};
pub use raw::{PlanForm, RawPlan, RawTask};
pub use repair::{Outer, PlanRules, check_plan, repair_plan};
pub use repairs::{PlanError, Repair, RepairKind};
pub use schema::{PlanShape, SlotTypes, plan_schema};
pub use stats::PlanStats;
