//! From the bytes of an answer to its frames, however the bytes are cut.

use std::io::{self, Cursor};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::stream::{BoxStream, StreamExt};
use graphloom_http::innermost;
use sse_stream::{Error as SseError, SseStream};

use crate::ClientError;
use crate::transport::{Answer, Transport, content_type, described};

/// What is asked for where frames are expected.
pub(crate) const EVENTS: &str = "text/event-stream";

/// One event as it stands on the wire.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) event: String,
    pub(crate) data: String,
    pub(crate) id: Option<String>,
}

/// Why there are no more frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FrameError {
    /// The connection broke off, or is quiet for too long.
    Broken(String),
    /// What came is no stream of events.
    Malformed(String),
}

/// The frames of one connection. Signs of life are not among them.
pub(crate) type Frames = BoxStream<'static, Result<Frame, FrameError>>;

/// The frames of an answer.
///
/// # Errors
/// An answer that is no stream of events, such as a page of a proxy.
pub(crate) async fn frames(transport: &Transport, answer: Answer) -> Result<Frames, ClientError> {
    let Answer { response, call } = answer;
    if !content_type(response.headers()).starts_with(EVENTS) {
        let headers = response.headers().clone();
        let bytes = transport.body(&call, response, false).await?.unwrap_or_default();
        return Err(transport.unexpected(&call, "a stream of events", described(&bytes, &headers)));
    }
    let (silence, most) = (transport.options.silence, transport.options.longest_body);
    let bytes = response.bytes_stream().map(|chunk| match chunk {
        Ok(chunk) => Ok(Vec::from(chunk)),
        Err(error) => Err(io::Error::other(innermost(&error))),
    });
    Ok(read(bytes.boxed(), silence, most))
}

/// Reads frames out of bytes. An event of more than `most` bytes is an error, as is silence.
fn read(bytes: BoxStream<'static, io::Result<Vec<u8>>>, silence: Duration, most: usize) -> Frames {
    // How many bytes came since the last whole event: what the parser holds.
    let held = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&held);
    let guarded = futures::stream::unfold(bytes, move |mut bytes| {
        let held = Arc::clone(&counted);
        async move {
            let chunk = match tokio::time::timeout(silence, bytes.next()).await {
                Err(_) => Err(io::Error::other(format!("nothing came for {silence:?}"))),
                Ok(None) => return None,
                Ok(Some(Err(error))) => Err(error),
                Ok(Some(Ok(chunk))) => {
                    let so_far = held.fetch_add(chunk.len(), Ordering::Relaxed) + chunk.len();
                    let error =
                        || io::Error::new(io::ErrorKind::FileTooLarge, format!("an event of over {most} bytes"));
                    if so_far > most { Err(error()) } else { Ok(Cursor::new(chunk)) }
                }
            };
            Some((chunk, bytes))
        }
    });
    let events = SseStream::from_bytes_stream(guarded.boxed());
    events
        .filter_map(move |event| {
            let frame = match event {
                Ok(event) => {
                    held.store(0, Ordering::Relaxed);
                    // A frame without data is none, by the rules of event streams.
                    event.data.map(|data| {
                        let name = event.event.unwrap_or_else(|| "message".to_owned());
                        Ok(Frame { event: name, data, id: event.id.filter(|id| !id.is_empty()) })
                    })
                }
                Err(SseError::Body(error)) => Some(Err(match error.downcast::<io::Error>() {
                    Ok(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                        FrameError::Malformed(error.to_string())
                    }
                    Ok(error) => FrameError::Broken(error.to_string()),
                    Err(error) => FrameError::Broken(error.to_string()),
                })),
                Err(error) => Some(Err(FrameError::Malformed(error.to_string()))),
            };
            std::future::ready(frame)
        })
        .boxed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::stream;
    use proptest::prelude::*;

    fn all(chunks: Vec<Vec<u8>>, most: usize) -> Vec<Result<Frame, FrameError>> {
        let bytes = stream::iter(chunks.into_iter().map(Ok)).boxed();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(read(bytes, Duration::from_secs(5), most).collect())
    }

    fn frame(event: &str, data: &str, id: Option<&str>) -> Result<Frame, FrameError> {
        Ok(Frame { event: event.to_owned(), data: data.to_owned(), id: id.map(str::to_owned) })
    }

    const WIRE: &str = "\u{feff}: heartbeat\r\n\r\nevent: values\r\ndata: {\"t\":\"Zürich 🏔\"}\r\nid: 7-0\r\n\r\n\
        : heartbeat\n\nevent: custom\ndata: 1\ndata: 2\n\nid: 8-0\n\ndata: plain\r\rdata: cut off";

    proptest! {
        #[test]
        fn frames_are_the_same_however_the_bytes_are_cut(cuts in prop::collection::vec(1_usize..9, 1..60)) {
            let (mut rest, mut chunks, mut sizes) = (WIRE.as_bytes(), Vec::new(), cuts.iter().cycle());
            while !rest.is_empty() {
                let (chunk, after) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
                chunks.push(chunk.to_vec());
                rest = after;
            }
            let expected = vec![
                frame("values", "{\"t\":\"Zürich 🏔\"}", Some("7-0")),
                frame("custom", "1\n2", None),
                frame("message", "plain", None),
            ];
            prop_assert_eq!(all(chunks, 1000), expected);
        }
    }

    #[test]
    fn a_frame_is_not_held_without_bound_and_what_is_no_frame_is_told() {
        let long = |length: usize| format!("data: {}\n\n", "x".repeat(length)).into_bytes();
        assert!(all(vec![long(50), long(50), long(50)], 100).iter().all(Result::is_ok));
        let chunks = std::iter::repeat_n(vec![b'x'; 30], 10).collect();
        assert_eq!(all(chunks, 100)[0], Err(FrameError::Malformed("an event of over 100 bytes".to_owned())));
        let broken = all(vec![b"data: \xff\n\n".to_vec()], 100);
        assert!(matches!(&broken[0], Err(FrameError::Malformed(reason)) if reason.contains("utf8")), "{broken:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn silence_is_a_broken_connection() {
        let quiet = stream::iter([Ok(b"data: 1\n\n".to_vec())]).chain(stream::pending()).boxed();
        let mut frames = read(quiet, Duration::from_secs(30), 100);
        assert_eq!(frames.next().await, Some(frame("message", "1", None)));
        assert_eq!(frames.next().await, Some(Err(FrameError::Broken("nothing came for 30s".to_owned()))));
    }
}
