//! Task node `tool`: one call is made, once a person has approved it where that is needed.

use std::sync::Arc;

use async_trait::async_trait;
use graphloom_core_graph::{Context, NodeError, Snapshot};

use crate::react::{APPROVAL, MadeCall, ReactResources, ReactState, ReactStateUpdate, ToolTask};
use crate::{Confirm, Confirmation, Decision, Risk};

/// The durable step that keeps what a person was asked about.
const SHOWN: &str = "shown";

/// State in: the call. State out: its outcome. It waits for a person where the call needs that. A tool that fails is an
/// observation for the model; the outcome is kept before the node ends, so that the call is not made again after a kill.
///
/// # Errors
/// No decision yet, and those of the store.
pub async fn tool(
    task: ToolTask,
    state: Snapshot<ReactState>,
    cx: Context<ReactResources>,
) -> Result<ReactStateUpdate, NodeError> {
    let resources = cx.resources().of(&state)?;
    let tools = resources.tools.current();
    let request = tools.confirmation(&task.call, resources.approve_from);
    let decision = decided(&cx, request).await?;
    // What was decided holds, whatever the tool's risk is now.
    let tools = tools.into_owned().confirming(Risk::Read, Arc::new(Decided(decision)));
    let made = cx.once("call", async {
        let mut repeats = task.repeats.clone();
        let outcome = tools.call(&task.call, &mut repeats).await;
        Ok(MadeCall::new(outcome, repeats))
    });
    Ok(ReactState::update().made([(task.place, made.await?)]))
}

/// What a person decides, who is asked once. Tools are looked up anew when a run goes on: an approval is of the call that was
/// shown, and a denial stays one.
async fn decided(cx: &Context<ReactResources>, request: Option<Confirmation>) -> Result<Decision, NodeError> {
    let shown = match &request {
        Some(request) => Some(cx.once(SHOWN, async { Ok(request.clone()) }).await?),
        None => cx.recorded::<Confirmation>(SHOWN)?,
    };
    let Some(shown) = shown else { return Ok(Decision::Allow) };
    Ok(match cx.ask::<Decision>(APPROVAL, &shown).await? {
        Decision::Allow if request.is_some_and(|request| request != shown) => {
            let reason = "the tool is no longer what the person was asked about; call it again".to_owned();
            Decision::Deny { reason }
        }
        decision => decision,
    })
}

/// A person's decision, which was asked for already.
struct Decided(Decision);

#[async_trait]
impl Confirm for Decided {
    async fn confirm(&self, _request: &Confirmation) -> Decision {
        self.0.clone()
    }
}
