use graphloom_core_graph::{Context, NodeError, Snapshot, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(State, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct Draft {
    topic: String,
}

struct Verdict;

async fn untyped(draft: Snapshot<Draft>, cx: Context) -> Result<(), NodeError> {
    cx.ask("verdict", &draft.topic).await?;
    Ok(())
}

async fn unused(draft: Snapshot<Draft>, cx: Context) -> Result<(), NodeError> {
    let _verdict = cx.ask("verdict", &draft.topic).await?;
    Ok(())
}

async fn unreadable(draft: Snapshot<Draft>, cx: Context) -> Result<(), NodeError> {
    let _verdict: Verdict = cx.ask("verdict", &draft.topic).await?;
    Ok(())
}

fn main() {}
