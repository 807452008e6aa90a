//! A trace crosses a border: into a server, and from what was asked to what is done later.
//!
//! It crosses in the form of W3C Trace Context. Without a layer of OpenTelemetry all of this does nothing.

use std::collections::HashMap;

use http::HeaderMap;
use opentelemetry::Context;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::TraceContextExt;
use opentelemetry_http::HeaderExtractor;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// The header, and the key, of a trace.
const TRACEPARENT: &str = "traceparent";

/// Makes a span that has not been entered a child of the one that the headers of a request name, `traceparent` and
/// `tracestate`. A header that cannot be read is none.
pub fn set_parent_from(span: &Span, headers: &HeaderMap) {
    if headers.contains_key(TRACEPARENT) {
        adopt(span, TraceContextPropagator::new().extract(&HeaderExtractor(headers)));
    }
}

/// The trace and the id of a span, as the header `traceparent` has them; `None` where nobody sends it anywhere.
pub fn traceparent(span: &Span) -> Option<String> {
    let mut carrier = HashMap::new();
    TraceContextPropagator::new().inject_context(&span.context(), &mut carrier);
    carrier.remove(TRACEPARENT)
}

/// Makes a span that has not been entered a child of the one of which [`traceparent`] told.
pub fn set_parent(span: &Span, traceparent: &str) {
    let carrier = HashMap::from([(TRACEPARENT.to_owned(), traceparent.to_owned())]);
    adopt(span, TraceContextPropagator::new().extract(&carrier));
}

fn adopt(span: &Span, parent: Context) {
    if parent.span().span_context().is_valid()
        && let Err(error) = span.set_parent(parent)
    {
        tracing::trace!(%error, "a span belongs to no trace");
    }
}
