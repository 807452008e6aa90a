//! From the bytes of an answer to its events, however the bytes are cut.

mod guard;
mod opening;
mod words;

use eventsource_stream::{EventStreamError, Eventsource};
use futures::FutureExt;
use futures::stream::{BoxStream, Stream, StreamExt};

use self::guard::{Held, guarded};
use self::opening::{Opening, opened};
use self::words::{is_comment, is_error};
use super::answer::{Answer, MAX_GATHERED};
use super::error::{error_in_words, in_band_error, named_error, words_in};
use super::json::{json_of, text_of};
use super::wire::{Framing, NoAnswer, Progress, Protocol, Reader};
use crate::{ChatEvent, ChatResponse, ModelError, Part, events_of};

/// Reads a whole answer. A server that streams though nobody asked it to is read, too.
pub(super) fn decode_body(protocol: &'static dyn Protocol, body: &[u8], id: &str) -> Result<ChatResponse, ModelError> {
    let text = text_of(body);
    let not_expected = |message: String| ModelError::Parse {
        model: id.to_owned(),
        expected: "chat completion".to_owned(),
        message,
        raw: text.chars().take(2000).collect(),
    };
    let mut answer = Answer::new(id);
    if text.trim().is_empty() {
        return Err(answer.unreadable("the server answered nothing"));
    }
    let root = match json_of(&text) {
        Ok(root) => root,
        Err(_) if is_streamed(protocol.framing(), &text) => return decode_streamed_body(protocol, text, id),
        Err(error) => return Err(not_expected(format!("{error}; the server says `{}`", words_in(None, &text)))),
    };
    if let Some(error) = in_band_error(&root, id) {
        return Err(error);
    }
    match protocol.reader().whole(&root, &mut answer) {
        Ok(()) => answer.complete(),
        Err(NoAnswer::Form(lacking)) => Err(not_expected(lacking)),
        Err(NoAnswer::Error(error)) => Err(error),
    }
}

/// Whether a body that is no JSON is a streamed answer.
fn is_streamed(framing: Framing, text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.clone().next().unwrap_or_default();
    let is_event = ["data:", "event:", "id:", "retry:", ":"].iter().any(|field| first.starts_with(field));
    let is_json = |line: &str| json_of(line).is_ok_and(|value| value.is_object());
    is_event || (framing == Framing::Lines && lines.find(|line| !is_comment(line)).is_some_and(is_json))
}

/// Reads a whole body that is a streamed answer. All of it is there, so nothing is waited for.
fn decode_streamed_body(protocol: &'static dyn Protocol, text: String, id: &str) -> Result<ChatResponse, ModelError> {
    let bytes = futures::stream::iter([Ok::<_, String>(text.into_bytes())]);
    let events = decode_events(protocol, bytes.boxed(), id.to_owned(), None).collect::<Vec<_>>().now_or_never();
    match events.unwrap_or_default().pop() {
        Some(Ok(ChatEvent::Done(response))) => Ok(response),
        Some(Err(error)) => Err(error),
        _ => Err(Answer::new(id).unreadable("the server answered nothing")),
    }
}

/// Puts a streamed answer together from the data of its events.
pub(super) struct Decoder {
    reader: Box<dyn Reader>,
    answer: Answer,
    size: usize,
    /// What the last event said that said nothing of the answer.
    words: Option<String>,
}

/// One event of a stream.
struct Framed {
    /// Its name; empty where it has none.
    name: String,
    data: String,
}

impl Decoder {
    pub(super) fn new(protocol: &dyn Protocol, id: impl Into<String>) -> Self {
        Self { reader: protocol.reader(), answer: Answer::new(id), size: 0, words: None }
    }

    /// The events that one piece of data gives, and whether more follow.
    fn push(&mut self, framed: &Framed) -> Result<(Vec<ChatEvent>, Progress), ModelError> {
        let nothing = Ok((Vec::new(), Progress::More));
        let data = framed.data.trim();
        let is_named_error = framed.name.eq_ignore_ascii_case("error");
        if data.is_empty() && !is_named_error {
            return nothing;
        }
        if data.eq_ignore_ascii_case("[DONE]") {
            return Ok((self.end()?, Progress::Ended));
        }
        self.size = self.size.saturating_add(data.len());
        if self.size > MAX_GATHERED {
            return Err(self.answer.interrupted(format!("it is longer than {MAX_GATHERED} bytes")));
        }
        let event = match json_of(data) {
            Ok(event) => event,
            Err(_) if is_comment(data) => return nothing,
            Err(error) => return Err(self.no_json(data, is_named_error, &error)),
        };
        let mut events = Vec::new();
        let told = match in_band_error(&event, &self.answer.id) {
            Some(error) => Err(error),
            None if is_named_error => Err(named_error(&event, &self.answer.id)),
            None => self.reader.event(&event, &mut self.answer, &mut events),
        };
        if events.is_empty() {
            let words = words_in(Some(&event), "");
            self.words = Some(words).filter(|words| !words.is_empty()).or(self.words.take());
        }
        match told {
            Ok(Progress::More) => Ok((events, Progress::More)),
            Ok(Progress::Ended) => {
                events.extend(self.end()?);
                Ok((events, Progress::Ended))
            }
            Err(error) => Err(self.kept(error)),
        }
    }

