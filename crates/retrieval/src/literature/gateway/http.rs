//! The transport over HTTP.

use std::time::Duration;

use async_trait::async_trait;
use reqwest::{Url, redirect};

use super::transport::{Reply, Request, Transport};
use crate::RetrievalError;
use crate::literature::Fault;

/// A client that names its program and contact.
pub(super) struct Http {
    client: reqwest::Client,
    longest_body: usize,
}

impl Http {
    pub(super) fn new(
        address: &Url,
        agent: &str,
        contact: Option<&str>,
        longest_body: usize,
        redirects: redirect::Policy,
    ) -> Result<Self, RetrievalError> {
        // Someone else may have chosen a provider of cryptography already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let agent = match contact {
            Some(contact) => format!("{agent} (mailto:{contact})"),
            None => agent.to_owned(),
        };
        let builder =
            reqwest::Client::builder().connect_timeout(Duration::from_secs(10)).redirect(redirects).user_agent(agent);
        // The address of a question, which may hold a key, is told to nobody else.
        let mut builder = builder.referer(false);
        if address.scheme() == "http" {
            // No certificates are needed, so a machine without any is no obstacle.
            builder = builder.tls_certs_only([]);
        }
        if is_loopback(address) {
            // What runs on this machine is reached without a proxy, and may come and go.
            builder = builder.no_proxy().pool_max_idle_per_host(0);
        }
        let client = builder
            .build()
            .map_err(|error| RetrievalError::NoClient { address: super::authority(address), reason: told(&error) })?;
        Ok(Self { client, longest_body })
    }
}

#[async_trait]
impl Transport for Http {
    async fn send(&self, request: &Request) -> Result<Reply, Fault> {
        let down = |error: &reqwest::Error| Fault::Down { reason: told(error) };
        let call = match &request.body {
            None => self.client.get(request.url.clone()),
            Some(body) => self
                .client
                .post(request.url.clone())
                .header(reqwest::header::CONTENT_TYPE, "application/json")
                .body(body.to_string()),
        };
        let mut response = call.headers(request.headers.clone()).send().await.map_err(|error| down(&error))?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| down(&error))? {
            if body.len() + chunk.len() > self.longest_body {
                return Err(Fault::TooLarge { limit: self.longest_body });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Reply { status, headers, body })
    }
}

/// Whether an address is on this machine.
pub(crate) fn is_loopback(address: &Url) -> bool {
    match address.host() {
        Some(url_host) => match url_host.to_string().trim_matches(['[', ']']).parse::<std::net::IpAddr>() {
            Ok(ip) => ip.is_loopback(),
            Err(_) => address.host_str() == Some("localhost"),
        },
        None => false,
    }
}

/// The innermost cause, without the address, which may hold a key.
fn told(error: &reqwest::Error) -> String {
    let mut source = std::error::Error::source(error);
    let mut cause = "the connection failed".to_owned();
    while let Some(inner) = source {
        cause = inner.to_string();
        source = inner.source();
    }
    cause
}
