//! The options by which a process finds the engine, and the engine the process.

use std::net::SocketAddr;

use clap::Args;
use graphloom_cli::{Failure, Session};
use graphloom_restate::{Endpoint, EngineError, EngineOptions};

#[derive(Args, Debug)]
pub(crate) struct EngineArgs {
    /// Have the engine Restate bring tasks to `graphloom worker` and runs to `graphloom serve`: `restate://HOST:8080`, with
    /// `?admin=HOST:9070` where its administration is elsewhere
    #[arg(long, value_name = "ADDRESS")]
    engine: Option<String>,
    /// Where this process listens for the engine; 127.0.0.1:9080 unless given, 127.0.0.1:9081 for a server. Processes of one
    /// machine that do the same share the address
    #[arg(long, value_name = "IP:PORT", requires = "engine")]
    engine_listen: Option<SocketAddr>,
    /// The address under which the engine reaches this process and all that do the same: `http://HOST:PORT`
    #[arg(long, value_name = "URL", requires = "engine")]
    engine_advertise: Option<String>,
}

impl EngineArgs {
    /// Where the engine is; none where it was not asked for.
    ///
    /// # Errors
    /// What is no address of an engine; keys of the store that cannot be used.
    pub(crate) fn options(&self, session: &Session) -> Result<Option<EngineOptions>, Failure> {
        let Some(address) = &self.engine else { return Ok(None) };
        let options = EngineOptions::new(address).map_err(usage)?;
        Ok(Some(options.keys(session.message_keys()?)))
    }

    /// The engine as it was named.
    pub(crate) fn address(&self) -> Option<&str> {
        self.engine.as_deref()
    }

    /// What the engine calls of this process.
    ///
    /// # Errors
    /// An address that cannot be used.
    pub(crate) fn endpoint(&self, options: &EngineOptions, port: u16) -> Result<Endpoint, Failure> {
        let address = self.engine_listen.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], port)));
        if address.ip().is_unspecified() && self.engine_advertise.is_none() {
            return Err(Failure::usage(format!(
                "the engine cannot reach `{address}`; name with `--engine-advertise` an address under which it reaches this process"
            )));
        }
        let endpoint = Endpoint::new(options).listen(address).shared();
        match &self.engine_advertise {
            Some(url) => endpoint.advertise(url).map_err(usage),
            None => Ok(endpoint),
        }
    }
}

/// A setting that cannot be used is the caller's, whatever else goes wrong is not.
pub(crate) fn usage(error: EngineError) -> Failure {
    match error {
        EngineError::Setting(reason) => Failure::usage(reason),
        other => other.into(),
    }
}
