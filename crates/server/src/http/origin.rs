//! Where a request says it comes from, and whom it says it speaks to.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::time::Duration;

use axum::http::header::{CONTENT_LOCATION, HOST, LOCATION, ORIGIN};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

use super::problem::Problem;
use super::security::{Cors, Security, SecurityError};

/// The origins whose pages may call the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AllowedOrigins {
    /// Pages that this machine serves itself, at any port of `localhost`, `127.0.0.1` and `[::1]`, where the server listens
    /// on loopback; none elsewhere.
    #[default]
    Loopback,
    /// These.
    Listed(Vec<AllowedOrigin>),
    /// Every page of the web. A server without keys can then be driven by whatever page its user opens.
    Any,
}

/// An origin as browsers write it, `https://pages.example.org`, or with `:*` for any port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedOrigin {
    origin: String,
    any_port: bool,
}

impl FromStr for AllowedOrigin {
    type Err = SecurityError;

    fn from_str(text: &str) -> Result<Self, SecurityError> {
        let error = || SecurityError::Origin { origin: text.to_owned() };
        let (origin, any_port) = text.strip_suffix(":*").map_or((text, false), |origin| (origin, true));
        let url = url::Url::parse(origin).map_err(|_| error())?;
        let parsed = url.origin();
        let is_plain = parsed.is_tuple() && parsed.ascii_serialization() == origin.to_ascii_lowercase();
        let has_two_ports = any_port && url.port().is_some();
        if !is_plain || has_two_ports {
            return Err(error());
        }
        Ok(Self { origin: parsed.ascii_serialization(), any_port })
    }
}

impl AllowedOrigin {
    fn allows(&self, origin: &str) -> bool {
        match origin.strip_prefix(self.origin.as_str()) {
            Some("") => true,
            Some(rest) if self.any_port => rest.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok()),
            _ => false,
        }
    }
}

/// The check of `Host` and `Origin`, the same for every request, upgrades to `WebSocket`s as well.
#[derive(Clone, Debug)]
pub(crate) struct Perimeter {
    address: SocketAddr,
    hosts: Vec<String>,
    cors: Cors,
}

impl Perimeter {
    pub(crate) fn new(security: &Security) -> Self {
        let hosts = security.hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
        Self { address: security.address, hosts, cors: security.cors.clone() }
    }

    /// Refuses a request to a foreign name with 421, and one of a foreign page with 403.
    pub(crate) fn check(&self, request: &Parts) -> Result<(), Problem> {
        let authority = addressed(request)?;
        if !self.is_own_host(authority.host()) {
            let shown: String = authority.host().chars().take(100).collect();
            let detail = format!("This server is not addressed as `{shown}`; its names are set with `hosts`");
            return Err(Problem::new(StatusCode::MISDIRECTED_REQUEST, detail));
        }
        for origin in request.headers.get_all(ORIGIN) {
            if !self.allows(origin) && !is_same_origin(origin, &authority) {
                let detail = "Requests of pages of this Origin are refused; allow it with `cors`";
                return Err(Problem::new(StatusCode::FORBIDDEN, detail));
            }
        }
        Ok(())
    }

    fn is_own_host(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let literal = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        match literal {
            // An address is of this server if it listens there, and any may be if it listens on all of the machine's.
            // A page has such a host only if it was loaded from there: no name was made to point here.
            Ok(ip) => ip.is_loopback() || ip == self.address.ip() || self.address.ip().is_unspecified(),
            Err(_) => host == "localhost" || self.hosts.contains(&host),
        }
    }

    fn allows(&self, origin: &HeaderValue) -> bool {
        let Ok(origin) = origin.to_str() else { return false };
        match &self.cors.origins {
            AllowedOrigins::Any => true,
            AllowedOrigins::Listed(listed) => listed.iter().any(|allowed| allowed.allows(origin)),
            AllowedOrigins::Loopback => self.address.ip().is_loopback() && is_loopback_page(origin),
        }
    }

