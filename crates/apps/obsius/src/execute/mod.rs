//! Planning and executing actions.

mod answer;
mod batch;
pub(crate) mod calls;
mod model;
mod plan_guided;
mod run;

pub use batch::{Batch, MOST, next_batch};
pub use model::{WrittenAction, WrittenActions, actions_schema, read_actions};
pub use plan_guided::plan_guided;
pub use run::{PlanProgress, ProgressSaver, execute_plan};
