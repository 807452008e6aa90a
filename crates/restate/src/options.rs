//! Where the engine is, and how it is used.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use graphloom_checkpoint_encrypted::MessageKeys;
use url::Url;

use crate::error::EngineError;
use crate::names::checked_name;

/// Bytes that the engine carries in one message, less than its own limit of 32 MiB by what is around them.
const CARRIED: usize = 31 << 20;

/// How a process uses the engine.
#[derive(Clone)]
#[non_exhaustive]
pub struct EngineOptions {
    /// Where invocations are asked for.
    pub(crate) ingress: Url,
    /// Where services are registered.
    pub(crate) admin: Url,
    pub(crate) bearer: Option<String>,
    /// What names of services begin with.
    pub(crate) application: String,
    /// Where a process that drives runs listens for its workers. A free port of the loopback unless set.
    pub callbacks: SocketAddr,
    /// The address under which workers reach that. What it listens on unless set.
    pub callbacks_at: Option<Url>,
    /// Bytes of what comes of a task, and of what a durable step gives, at most. The engine carries the one, and takes 32 MiB; 31 MiB
    /// unless set.
    pub max_bytes: usize,
    /// How long a task waits for a worker where the engine knows none that has its graph. A minute unless set.
    pub unserved: Duration,
    /// How long a worker goes on with a task while it cannot reach the process that drives the run. Fifteen seconds unless set.
    pub silence: Duration,
    /// With which keys what comes of tasks is encrypted, which the engine keeps for a while. Not at all unless set. What is asked of
    /// threads that are objects, and how their runs end, stays readable to the engine.
    pub keys: MessageKeys,
}

impl EngineOptions {
    /// The engine at an address: `restate://host`, with the port of its ingress if that is not 8080. Its administration is on the
    /// port 9070 of the same host, unless `?admin=host:port` says otherwise. `restates://` connects over TLS, with the system's
    /// roots of trust, and needs the port where that is not 8080, too.
    ///
    /// # Errors
    /// What is no such address.
    pub fn new(address: &str) -> Result<Self, EngineError> {
        let (ingress, admin) = addresses(address).ok_or_else(|| {
            EngineError::Setting(format!(
                "`{address}` is no address of an engine: it is `restate://host:8080`, with `?admin=host:9070` where its administration is elsewhere"
            ))
        })?;
        Ok(Self {
            ingress,
            admin,
            bearer: None,
            application: "graphloom".to_owned(),
            callbacks: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            callbacks_at: None,
            max_bytes: CARRIED,
            unserved: Duration::from_secs(60),
            silence: Duration::from_secs(15),
            keys: MessageKeys::default(),
        })
    }

    /// Says who asks with this key, as an engine in a cloud wants it.
    #[must_use]
    pub fn bearer(mut self, key: impl Into<String>) -> Self {
        self.bearer = Some(key.into());
        self
    }

    /// Has names of services begin with this name, and not with `graphloom`: graphs of applications that share an engine may be
    /// called alike then. Workers and processes that drive runs state the same.
    ///
    /// # Errors
    /// What is no name: it is of letters, digits, `.`, `_` and `-`, and begins with a letter.
    pub fn application(mut self, name: impl Into<String>) -> Result<Self, EngineError> {
        self.application = checked_name(name.into())?;
        Ok(self)
    }

    /// Listens on this address for workers, in a process that drives runs. Each process has an address of its own.
    #[must_use]
    pub fn callbacks(mut self, address: SocketAddr) -> Self {
        self.callbacks = address;
        self
    }

    /// Tells workers this address to reach the process that drives a run.
    ///
    /// # Errors
    /// What is no address of the form `http://host:port`.
    pub fn callbacks_at(mut self, address: &str) -> Result<Self, EngineError> {
        self.callbacks_at = Some(web_address(address)?);
        Ok(self)
    }

    /// Carries at most so many bytes of what comes of a task. More than 31 MiB an engine takes only where its own limit was raised.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Lets a task wait so long for a worker where the engine knows none that has its graph, as while programs are updated. Then
    /// the attempt fails, and the retry policy of its node decides.
    #[must_use]
    pub fn unserved(mut self, wait: Duration) -> Self {
        self.unserved = wait;
        self
    }

    /// Lets a worker go on for so long with a task whose process cannot be reached.
    #[must_use]
    pub fn silence(mut self, patience: Duration) -> Self {
        self.silence = patience;
        self
    }

    /// Encrypts what comes of tasks on its way through the engine. Workers and processes that drive runs have the same keys.
    #[must_use]
    pub fn keys(mut self, keys: impl Into<MessageKeys>) -> Self {
        self.keys = keys.into();
        self
    }
}

/// An address of a process.
pub(crate) fn web_address(address: &str) -> Result<Url, EngineError> {
    let url = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.ok_or_else(|| EngineError::Setting(format!("`{address}` is no address of a process: it is `http://host:port`")))
}

/// The addresses of ingress and administration that an address of an engine means.
fn addresses(address: &str) -> Option<(Url, Url)> {
    let (scheme, rest) = address.split_once("://")?;
    let scheme = match scheme {
        "restate" => "http",
        "restates" => "https",
        _ => return None,
    };
    let given = Url::parse(&format!("{scheme}://{rest}")).ok().filter(Url::has_host)?;
    let is_plain = matches!(given.path(), "" | "/") && given.fragment().is_none() && given.username().is_empty();
    if !is_plain || given.password().is_some() {
        return None;
    }
    let of_port = |port: u16| {
        let mut url = given.clone();
        url.set_query(None);
        url.set_port(Some(port)).ok().map(|()| url)
    };
    // A port that is the scheme's own is not kept by the parser; it is what was written all the same.
    let written = rest.split(['/', '?']).next()?.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
    let ingress = of_port(given.port().or(written).unwrap_or(8080))?;
    let mut admin = of_port(9070)?;
    for (name, value) in given.query_pairs() {
        match &*name {
            "admin" => admin = Url::parse(&format!("{scheme}://{value}")).ok().filter(Url::has_host)?,
            _ => return None,
        }
    }
    Some((ingress, admin))
}

impl fmt::Debug for EngineOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ingress, admin) = (self.ingress.as_str(), self.admin.as_str());
        f.debug_struct("EngineOptions").field("ingress", &ingress).field("admin", &admin).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{EngineOptions, addresses};

    #[test]
    fn an_address_names_ingress_and_administration() {
        let read = |address: &str| addresses(address).map(|(ingress, admin)| format!("{ingress} {admin}"));
        let right = [
            ("restate://engine", "http://engine:8080/ http://engine:9070/"),
            ("restate://engine:81/", "http://engine:81/ http://engine:9070/"),
            ("restate://engine:80", "http://engine/ http://engine:9070/"),
            ("restate://127.0.0.1:1?admin=10.0.0.1:2", "http://127.0.0.1:1/ http://10.0.0.1:2/"),
            ("restate://[::1]", "http://[::1]:8080/ http://[::1]:9070/"),
            ("restates://engine:443", "https://engine/ https://engine:9070/"),
        ];
        for (address, expected) in right {
            assert_eq!(read(address).as_deref(), Some(expected), "{address}");
        }
        let wrong = [
            "",
            "engine",
            "http://engine",
            "restate://",
            "restate://a/b",
            "restate://a?b=c",
            "restate://u:p@a",
            "restate://a?admin=",
        ];
        assert_eq!(wrong.map(read), [const { None }; 8]);
    }

    #[test]
    fn a_key_is_not_shown() {
        let options = EngineOptions::new("restate://engine").expect("an address").bearer("secret");
        assert!(!format!("{options:?}").contains("secret"));
    }
}
