//! Exporter, layer, the end.

use std::sync::Arc;
use std::time::Duration;

use graphloom_http::authority;
use opentelemetry::Key;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{Protocol, SpanExporter as OtlpExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SdkTracerProvider, SpanData, SpanExporter};
use tracing::{Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::registry::LookupSpan;

use crate::client::Client;
use crate::destination::Destination;
use crate::lists;
use crate::outage::Outage;

/// How long the end of a program waits for a collector that does not answer.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// What spans are not of the program, but of the way to somebody else: there would be one for each connection.
const OF_CONNECTIONS: &[&str] = &["h2", "hyper", "hyper_util", "opentelemetry", "reqwest", "rmcp", "rustls", "tower"];

/// Why spans cannot be sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OtelError {
    /// A variable says what cannot be done.
    #[error("the variable `{variable}` {reason}")]
    Variable {
        /// Its name.
        variable: &'static str,
        /// What does not fit, and what would.
        reason: &'static str,
    },
    /// The collector may not be asked.
    #[error("spans cannot be sent: {0}")]
    Http(#[from] graphloom_http::HttpError),
    /// The exporter cannot be made.
    #[error("spans cannot be sent: {0}")]
    Setup(String),
}

/// Sends spans to a collector. The spans of a program that ends without [`shutdown`](Self::shutdown) are lost as far as they
/// were not sent.
#[derive(Clone, Debug)]
pub struct Exporter {
    provider: SdkTracerProvider,
}

impl Exporter {
    /// An exporter as the variables of the process say; `None` where they do not say where spans are to be sent.
    ///
    /// `program` is the name of the service, unless `OTEL_SERVICE_NAME` or `OTEL_RESOURCE_ATTRIBUTES` names it. Nothing is sent
    /// before the first span has ended, so the collector need not be there yet. Programs that say how the network is reached
    /// ([`Outbound::install`](graphloom_http::Outbound::install)) do that before.
    ///
    /// # Errors
    /// [`OtelError`]: a variable that says what cannot be done, or a collector elsewhere for a program that is offline.
    pub fn from_env(program: &str) -> Result<Option<Self>, OtelError> {
        let Some(destination) = Destination::read(|name| std::env::var(name).ok())? else { return Ok(None) };
        let outage = Arc::new(Outage::new(authority(&destination.traces)));
        let exporter = OtlpExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(destination.traces.as_str())
            .with_http_client(Client::new(&destination, &outage)?)
            .build()
            .map_err(|error| OtelError::Setup(error.to_string()))?;
        let provider = SdkTracerProvider::builder()
            .with_resource(resource(program))
            .with_batch_exporter(Checked { exporter, outage })
            .build();
        Ok(Some(Self { provider }))
    }

    /// The layer that gives the exporter its spans.
    pub fn layer<S>(&self) -> impl Layer<S> + Send + Sync + use<S>
    where
        S: Subscriber + Send + Sync + for<'span> LookupSpan<'span>,
    {
        let is_own = |target: &str| !OF_CONNECTIONS.contains(&target.split("::").next().unwrap_or_default());
        let wanted = filter_fn(move |metadata| {
            metadata.is_span() && *metadata.level() <= Level::INFO && is_own(metadata.target())
        });
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer("graphloom"))
            .with_context_activation(false)
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_target(false)
            .with_level(false)
            .with_filter(wanted.with_max_level_hint(LevelFilter::INFO))
    }

    /// Sends what is left, and ends. It blocks, for 5 seconds where the collector does not answer; spans that end later are lost.
    pub fn shutdown(&self) {
        if let Err(error) = self.provider.shutdown_with_timeout(LAST_WAIT) {
            tracing::debug!(%error, "the last spans were not sent");
        }
    }
}

/// What is said of the program with all its spans.
fn resource(program: &str) -> Resource {
    let stated = Resource::builder().build();
    let name = stated.get(&Key::from_static_str("service.name"));
    // This is how the SDK says that no variable names it.
    let is_named = name.is_some_and(|name| !name.as_str().starts_with("unknown_service"));
    let builder = Resource::builder();
    if is_named { builder.build() } else { builder.with_service_name(program.to_owned()).build() }
}

/// An exporter that notes what did not arrive.
#[derive(Debug)]
struct Checked {
    exporter: OtlpExporter,
    outage: Arc<Outage>,
}

impl SpanExporter for Checked {
    async fn export(&self, mut batch: Vec<SpanData>) -> OTelSdkResult {
        for span in &mut batch {
            lists::restore(&mut span.attributes);
        }
        let spans = batch.len();
        let sent = self.exporter.export(batch).await;
        if sent.is_err() {
            self.outage.lose(spans);
        }
        sent
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}
