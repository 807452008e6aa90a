//! Why a login failed.

use std::path::PathBuf;
use std::time::Duration;

/// Why a login failed. No message holds a token, a code or a secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoginError {
    /// The server is a program, which gets its keys by `env`.
    #[error("the MCP server `{server}` is a program, and only servers at an address have a login")]
    Program {
        /// The server.
        server: String,
    },
    /// The address is not one that a token may be sent to.
    #[error("the MCP server `{server}` is reached over plain `http`, where anyone can read a token; use `https`")]
    Plain {
        /// The server.
        server: String,
    },
    /// The file of servers already says how the client is authorized.
    #[error("the MCP server `{server}` has `headers.Authorization` in its file; take that out to log in instead")]
    HasHeader {
        /// The server.
        server: String,
    },
    /// The server publishes nothing about a login, or what it publishes cannot be used.
    #[error("it could not be found out how to log in to the MCP server `{server}`: {reason}")]
    NotOffered {
        /// The server.
        server: String,
        /// What is wrong.
        reason: String,
    },
    /// This client could not be made known to the one who gives the login.
    #[error(
        "this program could not be made known to where the MCP server `{server}` sends for a login: {reason}; if you have the \
         id of a client, write it into the file as `oauth.clientId`"
    )]
    NotRegistered {
        /// The server.
        server: String,
        /// What is wrong.
        reason: String,
    },
    /// The port that the browser comes back to cannot be used.
    #[error("the port {port} of this machine, which the browser would come back to, cannot be used: {source}")]
    Port {
        /// The port; 0 for any.
        port: u16,
        /// The system's words.
        source: std::io::Error,
    },
    /// The person did not come back.
    #[error("nobody logged in to the MCP server `{server}` within {} s", limit.as_secs())]
    TimedOut {
        /// The server.
        server: String,
        /// The limit.
        limit: Duration,
    },
    /// The login was refused.
    #[error("the login to the MCP server `{server}` was refused: {reason}")]
    Refused {
        /// The server.
        server: String,
        /// The words of the one who refused.
        reason: String,
    },
    /// The tokens cannot be kept, or those that are kept cannot be read.
    #[error("the login in `{}` cannot be used: {reason}", file.display())]
    Kept {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        reason: String,
    },
}
