//! The file that names the servers, in the form that editors use.
//!
//! ```json
//! {"mcpServers": {
//!   "files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "${HOME}/notes"]},
//!   "search": {"url": "https://example.org/mcp", "headers": {"Authorization": "Bearer ${SEARCH_KEY}"}}
//! }}
//! ```

mod read;
mod server;
mod variables;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use graphloom_agents::Risk;
use reqwest::Url;

use crate::ConfigError;

/// The servers of a file, in its order, and what of the file was not understood.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct McpConfig {
    /// The servers, in the order of the file, without those that it switches off.
    pub servers: Vec<ServerConfig>,
    /// Fields that this client does not know and left out, as sentences.
    pub notes: Vec<String>,
}

/// How one server is reached, and what may be done with it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ServerConfig {
    /// The name that the file gives it.
    pub name: String,
    /// How it is reached.
    pub place: Place,
    /// How long one call may take; [`McpOptions::call_limit`](crate::McpOptions::call_limit) unless set.
    pub timeout: Option<Duration>,
    /// What the user says about single tools, by the name that the server gives them.
    pub tools: BTreeMap<String, ToolRule>,
}

/// How a server is reached.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum Place {
    /// A program that is started, and spoken to over its standard input and output.
    Command {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables of its environment beside the few that every program needs; see
        /// [`passed_on`](crate::passed_on).
        env: BTreeMap<String, String>,
        /// The folder that it runs in; this program's own unless set.
        folder: Option<PathBuf>,
    },
    /// An address that speaks streamable HTTP.
    Http {
        /// The address.
        url: Url,
        /// Headers of every request, which may hold a key.
        headers: BTreeMap<String, String>,
        /// What a login to it uses, where it asks for one.
        oauth: OAuthClient,
    },
}

/// The client that a login uses, where the one who gives logins does not make any client known by itself.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OAuthClient {
    /// The client's id; the client makes itself known unless set.
    pub id: Option<String>,
    /// The client's secret.
    pub secret: Option<String>,
    /// What is asked for; what the server says that it needs unless set.
    pub scopes: Vec<String>,
    /// The port of this machine that the browser comes back to, as `http://localhost:PORT/callback`; any unless set.
    pub callback_port: Option<u16>,
}

/// What the user says about one tool. The user's word stands above the server's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolRule {
    /// How much it can change.
    pub risk: Option<Risk>,
    /// Whether a person is asked before each call.
    pub ask: Option<bool>,
    /// Whether the tool is left out.
    pub disabled: bool,
    /// How long one call may take.
    pub timeout: Option<Duration>,
}

impl McpConfig {
    /// Reads a file, with the variables of this process.
    ///
    /// # Errors
    /// [`ConfigError`], which says file, server and field.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ConfigError::Unreadable { file: path.to_owned(), source })?;
        Self::parse(path, &text, |name| std::env::var(name).ok())
    }

    /// Reads the text of a file. `variable` gives the value of a variable that the text names as `${NAME}`,
    /// `${NAME:-DEFAULT}` or `${env:NAME}`.
    ///
    /// # Errors
    /// [`ConfigError`], which says file, server and field.
    pub fn parse(file: &Path, text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        read::parse(file, text, &variable)
    }

    /// Names a server that is not in a file.
    #[must_use]
    pub fn with(mut self, server: ServerConfig) -> Self {
        self.servers.push(server);
        self
    }
}

impl ServerConfig {
    /// A program that is started.
    pub fn command<A: Into<String>>(
        name: impl Into<String>,
        command: impl Into<String>,
        args: impl IntoIterator<Item = A>,
    ) -> Self {
        let args = args.into_iter().map(Into::into).collect();
        let place = Place::Command { command: command.into(), args, env: BTreeMap::new(), folder: None };
        Self { name: name.into(), place, timeout: None, tools: BTreeMap::new() }
    }

    /// An address that speaks streamable HTTP.
    pub fn http(name: impl Into<String>, url: Url) -> Self {
        let place = Place::Http { url, headers: BTreeMap::new(), oauth: OAuthClient::default() };
        Self { name: name.into(), place, timeout: None, tools: BTreeMap::new() }
    }

    /// Sets a variable of the program's environment; nothing changes for an address.
    #[must_use]
    pub fn with_env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        if let Place::Command { env, .. } = &mut self.place {
            env.insert(name.into(), value.into());
        }
        self
    }

    /// Sets how long one call may take.
    #[must_use]
    pub fn with_timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Says something about one tool, by the name that the server gives it.
    #[must_use]
    pub fn with_rule(mut self, tool: impl Into<String>, rule: ToolRule) -> Self {
        self.tools.insert(tool.into(), rule);
        self
    }
}

impl ToolRule {
    /// Says how much the tool can change.
    #[must_use]
    pub fn risk(mut self, risk: Risk) -> Self {
        self.risk = Some(risk);
        self
    }

    /// Says whether a person is asked before each call.
    #[must_use]
    pub fn ask(mut self, ask: bool) -> Self {
        self.ask = Some(ask);
        self
    }

    /// Leaves the tool out.
    #[must_use]
    pub fn disabled(mut self) -> Self {
        self.disabled = true;
        self
    }
}

impl Place {
    /// A message without the address of the server, which may hold a key.
    pub(crate) fn without_address(&self, message: &str) -> String {
        match self {
            Self::Command { .. } => message.to_owned(),
            Self::Http { url, .. } => message.replace(url.as_str(), &graphloom_http::authority(url)),
        }
    }
}

/// Values are not shown: a variable or a header may hold a key.
impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Command { command, args, env, folder } => f
                .debug_struct("Command")
                .field("command", command)
                .field("args", &args.len())
                .field("env", &env.keys())
                .field("folder", folder)
                .finish(),
            Self::Http { url, headers, .. } => f
                .debug_struct("Http")
                .field("host", &graphloom_http::authority(url))
                .field("headers", &headers.keys())
                .finish_non_exhaustive(),
        }
    }
}

/// The secret is not shown.
impl std::fmt::Debug for OAuthClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OAuthClient")
            .field("id", &self.id)
            .field("scopes", &self.scopes)
            .field("callback_port", &self.callback_port)
            .finish_non_exhaustive()
    }
}
