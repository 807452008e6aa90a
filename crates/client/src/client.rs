//! A server, as a program uses it.

use std::sync::Arc;

use crate::calls::{Assistants, Crons, Runs, Store, Threads};
use crate::transport::{Call, Transport};
use crate::{ClientError, Object, Options};

/// A server. Cloning it is cheap, and clones share connections.
///
/// `GET`, `PUT` and `DELETE` that find no server, break off or are answered 429 or 5xx are tried again, after pauses that
/// grow or that the server asks for; all else only when nothing had reached the server. A redirect is not followed, so that
/// a key goes nowhere else.
#[derive(Clone, Debug)]
pub struct Client {
    transport: Arc<Transport>,
}

impl Client {
    /// The server at an address, such as `http://127.0.0.1:2024`.
    ///
    /// # Errors
    /// An address that is none, or that the process may not ask.
    pub fn new(address: &str) -> Result<Self, ClientError> {
        Self::with_options(address, Options::default())
    }

    /// The same with a key, other limits or headers.
    ///
    /// # Errors
    /// As [`Client::new`], and a key that would travel in the open.
    pub fn with_options(address: &str, options: Options) -> Result<Self, ClientError> {
        Ok(Self { transport: Arc::new(Transport::new(address, options)?) })
    }

    /// Graphs with settings of their own.
    pub fn assistants(&self) -> Assistants {
        Assistants::new(Arc::clone(&self.transport))
    }

    /// States that runs work on.
    pub fn threads(&self) -> Threads {
        Threads::new(Arc::clone(&self.transport))
    }

    /// Runs, on threads or without.
    pub fn runs(&self) -> Runs {
        Runs::new(Arc::clone(&self.transport))
    }

    /// Runs by a schedule.
    pub fn crons(&self) -> Crons {
        Crons::new(Arc::clone(&self.transport))
    }

    /// Memory that outlives threads.
    pub fn store(&self) -> Store {
        Store::new(Arc::clone(&self.transport))
    }

    /// What the server says about itself: `version`, `flags` and others.
    ///
    /// # Errors
    /// As [`ClientError`] says.
    pub async fn info(&self) -> Result<Object, ClientError> {
        self.transport.json(&Call::get(["info"])).await
    }
}
