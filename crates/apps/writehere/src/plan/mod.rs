//! Plans: from a planner's reply to the inner nodes of a task.
//!
//! A reply is read into a [`RawPlan`] in either form ([`read_plan`]), repaired into a [`Plan`], whose dependencies always
//! have an order ([`repair_plan`], or [`check_plan`] when the model shall be asked again instead), and turned into nodes
//! ([`plan_to_graph`]). [`PlanStats`] describes a plan as it was written.

mod chain;
mod format;
mod graph;
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
pub use graph::plan_to_graph;
pub use planned::{Plan, PlannedTask};
pub use raw::{PlanForm, RawPlan, RawTask};
pub use repair::{Outer, PlanRules, check_plan, repair_plan};
pub use repairs::{PlanError, Repair, RepairKind};
pub use schema::{PlanShape, SlotTypes, plan_schema};
pub use stats::PlanStats;
