//! How bytes reach a collector.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use graphloom_http::innermost;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use reqwest::redirect;
use tokio::runtime::{Builder, Runtime};

use crate::OtelError;
use crate::destination::Destination;
use crate::outage::Outage;

/// A client of the house for the thread from which spans are sent. That thread is none of a runtime, and what the client waits
/// with is its own, so that spans are still sent when the program's runtime has ended.
#[derive(Debug)]
pub(crate) struct Client {
    client: reqwest::Client,
    runtime: Option<Runtime>,
    outage: Arc<Outage>,
}

impl Client {
    /// # Errors
    /// [`OtelError::Http`] where the collector may not be asked, [`OtelError::Setup`].
    pub(crate) fn new(destination: &Destination, outage: &Arc<Outage>) -> Result<Self, OtelError> {
        let client =
            graphloom_http::client(&destination.traces, concat!("graphloom-otel/", env!("CARGO_PKG_VERSION")))?
                .redirect(redirect::Policy::none())
                .timeout(Duration::from_millis(destination.timeout))
                .build()
                .map_err(|error| OtelError::Setup(innermost(&error)))?;
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| OtelError::Setup(error.to_string()))?;
        Ok(Self { client, runtime: Some(runtime), outage: Arc::clone(outage) })
    }
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let Some(runtime) = &self.runtime else { return Err("the client has ended".into()) };
        let sent = runtime.block_on(self.client.send_bytes(request));
        match &sent {
            Ok(response) => self.outage.answered(response.status()),
            // The whole text of the error has the address in it.
            Err(error) => self.outage.unreached(error.downcast_ref().map_or_else(|| error.to_string(), innermost)),
        }
        sent
    }
}

/// A runtime that waits for its end may not be dropped where others must not wait.
impl Drop for Client {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