    /// The error of data that is no JSON: what the server says in plain words, or an event that is broken.
    fn no_json(&self, data: &str, is_named_error: bool, error: &serde_json::Error) -> ModelError {
        if is_named_error || is_error(data) {
            return self.kept(error_in_words(data, &self.answer.id));
        }
        let what = if data.starts_with(['{', '[']) {
            format!("an event is not JSON: {error}")
        } else {
            format!("an event is not JSON; the server says `{}`", words_in(None, data))
        };
        if self.answer.partial().is_empty() { self.answer.unreadable(what) } else { self.answer.interrupted(what) }
    }

    /// An error after the first text is an interruption, so that the text is not lost.
    fn kept(&self, error: ModelError) -> ModelError {
        match error {
            ModelError::StreamInterrupted { .. } => error,
            error if self.answer.partial().is_empty() => error,
            error => self.answer.interrupted(error.to_string()),
        }
    }

    /// The last events, when the stream has ended.
    fn end(&mut self) -> Result<Vec<ChatEvent>, ModelError> {
        let response = self.answer.complete().map_err(|mut error| {
            if let (
                ModelError::StreamInterrupted { message, .. } | ModelError::Unreadable { message, .. },
                Some(words),
            ) = (&mut error, &self.words)
            {
                message.push_str(&format!("; the server says `{words}`"));
            }
            error
        })?;
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
fn data_of<S, B>(bytes: S, framing: Framing) -> BoxStream<'static, Result<Framed, String>>
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
                        // An event that has no name is called so by the parser.
                        let name = if event.event == "message" { String::new() } else { event.event };
                        Ok(Framed { name, data: event.data })
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
                    return Some((Ok(line_of(&held)), Some((bytes, rest))));
                }
                if held.len() > MAX_GATHERED {
                    return Some((Err(format!("a line is longer than {MAX_GATHERED} bytes")), None));
                }
                match bytes.next().await {
                    Some(Ok(more)) => held.extend_from_slice(more.as_ref()),
                    Some(Err(message)) => return Some((Err(message), None)),
                    None if held.is_empty() => return None,
                    None => return Some((Ok(line_of(&held)), None)),
                }
            }
        })
        .boxed(),
    }
}

/// A line of a wire that has one for each event. Some gateways make events of them.
fn line_of(line: &[u8]) -> Framed {
    let line = text_of(line);
    let line = line.trim();
    let data = match line.split_once(':') {
        Some(("data", data)) => data.trim(),
        Some(("event" | "id" | "retry", _)) => "",
        _ => line,
    };
    Framed { name: String::new(), data: data.to_owned() }
}

/// The events of a streamed answer, or of a whole one that came in its place. An error of `bytes` interrupts the stream.
/// `request_id` is the provider's name for the call.
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
    let id = id.into();
    if protocol.framing() == Framing::Lines {
        return decode_events(protocol, bytes, id, request_id);
    }
    let events = async move {
        match opened(bytes).await {
            Opening::Events(bytes) => decode_events(protocol, bytes, id, request_id),
            Opening::Whole(body) => {
                let response = body
                    .map_err(|message| Answer::new(id.clone()).interrupted(message))
                    .and_then(|body| decode_body(protocol, &body, &id));
                let events: Vec<Result<ChatEvent, ModelError>> = match response {
                    Ok(mut response) => {
                        response.request_id.clone_from(&request_id);
                        events_of(response, usize::MAX).into_iter().map(Ok).collect()
                    }
                    Err(error) => vec![Err(error.of_request(request_id))],
                };
                futures::stream::iter(events).boxed()
            }
        }
    };
    futures::stream::once(events).flatten().boxed()
}

/// The events of a streamed answer.
fn decode_events<S, B>(
    protocol: &'static dyn Protocol,
    bytes: S,
    id: String,
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
                Some(Ok(framed)) => decoder.push(&framed),
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
mod drawn;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod tests;
