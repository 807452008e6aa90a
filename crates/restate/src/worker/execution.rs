//! A task from its coming to its end.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use graphloom_core_graph::NodeError;
use graphloom_core_graph::remote::{Performer, TaskLink, TaskReply, TaskRequest};

use super::Worker;
use super::driver::{AnswerStream, Driver};
use super::link::Link;
use crate::wire::{Answer, Message, REPLY, Summons};

/// How an execution ended.
pub(super) enum Ended {
    /// With what came of it, as bytes.
    Reply(Vec<u8>),
    /// Nobody waits for it any more.
    Over,
    /// It is left to another worker, or to this one later, for this reason.
    Elsewhere(String),
}

/// Executes a task, if it is still awaited.
pub(super) async fn execute(worker: Arc<Worker>, summons: Summons) -> Ended {
    let driver = Arc::new(Driver::new(&worker, &summons));
    if let Err(lost) = driver.may_be_asked() {
        return lost.into();
    }
    let mut stopping = worker.stopping.clone();
    let _place = tokio::select! {
        biased;
        _ = stopping.wait_for(|stopping| *stopping) => return Ended::Elsewhere("the worker stops".to_owned()),
        place = worker.places.acquire() => match place {
            Ok(place) => place,
            Err(error) => return Ended::Elsewhere(error.to_string()),
        },
    };
    let mut heard = match driver.begin().await {
        Ok(heard) => heard,
        Err(lost) => return lost.into(),
    };
    let request = match heard.next().await {
        Ok(Some(Answer::Begun { request })) => TaskRequest::from_bytes(&request).map_err(|error| error.to_string()),
        Ok(Some(Answer::Over)) => return Ended::Over,
        Ok(_) => Err("the process that drives the run did not begin the task".to_owned()),
        Err(error) => Err(error),
    };
    let request = match request {
        Ok(request) => request,
        Err(error) => return Ended::Elsewhere(error),
    };
    let execution = request.execution;
    let link = Arc::new(Link::new(&worker, &driver, execution));
    let performing = match worker.graphs.perform(Arc::new(request), Arc::clone(&link) as Arc<dyn TaskLink>) {
        Ok(performing) => AssertUnwindSafe(performing).catch_unwind(),
        Err(unknown) => {
            tracing::warn!(%unknown, task = summons.task, "a task is left to another worker");
            return Ended::Elsewhere(unknown.to_string());
        }
    };
    let performed = tokio::select! {
        biased;
        over = hear(heard, &driver, &link) => return over,
        performed = performing => performed,
    };
    let reply = performed.unwrap_or_else(|_| TaskReply::failed(execution, &NodeError::terminal("the worker panicked")));
    match worker.keys.encrypt(REPLY, &summons.key, encoded(&reply, worker.max_bytes)) {
        Ok(reply) => Ended::Reply(reply),
        Err(error) => Ended::Elsewhere(error.to_string()),
    }
}

/// Hears what is said about the task, until it is over. A connection that is lost is made anew.
async fn hear(mut heard: AnswerStream, driver: &Driver, link: &Link) -> Ended {
    loop {
        match heard.next().await {
            Ok(Some(Answer::Stopping)) => link.stop(),
            Ok(Some(Answer::Over)) => return Ended::Over,
            Ok(Some(Answer::Begun { .. } | Answer::Recorded { .. })) => {}
            Ok(None) | Err(_) => match driver.say(&Message::Listen { execution: link.execution() }).await {
                Ok(again) => heard = again,
                Err(lost) => return lost.into(),
            },
        }
    }
}

/// What came of a task as bytes, or that they are too many.
fn encoded(reply: &TaskReply, most: usize) -> Vec<u8> {
    let failed = |error: NodeError| TaskReply::failed(reply.execution, &error).to_bytes().unwrap_or_default();
    match reply.to_bytes() {
        Ok(bytes) if bytes.len() > most => {
            let size = bytes.len();
            failed(NodeError::terminal(format!(
                "what came of the task has {size} bytes, and {most} are carried at most; keep large values outside of the state, or raise `max_bytes`"
            )))
        }
        Ok(bytes) => bytes,
        Err(error) => failed(NodeError::terminal(error)),
    }
}
