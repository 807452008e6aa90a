//! Traces over borders: from a client's request, and from a request to the run that it asked for. That takes the feature `otel`;
//! without it a request and a run begin traces of their own.

#[cfg(feature = "otel")]
pub(crate) use graphloom_otel::{set_parent, set_parent_from, traceparent};

#[cfg(not(feature = "otel"))]
pub(crate) use without::{set_parent, set_parent_from, traceparent};

#[cfg(not(feature = "otel"))]
mod without {
    use http::HeaderMap;
    use tracing::Span;

    pub(crate) fn set_parent_from(_: &Span, _: &HeaderMap) {}

    pub(crate) fn traceparent(_: &Span) -> Option<String> {
        None
    }

    pub(crate) fn set_parent(_: &Span, _: &str) {}
}
