//! The limits of all servers.

use std::fmt;
use std::time::Duration;

use graphloom_agents::Risk;

use crate::LoginFolder;
use crate::event::McpWatch;

/// The limits of all servers, and who hears of them.
#[derive(Clone)]
#[non_exhaustive]
pub struct McpOptions {
    /// How long a server may take to begin and to say what it has; 30 seconds unless set.
    pub start_limit: Duration,
    /// How long one call may take, waiting for its turn included; 60 seconds unless set.
    pub call_limit: Duration,
    /// How many calls of one server are made at a time; 4 unless set.
    pub parallel_per_server: usize,
    /// How many calls of all servers are made at a time; 8 unless set.
    pub parallel: usize,
    /// How often one server that ended is started again; 3 times unless set.
    pub restarts: u32,
    /// The longest message of a server in bytes; 16 MiB unless set. A longer one is not taken at all.
    pub message_bytes: usize,
    /// The most bytes of one answer that a model gets; 1 MiB unless set. A longer one is cut.
    pub answer_bytes: usize,
    /// The most that a tool may change to be offered; [`Risk::Destructive`] unless set. Where it is [`Risk::Read`], tools
    /// for which a person must be asked are not offered either.
    pub ceiling: Risk,
    /// Where logins are kept; none is used unless set.
    pub logins: Option<LoginFolder>,
    /// The function that gets each event.
    pub watch: Option<McpWatch>,
}

impl Default for McpOptions {
    fn default() -> Self {
        Self {
            start_limit: Duration::from_secs(30),
            call_limit: Duration::from_secs(60),
            parallel_per_server: 4,
            parallel: 8,
            restarts: 3,
            message_bytes: 16 << 20,
            answer_bytes: 1 << 20,
            ceiling: Risk::Destructive,
            logins: None,
            watch: None,
        }
    }
}

impl McpOptions {
    /// Uses the logins of a folder.
    #[must_use]
    pub fn with_logins(mut self, logins: LoginFolder) -> Self {
        self.logins = Some(logins);
        self
    }

    /// Calls `watch` with each event.
    #[must_use]
    pub fn watched_by(mut self, watch: McpWatch) -> Self {
        self.watch = Some(watch);
        self
    }
}

impl fmt::Debug for McpOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpOptions")
            .field("start_limit", &self.start_limit)
            .field("call_limit", &self.call_limit)
            .field("parallel_per_server", &self.parallel_per_server)
            .field("parallel", &self.parallel)
            .field("restarts", &self.restarts)
            .field("message_bytes", &self.message_bytes)
            .field("answer_bytes", &self.answer_bytes)
            .field("ceiling", &self.ceiling)
            .field("logins", &self.logins)
            .finish_non_exhaustive()
    }
}
