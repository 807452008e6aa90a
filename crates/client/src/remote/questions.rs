//! What a remote graph asks, asked here.

use graphloom_core_graph::{Context, NodeError};
use serde_json::Value;

use super::node::KEY;
use super::round::Beginning;
use crate::{Command, Interrupt};

/// The answers to what a remote graph asks. Until all are there, this is the error that suspends the node. Questions are
/// counted over all rounds of the task, since an id of LangGraph is that of the asking task and may come again.
pub(super) async fn answers<Cx>(
    context: &Context<Cx>,
    interrupts: Vec<Interrupt>,
    asked: &mut usize,
) -> Result<Beginning, NodeError> {
    let (mut answers, mut open) = (Vec::new(), None);
    for interrupt in interrupts {
        *asked += 1;
        let key = if *asked == 1 { KEY.to_owned() } else { format!("{KEY}/{asked}") };
        match context.ask::<Value>(&key, &interrupt.value).await {
            Ok(answer) => answers.push((interrupt.id, answer)),
            // The others are asked as well, so that all can be answered at once.
            Err(error) => open = Some(error),
        }
    }
    if let Some(error) = open {
        return Err(error);
    }
    if let [(None, answer)] = answers.as_slice() {
        return Ok(Beginning::Answers(Box::new(Command::resume(answer.clone()))));
    }
    let by_id: Option<Vec<_>> = answers.into_iter().map(|(id, answer)| Some((id?, answer))).collect();
    let lacking = || NodeError::terminal("the server asks several questions at once and gives them no ids".to_owned());
    Ok(Beginning::Answers(Box::new(Command::answers(by_id.ok_or_else(lacking)?))))
}
