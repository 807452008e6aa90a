//! The event streams of a server at an address.

use std::sync::Arc;

use futures::stream::{self, StreamExt};
use rmcp::model::{RequestId, ServerJsonRpcMessage};
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use sse_stream::{Error, Sse, SseStream};

use super::hearing::Hearing;

/// What is said of an event that is longer than its limit, by the library, too.
const TOO_LONG_EVENT: &str = "exceeded the maximum size";

/// The events of a body, each of at most `limit` bytes.
pub(super) fn events(response: reqwest::Response, limit: usize) -> BoxedSseResponse {
    let mut since_event = 0_usize;
    // Whether only ends of lines came since the last other byte, and how many line feeds.
    let mut feeds = 0_u8;
    let bounded = response.bytes_stream().map(move |chunk| {
        let chunk = chunk.map_err(std::io::Error::other)?;
        for byte in &chunk {
            since_event += 1;
            feeds = match byte {
                b'\n' => feeds + 1,
                b'\r' => feeds,
                _ => 0,
            };
            if feeds == 2 {
                (since_event, feeds) = (0, 0);
            }
            if since_event > limit {
                return Err(std::io::Error::other(format!("an event {TOO_LONG_EVENT} of {limit} bytes")));
            }
        }
        Ok(chunk)
    });
    SseStream::from_bytes_stream(bounded).boxed()
}

/// The events of a stream with their messages as they are heard. `of` is the request that the stream answers, if it
/// answers one; an event that is too long is an error to it.
pub(super) fn heard(stream: BoxedSseResponse, hearing: Arc<Hearing>, of: Option<RequestId>) -> BoxedSseResponse {
    let each = move |event: Result<Sse, Error>| match (event, &of) {
        (Ok(event), _) => read(event, &hearing, of.as_ref()),
        (Err(error), Some(id)) if format!("{error}").contains(TOO_LONG_EVENT) => {
            written(&hearing.too_long(id.clone()), Sse::default()).map_or(vec![Err(error)], |event| vec![Ok(event)])
        }
        (Err(error), _) => vec![Err(error)],
    };
    stream.flat_map(move |event| stream::iter(each(event))).boxed()
}

/// An event with its message as it is heard: several where it holds several, one without data where it holds none.
fn read(mut event: Sse, hearing: &Hearing, of: Option<&RequestId>) -> Vec<Result<Sse, Error>> {
    let Some(data) = event.data.take().filter(|data| !data.trim().is_empty()) else { return vec![Ok(event)] };
    // Events of other names are signals of the transport, unless a message is in them.
    let is_message = matches!(event.event.as_deref(), None | Some("" | "message"));
    if !is_message && !data.contains("\"jsonrpc\"") {
        event.data = Some(data);
        return vec![Ok(event)];
    }
    event.event = None;
    let heard = hearing.heard(data.as_bytes(), of);
    let mut events: Vec<_> = heard.iter().filter_map(|message| written(message, event.clone())).map(Ok).collect();
    if events.is_empty() {
        events.push(Ok(event));
    }
    events
}

fn written(message: &ServerJsonRpcMessage, event: Sse) -> Option<Sse> {
    serde_json::to_string(message).ok().map(|text| event.data(text))
}
