//! How a database is used.

use std::time::Duration;

/// How [`PostgresCheckpointer::connect_with`](crate::PostgresCheckpointer::connect_with) uses its database.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PostgresOptions {
    /// The schema of the tables, made when it is not there. `graphloom` unless set.
    pub schema: String,
    /// Connections at most. Ten unless set. Up to two more are opened for upkeep: pruning, copying, deleting and compacting.
    pub max_connections: u32,
    /// How long a connection is waited for. Ten seconds unless set.
    pub connect_timeout: Duration,
    /// How long a statement may take. The database ends one that takes longer, as behind a lock; where it does not answer at all,
    /// as when the network is cut, twice this time and that of a connection is waited before the work fails. Thirty seconds
    /// unless set. Pruning, copying, deleting and compacting take as long as they take.
    pub statement_timeout: Duration,
    /// How often this program tells that it is alive. Five seconds unless set.
    pub heartbeat: Duration,
    /// How long after its last heartbeat a program's threads are left to it. Thirty seconds unless set; several
    /// heartbeats, so that one that is lost does no harm.
    pub expiry: Duration,
    /// How long [`acquire`](graphloom_core_graph::checkpoint::Checkpointer::acquire) waits for a thread that another program
    /// holds. Not at all unless set; where programs hand threads to each other, one that gives a thread back needs a moment
    /// to say so.
    pub patience: Duration,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            schema: "graphloom".to_owned(),
            max_connections: 10,
            connect_timeout: Duration::from_secs(10),
            statement_timeout: Duration::from_secs(30),
            heartbeat: Duration::from_secs(5),
            expiry: Duration::from_secs(30),
            patience: Duration::ZERO,
        }
    }
}

impl PostgresOptions {
    /// The defaults in another schema.
    pub fn schema(schema: impl Into<String>) -> Self {
        Self { schema: schema.into(), ..Self::default() }
    }

    /// Opens at most so many connections.
    #[must_use]
    pub fn max_connections(mut self, connections: u32) -> Self {
        self.max_connections = connections;
        self
    }

    /// Waits so long for a statement.
    #[must_use]
    pub fn statement_timeout(mut self, timeout: Duration) -> Self {
        self.statement_timeout = timeout;
        self
    }

    /// Tells every so often that the program is alive, and leaves it its threads for so long without.
    #[must_use]
    pub fn heartbeat(mut self, every: Duration, expiry: Duration) -> Self {
        (self.heartbeat, self.expiry) = (every, expiry);
        self
    }

    /// Waits so long for a thread that another program holds.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }
}
