//! The requests of a login: to which addresses they go, and how much is read of an answer.

use std::time::Duration;

use reqwest::{Url, redirect};
use rmcp::transport::auth::{
    OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRedirectPolicy, OAuthHttpRequest,
};

/// How this client names itself.
const AGENT: &str = concat!("graphloom/", env!("CARGO_PKG_VERSION"));
/// How long one request may take.
const LIMIT: Duration = Duration::from_secs(30);
/// The most bytes of an answer.
const BYTES: usize = 1 << 20;
/// How many redirects of one request are followed.
const REDIRECTS: usize = 3;

/// Makes the requests of a login to one server.
pub(super) struct LoginClient {
    server: Url,
}

impl LoginClient {
    pub(super) fn new(server: &Url) -> Self {
        Self { server: server.clone() }
    }
}

/// Whether a login to a server may send something to an address: over `https`, or to this machine where the server is on
/// it as well. What a server elsewhere publishes cannot lead to this machine.
///
/// # Errors
/// Why not.
pub(super) fn check(server: &Url, address: &Url) -> Result<(), String> {
    let host = graphloom_http::authority(address);
    match (graphloom_http::is_loopback(address), graphloom_http::is_loopback(server)) {
        (true, true) => Ok(()),
        (true, false) => Err(format!("`{host}` is this machine, and the server is elsewhere")),
        (false, _) if address.scheme() == "https" => Ok(()),
        (false, _) => Err(format!("`{host}` would be asked over plain `http`, where anyone can read a token")),
    }
}

impl OAuthHttpClient for LoginClient {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let OAuthHttpRequest { request, redirect_policy, timeout, .. } = request;
            let url = Url::parse(&request.uri().to_string())?;
            check(&self.server, &url)?;
            let policy = match redirect_policy {
                OAuthHttpRedirectPolicy::Stop => redirect::Policy::none(),
                _ => redirects(self.server.clone()),
            };
            let client = graphloom_http::client(&url, AGENT)?.redirect(policy);
            let client = client.timeout(timeout.unwrap_or(LIMIT).min(LIMIT)).build()?;
            let mut response = client.execute(reqwest::Request::try_from(request)?).await?;
            let mut body = Vec::new();
            while let Some(chunk) = response.chunk().await? {
                if body.len() + chunk.len() > BYTES {
                    return Err(OAuthHttpClientError::from(format!("the answer has more than {BYTES} bytes")));
                }
                body.extend_from_slice(&chunk);
            }
            Ok(http::Response::from(response).map(|_| body))
        })
    }
}

/// Follows redirects to where a login may go.
fn redirects(server: Url) -> redirect::Policy {
    redirect::Policy::custom(move |attempt| match check(&server, attempt.url()) {
        Err(reason) => attempt.error(reason),
        Ok(()) if attempt.previous().len() > REDIRECTS => attempt.stop(),
        Ok(()) => attempt.follow(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_goes_over_https_or_stays_on_this_machine() {
        let url = |text: &str| Url::parse(text).unwrap();
        for (server, address, allowed) in [
            ("https://a.example/mcp", "https://login.example/token", true),
            ("https://a.example/mcp", "http://a.example/token", false),
            ("https://a.example/mcp", "http://127.0.0.1:1/token", false),
            ("https://a.example/mcp", "https://localhost/token", false),
            ("http://127.0.0.1:1/mcp", "http://localhost:2/token", true),
            ("http://127.0.0.1:1/mcp", "http://a.example/token", false),
            ("http://[::1]:1/mcp", "https://login.example/token", true),
        ] {
            assert_eq!(check(&url(server), &url(address)).is_ok(), allowed, "{server} {address}");
        }
    }
}
