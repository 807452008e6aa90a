//! What the parser of events does not bear: a byte order mark, at which it panics, characters that are none, and an event
//! without an end, which it would hold in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::stream::{BoxStream, Stream, StreamExt};

use crate::providers::answer::MAX_GATHERED;
use crate::providers::json::Characters;

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

/// The characters of the bytes without a byte order mark, and an error when more came than an event may have.
pub(super) fn guarded<S, B>(bytes: S, held: Held) -> BoxStream<'static, Result<String, String>>
where
    S: Stream<Item = Result<B, String>> + Send + Unpin + 'static,
    B: AsRef<[u8]> + Send + 'static,
{
    let start = Some((bytes, Characters::default(), true, held));
    futures::stream::unfold(start, |state| async move {
        let (mut bytes, mut characters, mut is_first, held) = state?;
        loop {
            let more = match bytes.next().await {
                Some(Ok(more)) => more,
                Some(Err(message)) => return Some((Err(message), None)),
                None => return characters.end().map(|last| (Ok(last.to_string()), None)),
            };
            if held.is_full_with(more.as_ref().len()) {
                return Some((Err(format!("an event is longer than {MAX_GATHERED} bytes")), None));
            }
            let mut text = characters.push(more.as_ref());
            if text.is_empty() {
                continue;
            }
            if std::mem::take(&mut is_first) && text.starts_with('\u{feff}') {
                text.remove(0);
            }
            return Some((Ok(text), Some((bytes, characters, is_first, held))));
        }
    })
    .boxed()
}
