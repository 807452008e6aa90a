//! The process that drives runs puts their tasks on the queue, and serves the workers that execute them.
//!
//! | what | file |
//! | --- | --- |
//! | a task on its way: begun, queued, served until it has ended | `dispatch.rs` |
//! | of a class with a limit only so many tasks at a time | `limits.rs` |
//! | the rows of tasks and their jobs | `rows.rs` |
//! | with every heartbeat: lost jobs, free slots, graphs that no worker has | `upkeep.rs` |

mod dispatch;
mod limits;
mod rows;
mod upkeep;

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use graphloom_core_graph::NodeError;
use graphloom_core_graph::remote::{Executor, TaskHost, TaskReply};

use self::rows::Rows;
use crate::database::Database;
use crate::error::QueueError;
use crate::member::{Member, Role};
use crate::options::QueueOptions;

/// An [`Executor`] whose workers are other processes, see [`Worker`](crate::Worker). Tasks wait in a queue in PostgreSQL until a
/// worker that has their graph takes them. A clone is another handle to the same.
#[derive(Clone)]
pub struct TaskQueue {
    inner: Arc<Queue>,
    order: TaskOrder,
}

/// How tasks are queued.
#[derive(Clone, Default)]
struct TaskOrder {
    priority: i16,
    /// The class of tasks whose nodes have none.
    class: Option<Arc<str>>,
}

struct Queue {
    member: Arc<Member>,
    rows: Rows,
    options: QueueOptions,
}

impl TaskQueue {
    /// Connects, and makes the tables where there are none.
    ///
    /// # Errors
    /// The address or a setting cannot be used; the database's; tables of a newer version.
    pub async fn connect(url: &str, options: &QueueOptions) -> Result<Self, QueueError> {
        let database = Database::open(url, options).await?;
        let member = Member::join(database, Role::Driver, options).await?;
        let rows = Rows::new(&member, options);
        let inner = Arc::new(Queue { member, rows, options: options.clone() });
        Ok(Self { inner, order: TaskOrder::default() })
    }

    /// The same queue, whose tasks come before those that wait with a larger number, whoever queued them. 0 unless set.
    #[must_use]
    pub fn priority(mut self, priority: i16) -> Self {
        self.order.priority = priority;
        self
    }

    /// The same queue, whose tasks are of this concurrency class if their nodes have none: with [`QueueOptions::limit`] all tasks
    /// of a graph have one limit, over all processes.
    #[must_use]
    pub fn class(mut self, class: impl Into<Arc<str>>) -> Self {
        self.order.class = Some(class.into());
        self
    }
}

impl Executor for TaskQueue {
    fn execute<'e>(&'e self, host: &'e TaskHost<'_>) -> BoxFuture<'e, Result<TaskReply, NodeError>> {
        Box::pin(dispatch::dispatch(&self.inner, &self.order, host))
    }
}

impl fmt::Debug for TaskQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskQueue").field("place", &self.inner.member.database.place).finish_non_exhaustive()
    }
}
