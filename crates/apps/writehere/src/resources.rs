//! What the nodes of a run work with beside its state.

use std::fmt;
use std::sync::Arc;

use graphloom_core_graph::{Context, NodeError};
use graphloom_llm::ModelError;
use graphloom_llm::cassette::Cassette;
use graphloom_llm::layers::Ledger;
use graphloom_state_machine::{NodeKey, Symbol, TaskAction};
use serde_json::{Value, json};

use crate::breakpoint::Breakpoints;
use crate::stage::Desk;

/// What the nodes of a run work with beside its state: models, prompts, what can be searched, counts and recordings.
pub struct Resources {
    /// Prompts, profile, models and what can be searched. Limits, date and seed come from the request.
    pub desk: Desk,
    /// What the calls have spent.
    pub ledger: Arc<Ledger>,
    /// Where the run stops for a look.
    pub breaks: Breakpoints,
    /// The recording that is made or played back.
    pub cassette: Option<Arc<Cassette>>,
    /// Makes a time of milliseconds since 1970.
    pub time: fn(u64) -> String,
}

impl Resources {
    /// The time of a result: the runtime's, or the recorded one.
    pub(crate) async fn time_text(
        &self,
        cx: &Context<Self>,
        node: &NodeKey,
        action: TaskAction,
    ) -> Result<String, NodeError> {
        let now = (self.time)(cx.now());
        let Some(cassette) = &self.cassette else { return Ok(now) };
        let of = json!({ "node": node, "action": action.name() });
        let work = || async { Ok::<_, ModelError>(Value::String(now)) };
        let message = |message| ModelError::Setup { message };
        let time = cassette.exchange("time", &of, work, message).await?;
        Ok(time.as_str().unwrap_or_default().to_owned())
    }
}

impl fmt::Debug for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resources").field("desk", &self.desk).field("breaks", &self.breaks).finish_non_exhaustive()
    }
}
