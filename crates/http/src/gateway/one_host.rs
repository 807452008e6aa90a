//! The transport to one host that the user or the program chose.

use async_trait::async_trait;
use reqwest::{Url, redirect};

use super::HostFault;
use super::guard::cause;
use super::transport::{Reply, Request, Transport};
use crate::{HttpError, client, is_loopback};

/// A client that names its program and contact.
pub(super) struct OneHost {
    client: reqwest::Client,
    longest_body: usize,
}

impl OneHost {
    pub(super) fn new(
        address: &Url,
        agent: &str,
        contact: Option<&str>,
        longest_body: usize,
        redirects: bool,
    ) -> Result<Self, HttpError> {
        let agent = match contact {
            Some(contact) => format!("{agent} (mailto:{contact})"),
            None => agent.to_owned(),
        };
        let mut builder = client(address, &agent)?;
        if !redirects {
            builder = builder.redirect(redirect::Policy::none());
        }
        if is_loopback(address) {
            // What runs on this machine may come and go.
            builder = builder.pool_max_idle_per_host(0);
        }
        let client = builder.build().map_err(|error| HttpError::client(crate::authority(address), &error))?;
        Ok(Self { client, longest_body })
    }
}

#[async_trait]
impl Transport for OneHost {
    async fn send(&self, request: &Request) -> Result<Reply, HostFault> {
        let response = request.with(&self.client).send().await.map_err(|error| cause(&error))?;
        Reply::of(response, request, self.longest_body).await
    }
}
