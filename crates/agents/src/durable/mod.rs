//! Model calls as durable steps of a task: what was answered and stored is never asked again.

mod calls;
mod hooks;
mod keys;
mod model;
mod model_call;
mod streamed;

pub use calls::{DurableCalls, logged_step};
pub use hooks::{Call, CallHooks, CallKind, CallReply};
pub use keys::StepKeys;
pub use model_call::{AnswerSource, BudgetUse, MODEL_CALL, ModelCall, ToldModel};
pub use streamed::Piece;
