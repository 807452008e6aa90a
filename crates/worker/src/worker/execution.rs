//! A task from its taking to its end.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use graphloom_core_graph::NodeError;
use graphloom_core_graph::remote::{Performer, TaskLink, TaskReply, TaskRequest};
use tokio::time::timeout;

use super::Shared;
use super::link::Link;
use super::take::Taken;
use crate::jobs::TASK;
use crate::member::{Letter, Mailbox, Message, Sent};

/// How long the process that drives a run is given to begin a task anew, before it is asked again.
const BEGUN: Duration = Duration::from_secs(5);
/// After how long a task is tried again that this worker cannot do, though it has the graph.
const ELSEWHERE: Duration = Duration::from_secs(1);

/// Executes a task, if it is still awaited.
///
/// # Errors
/// What is left to another worker: the job is done again.
pub(super) async fn execute(shared: &Shared, id: &str) -> Result<(), String> {
    // Before the task is taken: letters come from then on.
    let mut mailbox = shared.member.mailbox(id);
    let taken = shared.takes.give(id.to_owned()).await.map_err(|error| error.to_string())?;
    let Some(taken) = taken else { return Ok(()) };
    let _held = shared.running.hold(id, taken.take);
    let Some(request) = begun(shared, id, &taken, &mut mailbox).await? else { return Ok(()) };
    let request = TaskRequest::from_bytes(&request).map_err(|error| error.to_string())?;
    let link = Arc::new(Link::new(shared, id, &taken.host, request.execution));
    if taken.is_stopping {
        link.stop();
    }
    let performed = tokio::select! {
        biased;
        () = hear(&mut mailbox, &link) => return Ok(()),
        performed = perform(shared, request, &link) => performed,
    };
    let Some(reply) = performed else {
        // Whoever has the node may be quicker the next time.
        tokio::time::sleep(ELSEWHERE).await;
        return Err("this worker has the graph in this version, but not the node of the task".to_owned());
    };
    let message = Message::Ended { reply: encoded(&reply, shared.max_bytes).into() };
    // Where the process that drives the run is gone, nobody waits for it.
    shared.member.tell(&taken.host, id, message).await.map(drop).map_err(|error| error.to_string())
}

/// The task as it was begun for this worker; none where it is over.
async fn begun(shared: &Shared, id: &str, taken: &Taken, mailbox: &mut Mailbox) -> Result<Option<Vec<u8>>, String> {
    if let Some(request) = &taken.request {
        let request = shared.member.keys().decrypt(TASK, id, request.clone());
        return request.map(Some).map_err(|error| {
            tracing::warn!(%error, "a task is left to another worker");
            error.to_string()
        });
    }
    loop {
        let message = Message::Retaken { take: taken.take };
        match shared.member.tell(&taken.host, id, message).await {
            Ok(Sent::Delivered) => {}
            Ok(Sent::Gone) => return Ok(None),
            Err(error) => return Err(error.to_string()),
        }
        let answer = async {
            loop {
                match mailbox.next().await.message {
                    Message::Begun { take, request } if take == taken.take => return Some(request.into_vec()),
                    Message::Over => return None,
                    _ => {}
                }
            }
        };
        if let Ok(request) = timeout(BEGUN, answer).await {
            return Ok(request);
        }
    }
}

/// Executes the task; none where this worker has no such node.
async fn perform(shared: &Shared, request: TaskRequest, link: &Arc<Link>) -> Option<TaskReply> {
    let execution = request.execution;
    let link = Arc::clone(link) as Arc<dyn TaskLink>;
    let performing = match shared.graphs.perform(Arc::new(request), link) {
        Ok(performing) => performing,
        Err(unknown) => {
            tracing::warn!(%unknown, "a task is left to another worker");
            return None;
        }
    };
    let performed = AssertUnwindSafe(performing).catch_unwind().await;
    Some(performed.unwrap_or_else(|_| TaskReply::failed(execution, &NodeError::terminal("the worker panicked"))))
}

/// Hears what is said about the task, until it is over.
async fn hear(mailbox: &mut Mailbox, link: &Link) {
    loop {
        let Letter { message, .. } = mailbox.next().await;
        match message {
            Message::Recorded { question, refused } => link.answered(question, refused),
            Message::Stopping => link.stop(),
            Message::Over => return,
            _ => {}
        }
    }
}

/// The bytes of a reply, or of the error that there are too many.
fn encoded(reply: &TaskReply, most: usize) -> Vec<u8> {
    let failed = |error: &NodeError| TaskReply::failed(reply.execution, error).to_bytes().unwrap_or_default();
    match reply.to_bytes() {
        Ok(bytes) if bytes.len() <= most => bytes,
        Ok(bytes) => {
            let size = bytes.len();
            failed(&NodeError::terminal(format!(
                "what came of the task has {size} bytes, and {most} are carried at most; keep large values outside of the state, or raise `max_bytes`"
            )))
        }
        Err(error) => failed(&NodeError::terminal(error)),
    }
}
