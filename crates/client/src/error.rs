//! What can go wrong between a client and a server.

use std::time::Duration;

use graphloom_http::HttpError;

/// Why a call came to nothing. Whose fault it is: the caller's ([`Address`](Self::Address) to [`Http`](Self::Http)), the way
/// to the server ([`Connect`](Self::Connect) to [`NotResumable`](Self::NotResumable)), the server's word
/// ([`Refused`](Self::Refused) to [`RunFailed`](Self::RunFailed)).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// No address of a server.
    #[error("`{address}` is no address of a server ({reason}); write `http://HOST:PORT` or `https://HOST`")]
    Address {
        /// What was given, without a user or a query.
        address: String,
        /// What does not fit.
        reason: String,
    },
    /// A key would travel in the open.
    #[error("the key is not sent to `{host}`, because `http://` would show it to everybody on the way; use `https://`")]
    InsecureKey {
        /// The host with its port.
        host: String,
    },
    /// A header cannot be sent.
    #[error("the header `{name}` cannot be sent: its name or its value has characters that no header has")]
    Header {
        /// Its name.
        name: String,
    },
    /// A name cannot be a part of an address.
    #[error("`{name}` cannot be the name of {what}; give its name as the server lists it")]
    Name {
        /// The name.
        name: String,
        /// What it should name.
        what: &'static str,
    },
    /// The process reaches no network.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The server is not there.
    #[error(
        "`{host}` cannot be reached: {reason} ({tries} tries); check that the server runs and that its address is right"
    )]
    Connect {
        /// The host with its port.
        host: String,
        /// The system's reason.
        reason: String,
        /// How often it was tried.
        tries: u32,
    },
    /// The connection broke off before the answer was there. Whether the server did what was asked is not known.
    #[error("`{call}` at `{host}` broke off: {reason}; the server may have done it: look before it is repeated")]
    Broken {
        /// The method and the path.
        call: String,
        /// The host with its port.
        host: String,
        /// What happened.
        reason: String,
    },
    /// A stream broke off and could not be taken up again.
    #[error("the stream broke off and was opened {reconnects} times without a new event: {reason}; its last event has the id `{}`", last.as_deref().unwrap_or("none"))]
    StreamBroken {
        /// How often it was opened again in a row.
        reconnects: u32,
        /// What happened last.
        reason: String,
        /// The id of the last event that was told.
        last: Option<String>,
    },
    /// A stream broke off whose events have no ids.
    #[error(
        "the stream broke off ({reason}) and cannot go on, because the server gave its last event no id; start runs with `stream_resumable`, and read the rest from the state of the thread"
    )]
    NotResumable {
        /// What happened.
        reason: String,
    },
    /// The server no longer has what was not read yet.
    #[error(
        "the server no longer has all events after `{id}`: it goes on with `{found}`; read the state of the thread, which is whole"
    )]
    Gap {
        /// The id after which events are missing.
        id: String,
        /// What came instead.
        found: String,
    },
    /// The server answered with a status that is no success.
    #[error("`{call}` at `{host}` was answered {status}: {detail}; {}{}", advice(*status), request_text(request_id.as_deref()))]
    Refused {
        /// The method and the path.
        call: String,
        /// The host with its port.
        host: String,
        /// The status.
        status: u16,
        /// What the server says.
        detail: String,
        /// The server's name for the request.
        request_id: Option<String>,
        /// How long the server asks to wait.
        retry_after: Option<Duration>,
    },
    /// The server sends elsewhere.
    #[error(
        "`{call}` at `{host}` is redirected to `{to}`, which is not followed, so that no key goes astray; use the address that the server has now"
    )]
    Redirected {
        /// The method and the path.
        call: String,
        /// The host with its port.
        host: String,
        /// The host that it sends to.
        to: String,
    },
    /// The answer is not what the protocol says.
    #[error(
        "`{call}` at `{host}` was answered with something else than {expected}: {found}; check that the address is that of an agent server"
    )]
    Unexpected {
        /// The method and the path.
        call: String,
        /// The host with its port.
        host: String,
        /// What should have come.
        expected: &'static str,
        /// What came.
        found: String,
    },
    /// A run failed.
    #[error("the run failed with `{kind}`: {message}")]
    RunFailed {
        /// The kind of the error, such as `ValueError`.
        kind: String,
        /// Its message.
        message: String,
    },
    /// A command of the event protocol was refused.
    #[error("`{method}` was refused with `{code}`: {message}")]
    Command {
        /// The command.
        method: String,
        /// The code, such as `no_such_interrupt`.
        code: String,
        /// What the server says.
        message: String,
    },
}

impl ClientError {
    /// The status of the answer, where there is one.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Refused { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// Whether what was asked for is not there.
    pub fn is_not_found(&self) -> bool {
        self.status() == Some(404)
    }

    /// Whether what was to be made is there, or the thread is busy.
    pub fn is_conflict(&self) -> bool {
        self.status() == Some(409)
    }

    /// Whether the same call may succeed later: the server is not there, too busy or failed. Of a call that changes
    /// something and [broke off](Self::Broken) it is not known what it did.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Connect { .. } | Self::Broken { .. } | Self::StreamBroken { .. } => true,
            Self::Refused { status, .. } => *status == 429 || *status >= 500,
            _ => false,
        }
    }
}

/// What to do about a status.
fn advice(status: u16) -> &'static str {
    match status {
        401 | 403 => "give a key that may do this",
        404 => "check the id, and that nobody deleted it",
        405 | 501 => "this server does not know the call",
        409 => "it is there already, or the thread is busy: wait for its run, or choose another strategy",
        413 => "send less at once",
        429 => "the server is asked too often: wait",
        500.. => "the fault is the server's: see its log, or try later",
        _ => "mend the request",
    }
}

fn request_text(id: Option<&str>) -> String {
    id.map_or_else(String::new, |id| format!(" (request `{id}`)"))
}
