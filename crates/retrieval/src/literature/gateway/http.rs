//! The transport over HTTP.

use async_trait::async_trait;
use graphloom_http::{authority, client, innermost, is_loopback};
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
        redirects: bool,
    ) -> Result<Self, RetrievalError> {
        let agent = match contact {
            Some(contact) => format!("{agent} (mailto:{contact})"),
            None => agent.to_owned(),
        };
        let no_client = |reason: String| RetrievalError::NoClient { address: authority(address), reason };
        let mut builder = client(address, &agent).map_err(|error| no_client(error.to_string()))?;
        if !redirects {
            builder = builder.redirect(redirect::Policy::none());
        }
        if is_loopback(address) {
            // What runs on this machine may come and go.
            builder = builder.pool_max_idle_per_host(0);
        }
        let client = builder.build().map_err(|error| no_client(innermost(&error)))?;
        Ok(Self { client, longest_body })
    }
}

#[async_trait]
impl Transport for Http {
    async fn send(&self, request: &Request) -> Result<Reply, Fault> {
        let down = |error: &reqwest::Error| Fault::Down { reason: innermost(error) };
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
