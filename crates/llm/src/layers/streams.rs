//! What several layers do with a stream.

use std::future::Future;

use futures::StreamExt;
use tokio::time::{Instant, timeout_at};

use crate::{ChatEvent, ChatResponse, ChatStream, ModelError};

/// Calls `seen` once with the end of the stream. When the stream is dropped before its end, `seen` is dropped and not
/// called.
pub(super) fn on_end<F>(stream: ChatStream, seen: F) -> ChatStream
where
    F: FnOnce(Result<&ChatResponse, &ModelError>) + Send + 'static,
{
    let mut seen = Some(seen);
    stream
        .inspect(move |event| match event {
            Ok(ChatEvent::Done(response)) => {
                if let Some(seen) = seen.take() {
                    seen(Ok(response));
                }
            }
            Err(error) => {
                if let Some(seen) = seen.take() {
                    seen(Err(error));
                }
            }
            Ok(_) => {}
        })
        .boxed()
}

/// A stream whose first event is there, so that a failure before any content is still a failure of the call. A stream that
/// ends without an event is not polled again.
pub(super) async fn begun(
    stream: impl Future<Output = Result<ChatStream, ModelError>> + Send,
) -> Result<ChatStream, ModelError> {
    let mut stream = stream.await?;
    match stream.next().await {
        Some(Err(error)) => Err(error),
        Some(first) => Ok(futures::stream::iter([first]).chain(stream).boxed()),
        None => Ok(futures::stream::empty().boxed()),
    }
}

/// The stream until `end`, and the error `late` when it has not ended by then.
pub(super) fn until<F>(stream: ChatStream, end: Instant, late: F) -> ChatStream
where
    F: FnOnce() -> ModelError + Send + 'static,
{
    futures::stream::unfold(Some((stream, late)), move |state| async move {
        let (mut stream, late) = state?;
        match timeout_at(end, stream.next()).await {
            Ok(event) => Some((event?, Some((stream, late)))),
            Err(_) => Some((Err(late()), None)),
        }
    })
    .boxed()
}
