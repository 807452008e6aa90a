//! How a body begins: as a stream of events, or as a whole answer, an error or a page that came in its place.

use futures::stream::{BoxStream, Stream, StreamExt};

use crate::providers::answer::MAX_GATHERED;

/// What a body is by its first sign.
pub(super) enum Opening<B> {
    /// Events.
    Events(BoxStream<'static, Result<Bytes<B>, String>>),
    /// JSON or a page, whole; or why it breaks off.
    Whole(Result<Vec<u8>, String>),
}

/// Bytes that were looked at, or not yet.
pub(super) enum Bytes<B> {
    Seen(Vec<u8>),
    Unseen(B),
}

impl<B: AsRef<[u8]>> AsRef<[u8]> for Bytes<B> {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Seen(bytes) => bytes,
            Self::Unseen(bytes) => bytes.as_ref(),
        }
    }
}

/// Reads a body as far as it takes to know what it is. No line of events begins with a bracket.
pub(super) async fn opened<S, B>(mut bytes: S) -> Opening<B>
where
    S: Stream<Item = Result<B, String>> + Send + Unpin + 'static,
    B: AsRef<[u8]> + Send + 'static,
{
    let mut seen = Vec::new();
    loop {
        match first_sign(&seen) {
            Some(b'{' | b'[' | b'<') => return Opening::Whole(gathered(seen, bytes).await),
            None if seen.len() <= MAX_GATHERED => {}
            _ => break,
        }
        match bytes.next().await {
            Some(Ok(more)) => seen.extend_from_slice(more.as_ref()),
            Some(Err(message)) => {
                let seen = futures::stream::iter([Ok(Bytes::Seen(seen)), Err(message)]);
                return Opening::Events(seen.boxed());
            }
            None => break,
        }
    }
    let seen = futures::stream::iter([Ok(Bytes::Seen(seen))]);
    Opening::Events(seen.chain(bytes.map(|more| more.map(Bytes::Unseen))).boxed())
}

/// The first byte that is neither space nor of a byte order mark.
fn first_sign(bytes: &[u8]) -> Option<u8> {
    bytes.iter().copied().find(|byte| !byte.is_ascii_whitespace() && !matches!(byte, 0xEF | 0xBB | 0xBF))
}

async fn gathered<S, B>(mut seen: Vec<u8>, mut bytes: S) -> Result<Vec<u8>, String>
where
    S: Stream<Item = Result<B, String>> + Send + Unpin + 'static,
    B: AsRef<[u8]> + Send + 'static,
{
    while let Some(more) = bytes.next().await {
        seen.extend_from_slice(more?.as_ref());
        if seen.len() > MAX_GATHERED {
            return Err(format!("it is longer than {MAX_GATHERED} bytes"));
        }
    }
    Ok(seen)
}
