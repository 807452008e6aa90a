//! Spans of `tracing` sent to a collector of OpenTelemetry, as the standard variables say.
//!
//! - [`Exporter::from_env`] reads `OTEL_EXPORTER_OTLP_ENDPOINT` and its like; without one nothing is set up, and nothing is sent.
//! - [`Exporter::layer`] is what a subscriber of `tracing` takes beside its log. Spans go out in batches from a thread of their
//!   own: a collector that is down loses them, holds nothing up, and is told of once a minute.
//! - [`set_parent_from`], [`traceparent`] and [`set_parent`] carry a trace over a border: into a server, and from what was asked
//!   to what is done later.
//!
//! ```standalone_crate
//! use graphloom_otel::Exporter;
//! use tracing_subscriber::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let exporter = Exporter::from_env("my-program")?;
//! let spans = exporter.as_ref().map(Exporter::layer);
//! tracing_subscriber::registry().with(tracing_subscriber::fmt::layer()).with(spans).init();
//!
//! tracing::info_span!("work").in_scope(|| { /* ... */ });
//!
//! if let Some(exporter) = exporter {
//!     exporter.shutdown();
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # What is sent
//!
//! Spans at the level `INFO` and above, with the fields that they were given: an exporter adds none. Events of the log are not
//! sent. `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_TRACES_SAMPLER`, `OTEL_BSP_*` and the variables of limits count
//! as everywhere.
//!
//! # Where it is sent
//!
//! To `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, or to `/v1/traces` below `OTEL_EXPORTER_OTLP_ENDPOINT`, in protobuf over HTTP, with
//! `OTEL_EXPORTER_OTLP_HEADERS`, `_TIMEOUT` and `_COMPRESSION` (`gzip`). It goes the way of everything that leaves the process,
//! see [`graphloom_http`]: proxy, own certificates, `--offline`. A redirect is not followed: headers hold keys.
//!
//! | rule | file |
//! | --- | --- |
//! | the variables say whether spans are sent, and where to | `destination.rs` |
//! | how bytes reach a collector | `client.rs` |
//! | what did not arrive is told once a minute | `outage.rs` |
//! | lists that `tracing` holds as texts are lists again | `lists.rs` |
//! | exporter, layer, the end | `exporter.rs` |
//! | a trace crosses a border | `propagation.rs` |

#![forbid(unsafe_code)]

/// The example of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod client;
mod destination;
mod exporter;
mod lists;
mod outage;
mod propagation;

pub use exporter::{Exporter, OtelError};
pub use propagation::{set_parent, set_parent_from, traceparent};
