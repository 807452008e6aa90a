//! How the queue is used.

use std::collections::BTreeMap;
use std::time::Duration;

use graphloom_checkpoint_encrypted::MessageKeys;

/// How a process uses the queue. All processes of a queue state the same schema and times.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct QueueOptions {
    /// The schema of the checkpointer that the queue belongs to. The tables of the queue are in two schemas beside it, whose
    /// names end with `_work` and `_jobs`. `graphloom` unless set.
    pub schema: String,
    /// Connections at most, two of which only listen. Ten unless set.
    pub max_connections: u32,
    /// How long a connection is waited for. Ten seconds unless set.
    pub connect_timeout: Duration,
    /// How often a process tells that it is alive; one that is silent for twice as long is replaced. Two seconds unless set.
    pub heartbeat: Duration,
    /// How many tasks of a concurrency class are executed at a time, over all processes of the queue. Classes that are not
    /// named have no limit here; each run keeps to that of its graph. All processes that drive runs state the same.
    pub limits: BTreeMap<String, usize>,
    /// Bytes of a task, and of what comes of it, at most. 64 MiB unless set.
    pub max_bytes: usize,
    /// With which keys tasks, and what processes say about them, are encrypted in the tables. Not at all unless set. Names of nodes,
    /// keys of tasks and ids of threads stay readable.
    pub keys: MessageKeys,
}

impl Default for QueueOptions {
    fn default() -> Self {
        Self {
            schema: "graphloom".to_owned(),
            max_connections: 10,
            connect_timeout: Duration::from_secs(10),
            heartbeat: Duration::from_secs(2),
            limits: BTreeMap::new(),
            max_bytes: 64 << 20,
            keys: MessageKeys::default(),
        }
    }
}

impl QueueOptions {
    /// The defaults, beside the checkpointer of another schema.
    pub fn schema(schema: impl Into<String>) -> Self {
        Self { schema: schema.into(), ..Self::default() }
    }

    /// Opens at most so many connections.
    #[must_use]
    pub fn max_connections(mut self, connections: u32) -> Self {
        self.max_connections = connections;
        self
    }

    /// Tells every so often that the process is alive. One that is silent for twice as long is replaced.
    #[must_use]
    pub fn heartbeat(mut self, every: Duration) -> Self {
        self.heartbeat = every;
        self
    }

    /// Has at most so many tasks of a concurrency class executed at a time, over all processes of the queue: what a provider
    /// allows is one limit. A task that waits for a worker with its graph counts, too. At least one.
    #[must_use]
    pub fn limit(mut self, class: impl Into<String>, tasks: usize) -> Self {
        self.limits.insert(class.into(), tasks.max(1));
        self
    }

    /// Carries at most so many bytes of a task, and of what comes of it.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Encrypts tasks, and what processes say about them, in the tables. All processes of a queue have the same keys: one without
    /// them leaves tasks to others, and says so in its log.
    #[must_use]
    pub fn keys(mut self, keys: impl Into<MessageKeys>) -> Self {
        self.keys = keys.into();
        self
    }

    /// After how long a silence a process is replaced.
    pub(crate) fn expiry(&self) -> Duration {
        self.heartbeat * 2
    }
}
