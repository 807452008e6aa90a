//! A task on its way: begun, queued, served until it has ended.

use graphloom_core_graph::NodeError;
use graphloom_core_graph::remote::{ErrorRow, NodePlace, TaskHost, TaskReply, TaskRequest};

use super::rows::{Over, Queued};
use super::{Queue, TaskOrder};
use crate::jobs::{TASK, flag};
use crate::member::{Letter, Mailbox, Member, Message};

/// Has a task executed by workers. Where this process was taken for dead meanwhile, and with it the rows of its tasks, the task is
/// queued once more.
pub(super) async fn dispatch(queue: &Queue, order: &TaskOrder, host: &TaskHost<'_>) -> Result<TaskReply, NodeError> {
    loop {
        let mut renewed = queue.member.renewed();
        let own = renewed.borrow_and_update().clone();
        let (mut task, mut mailbox) = InFlight::new(queue, &own);
        if !task.put(host, order).await? {
            // Until it is known that this process is another member now.
            drop(renewed.wait_for(|now| *now != own).await);
            continue;
        }
        tokio::select! {
            biased;
            reply = task.serve(host, &mut mailbox) => return reply,
            _ = renewed.wait_for(|now| *now != own) => {}
        }
    }
}

/// A task on the queue, of which nothing is left when this is dropped.
struct InFlight<'q> {
    queue: &'q Queue,
    id: String,
    /// The member that this process was when it began.
    own: String,
    has_ended: bool,
}

impl<'q> InFlight<'q> {
    fn new(queue: &'q Queue, own: &str) -> (Self, Mailbox) {
        let id = Member::new_id();
        let mailbox = queue.member.mailbox(&id);
        (Self { queue, id, own: own.to_owned(), has_ended: false }, mailbox)
    }

    /// Begins the task, and puts it on the queue; false where this process is no member any more.
    async fn put(&self, host: &TaskHost<'_>, order: &TaskOrder) -> Result<bool, NodeError> {
        let request = host.begin().await;
        let name = name_of(host.place(), &request);
        let request = self.queue.member.keys().encrypt(TASK, &self.id, self.encoded(&request)?);
        let request = request.map_err(NodeError::terminal)?;
        let class = host.class().or(order.class.as_deref());
        let task = Queued {
            id: self.id.clone(),
            host: self.own.clone(),
            name,
            flags: host.place().iter().map(|place| flag(&place.graph_version())).collect(),
            priority: order.priority,
            class: class.filter(|class| self.queue.options.limits.contains_key(*class)).map(str::to_owned),
            request,
        };
        let put = self.queue.rows.put(task).await;
        put.map_err(|error| NodeError::retryable(self.queue.member.database.failed(error).to_string()))
    }

    /// The bytes of a task, if they are not too many.
    fn encoded(&self, request: &TaskRequest) -> Result<Vec<u8>, NodeError> {
        let bytes = request.to_bytes().map_err(NodeError::terminal)?;
        let (size, most) = (bytes.len(), self.queue.options.max_bytes);
        if size > most {
            return Err(NodeError::terminal(TooLarge { size, most }));
        }
        Ok(bytes)
    }

    /// Does for the workers of the task what they ask for, until the execution that counts has ended.
    async fn serve(&mut self, host: &TaskHost<'_>, mailbox: &mut Mailbox) -> Result<TaskReply, NodeError> {
        let mut is_stopping = false;
        loop {
            tokio::select! {
                biased;
                () = host.stopping(), if !is_stopping => {
                    is_stopping = true;
                    if let Ok(Some(worker)) = self.queue.rows.stop(&self.id).await {
                        self.tell(&worker, Message::Stopping).await;
                    }
                }
                letter = mailbox.next() => {
                    if let Some(reply) = self.answer(host, letter).await? {
                        self.has_ended = true;
                        return Ok(reply);
                    }
                }
            }
        }
    }

    /// Does what a letter asks for; the reply, where it has that of the execution that counts.
    async fn answer(&self, host: &TaskHost<'_>, letter: Letter) -> Result<Option<TaskReply>, NodeError> {
        let Letter { from, message, .. } = letter;
        match message {
            Message::Retaken { take } => {
                let request = host.begin().await;
                let request = self.encoded(&request)?.into();
                self.tell(&from, Message::Begun { take, request }).await;
            }
            Message::Record { execution, key, value, question } => {
                let recorded = host.record(execution, &key, value.into_vec()).await;
                let refused = recorded.err().map(|error| ErrorRow::of(&error));
                self.tell(&from, Message::Recorded { question, refused }).await;
            }
            Message::Event { execution, name, payload } => host.emit(execution, &name, payload).await,
            Message::Alive { execution } => host.heartbeat(execution),
            Message::Ended { reply } => {
                let reply = TaskReply::from_bytes(&reply).map_err(NodeError::terminal)?;
                return Ok(host.is_current(reply.execution).then_some(reply));
            }
            Message::Begun { .. } | Message::Recorded { .. } | Message::Stopping | Message::Over => {}
        }
        Ok(None)
    }

    /// Tells a worker something. One that is gone need not know it.
    async fn tell(&self, worker: &str, message: Message) {
        if let Err(error) = self.queue.member.tell(worker, &self.id, message).await {
            tracing::warn!(%error, task = self.id, "a worker is not told");
        }
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        let id = std::mem::take(&mut self.id);
        self.queue.rows.over(Over { id, has_ended: self.has_ended });
    }
}

/// What a task is, for people: the nodes that lead to it, its key, and its thread.
fn name_of(place: &[NodePlace], request: &TaskRequest) -> String {
    let nodes: Vec<&str> = place.iter().map(|place| place.node.as_str()).collect();
    let key = request.key.as_ref().map(|key| format!(" `{key}`")).unwrap_or_default();
    format!("{}{key} of thread {}", nodes.join(" / "), request.thread)
}

/// A task that has more bytes than are carried.
#[derive(Debug, thiserror::Error)]
#[error(
    "the task has {size} bytes with its state, and {most} are carried at most; keep large values outside of the state, or raise `max_bytes`"
)]
struct TooLarge {
    size: usize,
    most: usize,
}
