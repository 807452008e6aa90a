//! Commands and events over one WebSocket.
//!
//! Events come to a socket by its subscriptions. What comes is read and sent once for all of them. A new subscription is first
//! told what was read before it: clients share a socket among parts that each want the whole, and drop by its id what they have
//! seen. Nothing is read ahead of what the client takes: a client that stops reading holds a few messages here, and is cut when it
//! has taken nothing for a while ([`crate::Limits::stalled`]).

mod close;
mod subscriptions;

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use futures::stream::{FuturesUnordered, SplitSink};
use futures::{FutureExt, SinkExt, StreamExt};
use serde_json::Value;
use tokio::time::{Instant, interval_at};
use tracing::{Instrument as _, Span};
use uuid::Uuid;

use super::command::{Command, CommandError, ErrorCode, Malformed, Sender, Success, answer};
use super::stream::failure;
use crate::host::Host;
use crate::http::{Caller, Permit, Problem};
use crate::log::TailError;
use close::{close_frame, close_of, refuse};
use subscriptions::Subscriptions;

/// Commands that are under way at a time; a client that sends more is not read until one is done.
const COMMANDS: usize = 32;

/// How often a client is asked for a sign of life, and after what silence it is taken to be gone. A client answers a ping
/// without being told to (RFC 6455 §5.5.2).
const PING: Duration = Duration::from_secs(20);
const SILENCE: Duration = Duration::from_secs(65);

/// Messages that are sent together.
const BATCH: usize = 64;

/// The answer to a request for a WebSocket on a thread.
///
/// A browser cannot read the status with which an upgrade is refused, so a refusal is a socket that is closed at once: with 4000
/// and the status.
pub(crate) fn upgrade(host: Host, thread: Result<Uuid, Problem>, caller: Caller, socket: WebSocketUpgrade) -> Response {
    let socket = socket.max_message_size(host.guard.largest_body()).max_frame_size(host.guard.largest_body());
    let opened = thread.and_then(|thread| Ok((thread, host.guard.capacity().stream()?)));
    match opened {
        Ok((thread, permit)) => {
            // What a client commands belongs to the request that opened the socket.
            let span = Span::current();
            socket.on_upgrade(move |socket| serve(host, thread, caller, socket, permit).instrument(span))
        }
        Err(problem) => socket.on_upgrade(move |socket| refuse(socket, problem)),
    }
}

async fn serve(host: Host, thread: Uuid, caller: Caller, socket: WebSocket, permit: Permit) {
    let mut draining = Box::pin(host.guard.draining());
    let (sink, mut incoming) = socket.split();
    let mut outgoing = Outgoing { sink };
    let mut subscriptions = Subscriptions::new(&host, thread);
    let sender = Sender { caller, checks_namespaces: true };
    let mut commands = FuturesUnordered::new();
    let mut pings = interval_at(Instant::now() + PING, PING);
    let mut last_message = Instant::now();
    let ended = loop {
        let step = tokio::select! {
            biased;
            () = &mut draining => Step::Stop,
            _ = pings.tick() => Step::Ping,
            Some(answer) = commands.next() => Step::Answer(answer),
            message = incoming.next(), if commands.len() < COMMANDS => Step::Message(message),
            event = subscriptions.next() => Step::Event(event),
        };
        if matches!(step, Step::Message(_)) {
            last_message = Instant::now();
        }
        let sent = match step {
            Step::Ping if last_message.elapsed() > SILENCE => break None,
            Step::Ping => outgoing.sink.send(Message::Ping(Bytes::new())).await.map_err(|_| Cut::Socket),
            Step::Stop => break Some(close_frame(1001, "the server stops")),
            Step::Answer(answer) => outgoing.send(&answer).await,
            Step::Message(Some(Ok(Message::Text(text)))) => match read(&host, text.as_str().as_bytes()) {
                Ok(command) if command.is_subscription() => {
                    subscribe(&mut subscriptions, &mut outgoing, &host, &command).await
                }
                Ok(command) => {
                    let (host, sender) = (&host, &sender);
                    commands.push(async move { answer(command.id, command.run(host, thread, sender).await) });
                    Ok(())
                }
                Err(answer) => outgoing.send(&answer).await,
            },
            Step::Message(Some(Ok(Message::Binary(_)))) => break Some(close_frame(1003, "commands are text")),
            Step::Message(Some(Ok(Message::Ping(_) | Message::Pong(_)))) => Ok(()),
            Step::Message(Some(Ok(Message::Close(_)) | Err(_)) | None) => break None,
            Step::Event(Ok(Some(event))) => outgoing.send_events(event.json, &mut subscriptions).await,
            Step::Event(Ok(None)) => break Some(close_frame(4404, "the thread is deleted")),
            Step::Event(Err(error)) => Err(Cut::Log(error)),
        };
        match sent {
            Ok(()) => {}
            Err(Cut::Socket) => break None,
            Err(Cut::Log(error)) => {
                drop(outgoing.send(&failure(&error)).await);
                break Some(close_of(&error));
            }
        }
    };
    drop(outgoing.sink.send(Message::Close(ended)).await);
    drop(permit);
}

enum Step {
    Stop,
    Ping,
    Answer(Value),
    Message(Option<Result<Message, axum::Error>>),
    Event(Result<Option<super::event::ProtocolEvent>, TailError>),
}

/// Why nothing more is sent.
enum Cut {
    Socket,
    Log(TailError),
}

struct Outgoing {
    sink: SplitSink<WebSocket, Message>,
}

impl Outgoing {
    async fn send(&mut self, value: &Value) -> Result<(), Cut> {
        self.sink.send(Message::text(value.to_string())).await.map_err(|_| Cut::Socket)
    }

    /// Sends an event, and those that are there with it.
    async fn send_events(&mut self, first: String, subscriptions: &mut Subscriptions) -> Result<(), Cut> {
        self.sink.feed(Message::text(first)).await.map_err(|_| Cut::Socket)?;
        for _ in 1..BATCH {
            match subscriptions.next().now_or_never() {
                Some(Ok(Some(event))) => {
                    self.sink.feed(Message::text(event.json)).await.map_err(|_| Cut::Socket)?;
                }
                Some(Err(error)) => return Err(Cut::Log(error)),
                // What ends the events is found again.
                Some(Ok(None)) | None => break,
            }
        }
        self.sink.flush().await.map_err(|_| Cut::Socket)
    }
}

/// Reads a command.
///
/// # Errors
/// The answer to what is none.
fn read(host: &Host, text: &[u8]) -> Result<Command, Value> {
    let value = host
        .guard
        .read_json::<Value>(text)
        .map_err(|problem| CommandError::new(ErrorCode::InvalidArgument, problem.detail.into_owned()).answer(None))?;
    Command::read(value).map_err(|malformed: Malformed| malformed.answer())
}

/// Does a command about subscriptions, and tells a new one what is stored.
async fn subscribe(
    subscriptions: &mut Subscriptions,
    outgoing: &mut Outgoing,
    host: &Host,
    command: &Command,
) -> Result<(), Cut> {
    let outcome = match command.method.as_str() {
        "subscription.subscribe" => subscriptions.subscribe(command).await,
        "subscription.unsubscribe" => subscriptions.unsubscribe(command),
        _ => subscriptions.reconnect(host, command).await,
    };
    outgoing.send(&answer(command.id, outcome.map(Success::of))).await?;
    while let Some(event) = subscriptions.replay().await.map_err(Cut::Log)? {
        outgoing.sink.feed(Message::text(event.json)).await.map_err(|_| Cut::Socket)?;
    }
    outgoing.sink.flush().await.map_err(|_| Cut::Socket)
}
