//! This process among those of a queue.
//!
//! 1. A member is a row that it renews with every heartbeat. Time is the database's. Whoever finds a row that is older than two
//!    heartbeats removes it, and with it what is addressed to that member; a member that was blind itself removes nobody.
//! 2. A member that finds its row gone goes on as a new member. What was addressed to the old one is lost, so that whoever
//!    waits for it asks again.
//! 3. A letter is a row that is deleted after it was taken up. It may come twice, and what it says is so that this does no harm.
//!    Letters of one member to another come in the order in which they were sent.
//!
//! | what | file |
//! | --- | --- |
//! | what is said | `letter.rs` |
//! | letters that are sent | `outbox.rs` |
//! | letters that come | `inbox.rs` |
//! | the row, its heartbeats, and members that are silent | `standing.rs` |

mod inbox;
mod letter;
mod outbox;
mod standing;

use std::sync::{Arc, OnceLock};

use dashmap::DashMap;
use graphloom_checkpoint_encrypted::MessageKeys;
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;
use uuid::Uuid;

pub(crate) use letter::{Letter, Message};
pub(crate) use outbox::Sent;

use self::outbox::Outbox;
use crate::database::Database;
use crate::error::QueueError;
use crate::options::QueueOptions;

/// What a member is there for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It drives runs, and has their tasks executed.
    Driver,
    /// It executes tasks of these graphs, so many at a time.
    Worker { graphs: Vec<String>, places: usize },
}

/// This process as a member of a queue.
pub(crate) struct Member {
    pub(crate) database: Database,
    role: Role,
    options: QueueOptions,
    /// The id of the member that it is now.
    id: watch::Sender<String>,
    outbox: Outbox,
    /// Where letters about tasks go.
    tasks: Arc<DashMap<String, mpsc::UnboundedSender<Letter>>>,
    running: OnceLock<[AbortHandle; 2]>,
}

/// The letters about a task; it gets none any more when this is dropped.
pub(crate) struct Mailbox {
    task: String,
    sender: mpsc::UnboundedSender<Letter>,
    letters: mpsc::UnboundedReceiver<Letter>,
    tasks: Arc<DashMap<String, mpsc::UnboundedSender<Letter>>>,
}

impl Role {
    /// How the rows of workers name their role.
    pub(crate) const WORKER: &'static str = "worker";

    fn name(&self) -> &'static str {
        match self {
            Self::Driver => "driver",
            Self::Worker { .. } => Self::WORKER,
        }
    }
}

impl Member {
    /// Joins the processes of a queue.
    pub(crate) async fn join(database: Database, role: Role, options: &QueueOptions) -> Result<Arc<Self>, QueueError> {
        let member = Arc::new(Self {
            outbox: Outbox::new(&database, &options.keys),
            database,
            role,
            options: options.clone(),
            id: watch::Sender::new(String::new()),
            tasks: Arc::new(DashMap::new()),
            running: OnceLock::new(),
        });
        member.enter().await.map_err(|error| member.database.failed(error))?;
        let beats = tokio::spawn(standing::beat(Arc::downgrade(&member))).abort_handle();
        let letters = tokio::spawn(inbox::read(Arc::downgrade(&member))).abort_handle();
        drop(member.running.set([beats, letters]));
        Ok(member)
    }

    /// With what tasks and letters are encrypted.
    pub(crate) fn keys(&self) -> &MessageKeys {
        &self.options.keys
    }

    /// The id of the member that this process is now.
    pub(crate) fn id(&self) -> String {
        self.id.borrow().clone()
    }

    /// Told when this process has become another member.
    pub(crate) fn renewed(&self) -> watch::Receiver<String> {
        self.id.subscribe()
    }

    /// The letters about a task from now on.
    pub(crate) fn mailbox(&self, task: &str) -> Mailbox {
        let (sender, letters) = mpsc::unbounded_channel();
        self.tasks.insert(task.to_owned(), sender.clone());
        Mailbox { task: task.to_owned(), sender, letters, tasks: Arc::clone(&self.tasks) }
    }

    /// Says something about a task to another member.
    pub(crate) async fn tell(&self, recipient: &str, task: &str, message: Message) -> Result<Sent, QueueError> {
        let letter = Letter { task: task.to_owned(), from: self.id(), message };
        self.outbox.send(recipient, &letter).await.map_err(|error| self.database.failed(error))
    }

    /// An id that nobody else has.
    pub(crate) fn new_id() -> String {
        Uuid::now_v7().simple().to_string()
    }

    /// The channel on which a member hears that letters have come.
    fn channel(id: &str) -> String {
        format!("{}{id}", outbox::CHANNEL)
    }
}

impl Mailbox {
    /// The next letter.
    pub(crate) async fn next(&mut self) -> Letter {
        match self.letters.recv().await {
            Some(letter) => letter,
            // It has a sender itself.
            None => std::future::pending().await,
        }
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        // One that was made later for the same task stays.
        self.tasks.remove_if(&self.task, |_, sender| sender.same_channel(&self.sender));
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.running.get().into_iter().flatten().for_each(AbortHandle::abort);
        let (database, id) = (self.database.clone(), self.id());
        // Without a runtime that still runs, the row is removed by another member.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { standing::leave(&database, &id).await });
        }
    }
}
