//! What the parser of events does not bear: a byte order mark, at which it panics, and an event without an end, which it
//! would hold in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::stream::{BoxStream, Stream, StreamExt};

use crate::providers::answer::MAX_GATHERED;

/// The mark that some servers put before their text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// How many bytes came since the last whole event.
#[derive(Clone, Default)]
pub(super) struct Held(Arc<AtomicUsize>);

impl Held {
    /// An event is whole: the parser holds no more of it.
    pub(super) fn release(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Whether so many more bytes are more than an event may have.
    fn is_full_with(&self, more: usize) -> bool {
        self.0.fetch_add(more, Ordering::Relaxed).saturating_add(more) > MAX_GATHERED
    }
}

/// The bytes without a byte order mark, and an error when more came than an event may have.
pub(super) fn guarded<S, B>(bytes: S, held: Held) -> BoxStream<'static, Result<Vec<u8>, String>>
where
    S: Stream<Item = Result<B, String>> + Send + Unpin + 'static,
    B: AsRef<[u8]> + Send + 'static,
{
    let start = Some((bytes, Some(Vec::<u8>::new()), held));
    futures::stream::unfold(start, |state| async move {
        // `first` has the first bytes, as long as they may be the beginning of a mark.
        let (mut bytes, mut first, held) = state?;
        loop {
            let more = match bytes.next().await {
                Some(Ok(more)) => more.as_ref().to_vec(),
                Some(Err(message)) => return Some((Err(message), None)),
                None => return first.map(|begun| (Ok(begun), None)),
            };
            if held.is_full_with(more.len()) {
                return Some((Err(format!("an event is longer than {MAX_GATHERED} bytes")), None));
            }
            let Some(mut begun) = first.take() else { return Some((Ok(more), Some((bytes, None, held)))) };
            begun.extend_from_slice(&more);
            if begun.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(&begun) {
                first = Some(begun);
                continue;
            }
            if begun.starts_with(BYTE_ORDER_MARK) {
                begun.drain(..BYTE_ORDER_MARK.len());
            }
            return Some((Ok(begun), Some((bytes, None, held))));
        }
    })
    .boxed()
}
