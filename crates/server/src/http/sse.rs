//! Answers that are sent bit by bit: events, and JSON that takes its time.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use futures::future::BoxFuture;
use futures::stream::{BoxStream, Stream, StreamExt};
use serde::Serialize;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::guard::Guard;
use super::limits::Permit;
use super::problem::Problem;

/// How often a sign of life is sent. Clients of the LangGraph wire take three missed ones for a dead connection.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// Frames that are ready together are sent together, up to about this many bytes.
const CHUNK: usize = 16 << 10;

/// One server-sent event, encoded: lines end with CR and LF, as on the LangGraph wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame(Bytes);

impl Frame {
    /// An event whose data are JSON already, or a word such as `[DONE]`. A line break between its tokens is a blank.
    pub(crate) fn encoded(event: &str, data: &str, id: Option<&str>) -> Self {
        let mut frame = String::with_capacity(event.len() + data.len() + id.map_or(0, str::len) + 32);
        if !event.is_empty() {
            push_line(&mut frame, "event: ", event);
        }
        push_line(&mut frame, "data: ", data);
        if let Some(id) = id {
            push_line(&mut frame, "id: ", id);
        }
        frame.push_str("\r\n");
        Self(frame.into())
    }

    /// Data alone, with the lines of Unix: for clients that know no others.
    pub(crate) fn data(data: &str) -> Self {
        let mut frame = String::with_capacity(data.len() + 8);
        frame.push_str("data: ");
        frame.extend(data.chars().map(|c| if matches!(c, '\r' | '\n' | '\0') { ' ' } else { c }));
        frame.push_str("\n\n");
        Self(frame.into())
    }

    /// The bytes on the wire.
    #[cfg(test)]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

fn push_line(frame: &mut String, field: &str, value: &str) {
    frame.push_str(field);
    frame.extend(value.chars().map(|c| if matches!(c, '\r' | '\n' | '\0') { ' ' } else { c }));
    frame.push_str("\r\n");
}

/// The answer that sends these frames, and a comment every five seconds.
///
/// It takes a frame only when the client has room for one, so a client that stops reading holds the bytes of one chunk here
/// and those of the buffers of its connection. It ends with the frames, or when the server begins to stop. `permit` is held
/// until then.
pub(crate) fn events(guard: &Guard, permit: Permit, frames: impl Stream<Item = Frame> + Send + 'static) -> Response {
    let body = EventBody {
        frames: Some(frames.boxed()),
        heartbeat: heartbeat(),
        draining: Box::pin(guard.draining()),
        _permit: permit,
    };
    let mut response = Response::new(Body::from_stream(body));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

fn heartbeat() -> Interval {
    let mut heartbeat = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
    heartbeat.set_missed_tick_behavior(MissedTickBehavior::Skip);
    heartbeat
}

struct EventBody {
    frames: Option<BoxStream<'static, Frame>>,
    heartbeat: Interval,
    draining: BoxFuture<'static, ()>,
    _permit: Permit,
}

impl Stream for EventBody {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if this.frames.is_none() || this.draining.as_mut().poll(context).is_ready() {
            this.frames = None;
            return Poll::Ready(None);
        }
        let mut chunk = Vec::new();
        let mut single = None;
        while let Some(frames) = &mut this.frames {
            match frames.poll_next_unpin(context) {
                Poll::Ready(Some(Frame(frame))) => {
                    match single.take() {
                        None if chunk.is_empty() => single = Some(frame),
                        first => {
                            chunk.extend_from_slice(first.as_deref().unwrap_or_default());
                            chunk.extend_from_slice(&frame);
                        }
                    }
                    if single.as_ref().map_or(chunk.len(), Bytes::len) >= CHUNK {
                        break;
                    }
                }
                Poll::Ready(None) => this.frames = None,
                Poll::Pending => break,
            }
        }
        if this.heartbeat.poll_tick(context).is_ready() {
            chunk.extend_from_slice(single.take().as_deref().unwrap_or_default());
            chunk.extend_from_slice(b": heartbeat\r\n\r\n");
        }
        if let Some(frame) = single {
            return Poll::Ready(Some(Ok(frame)));
        }
        if !chunk.is_empty() {
            return Poll::Ready(Some(Ok(chunk.into())));
        }
        if this.frames.is_none() { Poll::Ready(None) } else { Poll::Pending }
    }
}

/// The answer that is JSON as soon as there is any, and a line break every five seconds until then: blanks before JSON are
/// legal, and keep proxies from closing the connection. Its status is 200 whatever comes, so a failure must be in the JSON.
pub(crate) fn late_json<T: Serialize>(answer: impl Future<Output = T> + Send + 'static) -> Response {
    let text = async move {
        let answer = answer.await;
        serde_json::to_vec(&answer).unwrap_or_else(|error| {
            tracing::error!(%error, "an answer could not be written as JSON");
            let problem = Problem::internal();
            serde_json::json!({ "__error__": { "error": "InternalError", "message": problem.detail } })
                .to_string()
                .into()
        })
    };
    let body = LateBody { answer: Some(Box::pin(text)), heartbeat: heartbeat() };
    let mut response = Response::new(Body::from_stream(body));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

struct LateBody {
    answer: Option<BoxFuture<'static, Vec<u8>>>,
    heartbeat: Interval,
}

impl Stream for LateBody {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(answer) = &mut self.answer else { return Poll::Ready(None) };
        if let Poll::Ready(text) = answer.as_mut().poll(context) {
            self.answer = None;
            return Poll::Ready(Some(Ok(text.into())));
        }
        if self.heartbeat.poll_tick(context).is_ready() {
            return Poll::Ready(Some(Ok(Bytes::from_static(b"\n"))));
        }
        Poll::Pending
    }
}
