//! Which key goes to which host.
//!
//! A key belongs to a host: the one that its service has, unless the user names others. Over `http` a key goes to this
//! machine only, and only when the user names it. Redirects with a key are not followed.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use graphloom_http::is_loopback;
use reqwest::Url;

use super::ApiKey;
use crate::RetrievalError;

/// A key and the hosts that it is for. [`Debug`] does not show the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostKey {
    key: ApiKey,
    /// The hosts that the user names; none for the service's own.
    hosts: Option<Vec<Host>>,
    /// What names other hosts, such as `TAVILY_API_KEY_FOR`.
    names: String,
}

/// What is sent to a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostKeyUse {
    /// The key.
    Sent(ApiKey),
    /// There is a key, and it is not for this host: why, and what would make it so.
    Withheld(String),
}

/// A server's name and port.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Host {
    name: String,
    port: u16,
}

impl Host {
    fn of(url: &Url) -> Self {
        let name = url.host_str().unwrap_or_default().to_ascii_lowercase();
        Self { name, port: url.port_or_known_default().unwrap_or_default() }
    }

    /// Reads `HOST`, where port 443 is meant, `HOST:PORT`, or an address.
    fn read(text: &str) -> Option<Self> {
        let address = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
        let url = Url::parse(&address).ok()?;
        url.host_str().is_some_and(|name| !name.is_empty()).then(|| Self::of(&url))
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            443 => f.write_str(&self.name),
            port => write!(f, "{}:{port}", self.name),
        }
    }
}

impl HostKey {
    /// A key for its service's own host; `variable` is its name for users. `None` for an empty key.
    #[must_use]
    pub fn new(key: &str, variable: &str) -> Option<Self> {
        Some(Self { key: ApiKey::new(key)?, hosts: None, names: format!("{variable}_FOR") })
    }

    /// The key of the environment, which `variable` reads: that of the variable `name`, or of the file that the variable
    /// with `_FILE` at its end names. It is for the hosts of the variable with `_FOR` at its end; where that is not set, for
    /// those of `otherwise`, and without them for its service's own.
    ///
    /// # Errors
    /// [`RetrievalError::KeyFile`] when the file cannot be read; [`RetrievalError::KeyHost`].
    pub fn from_environment(
        name: &str,
        otherwise: Option<&str>,
        variable: &impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, RetrievalError> {
        let set = |name: &str| variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let key = match (set(name), set(&format!("{name}_FILE"))) {
            (Some(key), _) => key,
            (None, Some(path)) => key_file(Path::new(&path))?,
            (None, None) => return Ok(None),
        };
        let hosts = set(&format!("{name}_FOR")).or(otherwise.map(str::to_owned)).unwrap_or_default();
        Self::new(&key, name).map(|key| key.for_hosts(&hosts)).transpose()
    }

    /// The same key for these hosts and no others: `HOST`, where port 443 is meant, or `HOST:PORT`, several with commas
    /// between. An empty list changes nothing.
    ///
    /// # Errors
    /// [`RetrievalError::KeyHost`] for what is no host.
    pub fn for_hosts(mut self, hosts: &str) -> Result<Self, RetrievalError> {
        let named = hosts.split(',').map(str::trim).filter(|host| !host.is_empty());
        let read =
            |host: &str| Host::read(host).ok_or_else(|| RetrievalError::KeyHost { variable: self.names.clone() });
        let named: Vec<Host> = named.map(read).collect::<Result<_, _>>()?;
        if !named.is_empty() {
            self.hosts = Some(named);
        }
        Ok(self)
    }

    /// What is sent to `url`; `own` is the address that the service has.
    ///
    /// # Errors
    /// [`RetrievalError::OpenKey`] when the user names a host to which the key would go over `http` to another machine.
    pub fn at(&self, url: &Url, own: &str) -> Result<HostKeyUse, RetrievalError> {
        let host = Host::of(url);
        let names = &self.names;
        match &self.hosts {
            Some(hosts) if hosts.contains(&host) => match url.scheme() == "https" || is_loopback(url) {
                true => Ok(HostKeyUse::Sent(self.key.clone())),
                false => Err(RetrievalError::OpenKey { host: host.to_string(), variable: names.clone() }),
            },
            Some(hosts) => {
                let hosts = hosts.iter().map(|host| format!("`{host}`")).collect::<Vec<_>>().join(", ");
                Ok(HostKeyUse::Withheld(format!("`{names}` says that it is for {hosts}, so `{host}` does not get it")))
            }
            None => match Host::read(own) {
                Some(own) if own == host && url.scheme() == "https" => Ok(HostKeyUse::Sent(self.key.clone())),
                Some(own) => Ok(HostKeyUse::Withheld(format!(
                    "it is for `{own}`, so `{host}` does not get it; `{names}={host}` names another host"
                ))),
                None => Ok(HostKeyUse::Withheld(format!("nobody says which host it is for; `{names}={host}` does"))),
            },
        }
    }
}

fn key_file(path: &Path) -> Result<String, RetrievalError> {
    let fault = |source| RetrievalError::KeyFile { path: path.to_path_buf(), source: Arc::new(source) };
    let text = std::fs::read_to_string(path).map_err(fault)?;
    match text.trim() {
        "" => Err(fault(std::io::Error::new(std::io::ErrorKind::InvalidData, "it is empty"))),
        key => Ok(key.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_goes_to_the_host_it_is_for() {
        const OWN: &str = "https://api.service.example";
        let sent = "sent";
        for (hosts, address, expected) in [
            ("", "https://api.service.example/search", sent),
            ("", "https://API.service.example:443/x", sent),
            ("", "http://api.service.example/search", "it is for `api.service.example`"),
            ("", "https://api.service.example:8443/search", "`THE_KEY_FOR=api.service.example:8443` names another"),
            ("", "https://other.example/search", "so `other.example` does not get it"),
            ("", "https://api.service.example.evil.example/", "does not get it"),
            ("", "http://127.0.0.1:8080/search", "`THE_KEY_FOR=127.0.0.1:8080` names another host"),
            ("127.0.0.1:8080", "http://127.0.0.1:8080/search", sent),
            ("[::1]:8080", "http://[::1]:8080/search", sent),
            ("127.0.0.1:8080", "http://127.0.0.1:8081/search", "says that it is for `127.0.0.1:8080`"),
            ("other.example", "https://api.service.example/search", "says that it is for `other.example`"),
            ("a.example, Other.example", "https://other.example/search", sent),
            ("other.example:80", "http://other.example/search", "error: "),
            ("192.168.0.1:80", "http://192.168.0.1/search", "error: "),
        ] {
            let key = HostKey::new("secret", "THE_KEY").unwrap().for_hosts(hosts).unwrap();
            let outcome = match key.at(&Url::parse(address).unwrap(), OWN) {
                Ok(HostKeyUse::Sent(_)) => sent.to_owned(),
                Ok(HostKeyUse::Withheld(why)) => why,
                Err(error) => format!("error: {error}"),
            };
            assert!(outcome.contains(expected), "{hosts} {address}: {outcome}");
            assert!(!outcome.contains("secret") && !format!("{key:?}").contains("secret"));
        }
        let wrong = HostKey::new("secret", "THE_KEY").unwrap().for_hosts("a b").unwrap_err();
        assert!(wrong.to_string().contains("`THE_KEY_FOR`"), "{wrong}");
    }
}
