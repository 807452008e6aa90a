//! From the bytes of an answer to its events, however the bytes are cut.

mod guard;

use eventsource_stream::{EventStreamError, Eventsource};
use futures::stream::{BoxStream, Stream, StreamExt};
use serde_json::Value;

use self::guard::{Held, guarded};
use super::answer::{Answer, MAX_GATHERED};
use super::error::in_band_error;
use super::wire::{Framing, NoAnswer, Progress, Protocol, Reader};
use crate::{ChatEvent, ChatResponse, ModelError, Part};

/// Reads a whole answer.
pub(super) fn decode_body(protocol: &dyn Protocol, body: &[u8], id: &str) -> Result<ChatResponse, ModelError> {
    let not_expected = |message: String| ModelError::Parse {
        model: id.to_owned(),
        expected: "chat completion".to_owned(),
        message,
        raw: String::from_utf8_lossy(body).chars().take(2000).collect(),
    };
    let mut answer = Answer::new(id);
    if body.iter().all(u8::is_ascii_whitespace) {
        return Err(answer.interrupted("the server answered nothing"));
    }
    let root: Value = serde_json::from_slice(body).map_err(|error| not_expected(error.to_string()))?;
    if let Some(error) = in_band_error(&root, id) {
        return Err(error);
    }
    match protocol.reader().whole(&root, &mut answer) {
        Ok(()) => answer.complete(),
        Err(NoAnswer::Form(lacking)) => Err(not_expected(lacking)),
        Err(NoAnswer::Error(error)) => Err(error),
    }
}

/// Puts a streamed answer together from the data of its events.
pub(super) struct Decoder {
    reader: Box<dyn Reader>,
    answer: Answer,
    size: usize,
}

impl Decoder {
    pub(super) fn new(protocol: &dyn Protocol, id: impl Into<String>) -> Self {
        Self { reader: protocol.reader(), answer: Answer::new(id), size: 0 }
    }

    /// The events that one piece of data gives, and whether more follow.
    fn push(&mut self, data: &str) -> Result<(Vec<ChatEvent>, Progress), ModelError> {
        if data.trim().is_empty() {
            return Ok((Vec::new(), Progress::More));
        }
        if data.trim() == "[DONE]" {
            return Ok((self.end()?, Progress::Ended));
        }
        self.size = self.size.saturating_add(data.len());
        if self.size > MAX_GATHERED {
            return Err(self.answer.interrupted(format!("it is longer than {MAX_GATHERED} bytes")));
        }
        let event: Value = serde_json::from_str(data)
            .map_err(|error| self.answer.interrupted(format!("an event is not JSON: {error}")))?;
        let mut events = Vec::new();
        let told = match in_band_error(&event, &self.answer.id) {
            Some(error) => Err(error),
            None => self.reader.event(&event, &mut self.answer, &mut events),
        };
        match told {
            Ok(Progress::More) => Ok((events, Progress::More)),
            Ok(Progress::Ended) => {
                events.extend(self.end()?);
                Ok((events, Progress::Ended))
            }
            // An error after the first text is an interruption, so that the text is not lost.
            Err(error @ ModelError::StreamInterrupted { .. }) => Err(error),
            Err(error) if self.answer.partial().is_empty() => Err(error),
            Err(error) => Err(self.answer.interrupted(error.to_string())),
        }
    }

    /// The last events, when the stream has ended.
    fn end(&mut self) -> Result<Vec<ChatEvent>, ModelError> {
        let response = self.answer.complete()?;
        let calls = response.message.parts.iter().filter_map(|part| match part {
            Part::ToolCall(call) => Some(ChatEvent::ToolCall(call.clone())),
            _ => None,
        });
        let mut events: Vec<ChatEvent> = calls.collect();
        events.push(ChatEvent::Done(response));
        Ok(events)
    }
}

/// The data of each event of a body, or why the body breaks off.
fn data_of<S, B>(bytes: S, framing: Framing) -> BoxStream<'static, Result<String, String>>
where
    S: Stream<Item = Result<B, String>> + Send + Unpin + 'static,
    B: AsRef<[u8]> + Send + 'static,
{
    match framing {
        Framing::Events => {
            let held = Held::default();
            guarded(bytes, held.clone())
                .eventsource()
                .map(move |event| match event {
                    Ok(event) => {
                        held.release();
                        Ok(event.data)
                    }
                    Err(EventStreamError::Transport(message)) => Err(message),
                    Err(EventStreamError::Utf8(error)) => Err(format!("it is not UTF-8: {error}")),
                    Err(EventStreamError::Parser(error)) => Err(format!("it is no stream of events: {error}")),
                })
                .boxed()
        }
        Framing::Lines => futures::stream::unfold(Some((bytes, Vec::new())), |state| async move {
            let (mut bytes, mut held) = state?;
            loop {
                if let Some(end) = held.iter().position(|byte| *byte == b'\n') {
                    let rest = held.split_off(end + 1);
                    return Some((text_of(held), Some((bytes, rest))));
                }
                if held.len() > MAX_GATHERED {
                    return Some((Err(format!("a line is longer than {MAX_GATHERED} bytes")), None));
                }
                match bytes.next().await {
                    Some(Ok(more)) => held.extend_from_slice(more.as_ref()),
                    Some(Err(message)) => return Some((Err(message), None)),
                    None if held.is_empty() => return None,
                    None => return Some((text_of(held), None)),
                }
            }
        })
        .boxed(),
    }
}

fn text_of(line: Vec<u8>) -> Result<String, String> {
    String::from_utf8(line).map_err(|error| format!("it is not UTF-8: {error}"))
}

/// The events of a streamed answer. An error of `bytes` interrupts the stream. `request_id` is the provider's name for
/// the call.
pub(super) fn decode_stream<S, B>(
    protocol: &'static dyn Protocol,
    bytes: S,
    id: impl Into<String>,
    request_id: Option<String>,
) -> BoxStream<'static, Result<ChatEvent, ModelError>>
where
    S: Stream<Item = Result<B, String>> + Send + Unpin + 'static,
    B: AsRef<[u8]> + Send + 'static,
{
    let start = Some((data_of(bytes, protocol.framing()), Decoder::new(protocol, id), request_id));
    futures::stream::unfold(start, |state| async move {
        let (mut source, mut decoder, request_id) = state?;
        loop {
            let step = match source.next().await {
                Some(Ok(data)) => decoder.push(&data),
                Some(Err(message)) => Err(decoder.answer.interrupted(message)),
                None => decoder.end().map(|events| (events, Progress::Ended)),
            };
            let (mut events, progress) = match step {
                Ok((events, Progress::More)) if events.is_empty() => continue,
                Ok((events, progress)) => (events.into_iter().map(Ok).collect::<Vec<_>>(), progress),
                Err(error) => (vec![Err(error.of_request(request_id.clone()))], Progress::Ended),
            };
            if let Some(Ok(ChatEvent::Done(response))) = events.last_mut() {
                response.request_id.clone_from(&request_id);
            }
            let next = (progress == Progress::More).then_some((source, decoder, request_id));
            return Some((futures::stream::iter(events), next));
        }
    })
    .flatten()
    .boxed()
}

#[cfg(test)]
mod recorded;
#[cfg(test)]
mod tests;