    /// The headers that tell a browser the same.
    pub(crate) fn cors_layer(&self) -> CorsLayer {
        let perimeter = self.clone();
        let origins = match self.cors.origins {
            AllowedOrigins::Any => AllowOrigin::any(),
            _ => AllowOrigin::predicate(move |origin, _| perimeter.allows(origin)),
        };
        let methods = [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
        CorsLayer::new()
            .allow_origin(origins)
            .allow_methods(methods)
            .allow_headers(AllowHeaders::mirror_request())
            .allow_private_network(self.cors.private_network)
            .expose_headers([
                HeaderName::from_static("x-pagination-total"),
                HeaderName::from_static("x-pagination-next"),
                HeaderName::from_static("x-request-id"),
                HeaderName::from_static("mcp-session-id"),
                CONTENT_LOCATION,
                LOCATION,
            ])
            .max_age(Duration::from_secs(600))
    }
}

/// Whom the request says it speaks to: the address in its first line, or else the one `Host`.
fn addressed(request: &Parts) -> Result<Authority, Problem> {
    let mut hosts = request.headers.get_all(HOST).iter();
    let host = hosts.next();
    if hosts.next().is_some() {
        return Err(Problem::bad_request("A request has one Host header"));
    }
    let named = host.map(|host| {
        let parsed = Authority::try_from(host.as_bytes());
        parsed.map_err(|_| Problem::bad_request("The Host header is not a name with an optional port"))
    });
    match (request.uri.authority(), named.transpose()?) {
        (Some(authority), _) => Ok(authority.clone()),
        (None, Some(host)) if !host.as_str().contains('@') => Ok(host),
        _ => Err(Problem::bad_request("A request needs a Host header")),
    }
}

fn is_same_origin(origin: &HeaderValue, authority: &Authority) -> bool {
    let Ok(origin) = origin.to_str() else { return false };
    let own = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    own.is_some_and(|own| own.eq_ignore_ascii_case(authority.as_str()))
}

fn is_loopback_page(origin: &str) -> bool {
    ["http://localhost", "http://127.0.0.1", "http://[::1]"]
        .into_iter()
        .any(|origin_of_machine| AllowedOrigin { origin: origin_of_machine.to_owned(), any_port: true }.allows(origin))
}

#[cfg(test)]
mod tests {
    use super::super::security::Security;
    use super::{AllowedOrigin, Perimeter};

    #[test]
    fn addresses_are_names_of_a_server_that_listens_on_them() {
        let cases = [
            ("127.0.0.1:1", "10.0.0.7", false),
            ("10.0.0.7:1", "10.0.0.7", true),
            ("10.0.0.7:1", "10.0.0.8", false),
            ("0.0.0.0:1", "10.0.0.8", true),
            ("[::]:1", "[fd00::1]", true),
            ("0.0.0.0:1", "evil.example.org", false),
            ("0.0.0.0:1", "localhost", true),
        ];
        for (address, host, expected) in cases {
            let perimeter = Perimeter::new(&Security::at(address.parse().expect(address)));
            assert_eq!(perimeter.is_own_host(host), expected, "{address} and {host}");
        }
    }

    #[test]
    fn an_origin_is_matched_whole() {
        let cases = [
            ("http://localhost:*", "http://localhost:3000", true),
            ("http://localhost:*", "http://localhost", true),
            ("http://localhost:*", "http://localhost.evil.com", false),
            ("http://localhost:*", "http://localhost:3000.evil.com", false),
            ("http://localhost:*", "https://localhost:3000", false),
            ("https://Pages.example.org", "https://pages.example.org", true),
            ("https://pages.example.org", "https://pages.example.org:444", false),
            ("https://pages.example.org", "https://pages.example.org.evil.com", false),
            ("https://pages.example.org", "null", false),
        ];
        for (allowed, origin, expected) in cases {
            let parsed: AllowedOrigin = allowed.parse().expect(allowed);
            assert_eq!(parsed.allows(origin), expected, "{allowed} and {origin}");
        }
        for wrong in ["localhost", "*", "http://a/b", "http://a/", "null", "http://a:1:*", "file:///x", ""] {
            assert!(wrong.parse::<AllowedOrigin>().is_err(), "{wrong}");
        }
    }
}
