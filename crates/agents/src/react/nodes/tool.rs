//! Task node `tool`: one call is made, once a person has approved it where that is needed.

use std::sync::Arc;

use async_trait::async_trait;
use graphloom_core_graph::{Context, NodeError, Snapshot};

use crate::react::{APPROVAL, MadeCall, ReactResources, ReactState, ReactStateUpdate, ToolTask};
use crate::{Confirm, Confirmation, Decision};

/// State in: the call. State out: its outcome. It waits for a person where the call needs that. A tool that fails is an
/// observation for the model; the outcome is kept before the node ends, so that the call is not made again after a kill.
///
/// # Errors
/// No decision yet, and those of the store.
pub async fn tool(
    task: ToolTask,
    _state: Snapshot<ReactState>,
    cx: Context<ReactResources>,
) -> Result<ReactStateUpdate, NodeError> {
    let resources = cx.resources();
    let tools = resources.tools.current();
    let decision = match tools.confirmation(&task.call, resources.approve_from) {
        Some(request) => cx.ask::<Decision>(APPROVAL, &request).await?,
        None => Decision::Allow,
    };
    let tools = tools.into_owned().confirming(resources.approve_from, Arc::new(Decided(decision)));
    let made = cx.once("call", async {
        let mut repeats = task.repeats.clone();
        let outcome = tools.call(&task.call, &mut repeats).await;
        Ok(MadeCall { outcome, repeats })
    });
    Ok(ReactState::update().made([(task.place, made.await?)]))
}

/// A person's decision, which was asked for already.
struct Decided(Decision);

#[async_trait]
impl Confirm for Decided {
    async fn confirm(&self, _request: &Confirmation) -> Decision {
        self.0.clone()
    }
}
