//! Which addresses are posted to.

use graphloom_http::gateway::{HostFault, check_url};
use url::Url;

/// Which addresses the webhooks of runs may name.
///
/// A client names the address, and the server posts to it from where it stands: without a bound, a client could reach through
/// the server what it cannot reach itself (advisory GHSA-q3v5-r5ch-p57j).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WebhookTargets {
    /// Hosts of the public web, by `https`: none of the addresses of a host may be on this machine, in a private, link-local or
    /// reserved network.
    #[default]
    Public,
    /// Any host that the server can reach, by `http` too. For servers whose clients may all reach what the server can.
    Any,
}

/// Why an address is not posted to.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RefusedWebhook {
    /// It is no address of HTTP.
    #[error("Invalid webhook: {0}")]
    NotHttp(String),
    /// It has a user or a password, which would be stored.
    #[error("Invalid webhook: an address with a user or a password is not taken")]
    Credentials,
    /// It is not encrypted.
    #[error("Webhooks are posted by `https` only; the server's settings can allow any target")]
    NotEncrypted,
    /// The host lies where hosts of the web do not.
    #[error("Webhooks are not posted to this host: {0}; the server's settings can allow any target")]
    Forbidden(HostFault),
}

/// Names that lead to this machine or its network wherever they are looked up (RFC 6761, RFC 6762).
const LOCAL_NAMES: [&str; 3] = ["localhost", "local", "internal"];

impl WebhookTargets {
    /// The address, if it is posted to.
    pub(super) fn check(self, url: &str) -> Result<Url, RefusedWebhook> {
        let parsed = Url::parse(url).map_err(|error| RefusedWebhook::NotHttp(error.to_string()))?;
        if !matches!(parsed.scheme(), "http" | "https") || parsed.host_str().is_none() {
            return Err(RefusedWebhook::NotHttp("an address of `https` is needed".to_owned()));
        }
        if !parsed.username().is_empty() || parsed.password().is_some() {
            return Err(RefusedWebhook::Credentials);
        }
        if self == Self::Any {
            return Ok(parsed);
        }
        check_url(&parsed).map_err(RefusedWebhook::Forbidden)?;
        let host = parsed.host_str().unwrap_or_default().trim_end_matches('.');
        let last = host.rsplit('.').next().unwrap_or_default();
        if LOCAL_NAMES.contains(&last) {
            let reason = format!("`{host}` is a name of this machine or its network");
            return Err(RefusedWebhook::Forbidden(HostFault::Down { reason }));
        }
        if parsed.scheme() != "https" {
            return Err(RefusedWebhook::NotEncrypted);
        }
        Ok(parsed)
    }
}

/// An address as it may stand in a log: its path and query may hold a secret.
pub(super) fn shown(url: &str) -> String {
    Url::parse(url).map_or_else(|_| "?".to_owned(), |url| graphloom_http::authority(&url))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_public_web_is_posted_to_unless_the_settings_allow_more() {
        let allowed = ["https://hooks.example.org/run", "https://8.8.8.8:8443/"];
        let never = ["", "hook", "ftp://example.org/", "https://me:secret@example.org/", "https://"];
        let by_settings = [
            "http://hooks.example.org/",
            "https://127.0.0.1/",
            "https://2130706433/",
            "https://[::1]:9/",
            "https://[::ffff:10.0.0.1]/",
            "https://169.254.169.254/latest",
            "https://localhost/",
            "https://a.localhost./",
            "https://metadata.google.internal/",
            "http://10.1.2.3/",
        ];
        for url in allowed {
            assert!(WebhookTargets::Public.check(url).is_ok(), "{url}");
        }
        for url in never {
            assert!(WebhookTargets::Any.check(url).is_err(), "{url}");
        }
        for url in by_settings {
            assert!(WebhookTargets::Public.check(url).is_err(), "{url}");
            assert!(WebhookTargets::Any.check(url).is_ok(), "{url}");
        }
    }
}
