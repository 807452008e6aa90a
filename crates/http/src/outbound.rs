//! How the process reaches the network.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use reqwest::{Certificate, ClientBuilder, Proxy, Url, redirect};

use crate::{authority, innermost, is_loopback};

/// What holds for every client that the process makes from here on.
static INSTALLED: OnceLock<Outbound> = OnceLock::new();
/// The longest wait for a connection, unless a client says otherwise.
const CONNECT: Duration = Duration::from_secs(10);

/// Why a client cannot be made, or an address not be asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The process is offline.
    #[error(
        "`{host}` is not asked, because the program runs with `--offline`; leave that out, or use what is on this machine"
    )]
    Offline {
        /// The host with its port.
        host: String,
    },
    /// The proxy is none.
    #[error("`{shown}` is no proxy ({reason}); write `http://HOST:PORT`, `https://HOST:PORT`")]
    Proxy {
        /// The proxy without its user.
        shown: String,
        /// What does not fit.
        reason: String,
    },
    /// A file of certificates cannot be read, or holds none.
    #[error("`{}` holds no certificates that can be used ({reason}); give a file of certificates in PEM form", path.display())]
    Certificates {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
    /// No client can be made.
    #[error("no client for `{host}` can be made: {reason}; check the certificates of this system")]
    Client {
        /// The host with its port.
        host: String,
        /// The system's reason.
        reason: String,
    },
    /// It was said before how the network is reached.
    #[error("it is settled already how this process reaches the network")]
    Installed,
}

#[cfg(feature = "gateway")]
impl HttpError {
    pub(crate) fn client(host: String, error: &reqwest::Error) -> Self {
        Self::Client { host, reason: innermost(error) }
    }
}

/// How a process reaches the network. Without any of it: directly, or through the proxies that `HTTPS_PROXY`, `HTTP_PROXY`
/// and `NO_PROXY` name, with the system's certificates.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Outbound {
    offline: bool,
    proxy: Option<Proxy>,
    certificates: Vec<Certificate>,
}

impl Outbound {
    /// Nothing but this machine is asked.
    #[must_use]
    pub fn offline(mut self, offline: bool) -> Self {
        self.offline = offline;
        self
    }

    /// Everything but this machine is asked through a proxy.
    ///
    /// # Errors
    /// [`HttpError::Proxy`].
    pub fn proxy(mut self, address: &str) -> Result<Self, HttpError> {
        let wrong = |shown: String, reason: String| HttpError::Proxy { shown, reason };
        let url = Url::parse(address).map_err(|error| wrong("the proxy".to_owned(), error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(wrong(authority(&url), format!("its scheme is `{}`", url.scheme())));
        }
        self.proxy = Some(Proxy::all(url.clone()).map_err(|error| wrong(authority(&url), innermost(&error)))?);
        Ok(self)
    }

    /// Also trusts the certificates of a file in PEM form, as a company's own authority needs it.
    ///
    /// # Errors
    /// [`HttpError::Certificates`].
    pub fn certificates(mut self, path: &Path) -> Result<Self, HttpError> {
        let wrong = |reason: String| HttpError::Certificates { path: path.to_owned(), reason };
        let bytes = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
        let found = Certificate::from_pem_bundle(&bytes).map_err(|error| wrong(error.to_string()))?;
        if found.is_empty() {
            return Err(wrong("there is none in it".to_owned()));
        }
        self.certificates.extend(found);
        Ok(self)
    }

    /// Settles it for every client that is made from here on.
    ///
    /// # Errors
    /// [`HttpError::Installed`] the second time.
    pub fn install(self) -> Result<(), HttpError> {
        INSTALLED.set(self).map_err(|_| HttpError::Installed)
    }
}

/// Whether an address may be asked.
///
/// # Errors
/// [`HttpError::Offline`].
pub fn check(address: &Url) -> Result<(), HttpError> {
    let offline = INSTALLED.get().is_some_and(|outbound| outbound.offline);
    if offline && !is_loopback(address) { Err(HttpError::Offline { host: authority(address) }) } else { Ok(()) }
}

/// A client for one address, as `agent` in the words of the program: a referrer is sent to nobody, and this machine is
/// reached without a proxy. A redirect is followed up to three times, unless the caller says otherwise.
///
/// # Errors
/// [`HttpError::Offline`].
pub fn client(address: &Url, agent: &str) -> Result<ClientBuilder, HttpError> {
    check(address)?;
    let outbound = INSTALLED.get();
    let mut builder = common(agent);
    if address.scheme() == "http" && outbound.is_none_or(|outbound| outbound.certificates.is_empty()) {
        // No certificates are needed, so a machine without any is no obstacle.
        builder = builder.tls_certs_only([]);
    }
    if is_loopback(address) {
        return Ok(builder.no_proxy());
    }
    Ok(match outbound.and_then(|outbound| outbound.proxy.clone()) {
        Some(proxy) => builder.proxy(proxy),
        None => builder,
    })
}

/// A client for many addresses, each of which the caller [checks](check): it never uses a proxy, which would look up names
/// where nobody sees what they lead to.
pub fn unproxied(agent: &str) -> ClientBuilder {
    common(agent).no_proxy()
}

fn common(agent: &str) -> ClientBuilder {
    // Someone else may have chosen a provider of cryptography already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let offline = INSTALLED.get().is_some_and(|outbound| outbound.offline);
    let redirects = if offline { redirect::Policy::none() } else { redirect::Policy::limited(3) };
    let builder =
        ClientBuilder::new().connect_timeout(CONNECT).redirect(redirects).referer(false).user_agent(agent.to_owned());
    let certificates = INSTALLED.get().map(|outbound| outbound.certificates.clone()).unwrap_or_default();
    if certificates.is_empty() { builder } else { builder.tls_certs_merge(certificates) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_used_is_named() {
        let place = std::env::temp_dir().join(format!("graphloom-http-{}", std::process::id()));
        std::fs::write(&place, "no certificate").unwrap();
        for (wrong, part) in [
            (Outbound::default().proxy("nowhere"), "is no proxy"),
            (Outbound::default().proxy("ftp://me:secret@proxy:1"), "`proxy:1` is no proxy (its scheme is `ftp`)"),
            (Outbound::default().certificates(&place), "there is none in it"),
            (Outbound::default().certificates(Path::new("/nothing/here.pem")), "/nothing/here.pem"),
        ] {
            let error = wrong.unwrap_err().to_string();
            assert!(error.contains(part) && !error.contains("secret"), "{error}");
        }
        std::fs::remove_file(&place).unwrap();
        assert!(Outbound::default().proxy("http://me:secret@127.0.0.1:3128").is_ok());
    }
}
