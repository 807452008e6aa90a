//! The two streams of a turn.

use std::sync::{Arc, OnceLock};

use tokio::sync::mpsc::{self, Receiver, Sender};

use crate::session::Question;

/// Thoughts that wait for a slow reader; more are dropped.
const MOST_THOUGHTS: usize = 256;
/// Chat messages that wait for a slow reader.
const MOST_MESSAGES: usize = 64;

/// The two streams of a turn. Both end, whatever happens in the turn: with its end, an error, or a panic.
#[derive(Debug)]
pub struct TurnStreams {
    thoughts: Receiver<String>,
    chat: Receiver<ChatMessage>,
    asked: Arc<OnceLock<Question>>,
}

/// Something of either stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnEvent {
    /// What the program does.
    Thought(String),
    /// A message to the person.
    Chat(ChatMessage),
}

/// A message to the person.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChatMessage {
    /// What the conversation says.
    Said(String),
    /// The turn failed; the conversation goes on with the next message.
    Failed(String),
    /// The turn was stopped before its end; the next message decides whether it goes on.
    Stopped(String),
}

impl ChatMessage {
    /// The text.
    pub fn text(&self) -> &str {
        match self {
            Self::Said(text) | Self::Failed(text) | Self::Stopped(text) => text,
        }
    }
}

impl TurnStreams {
    /// The next thought; none when the turn has ended.
    pub async fn thought(&mut self) -> Option<String> {
        self.thoughts.recv().await
    }

    /// The next message to the person; none when the turn has ended.
    pub async fn message(&mut self) -> Option<ChatMessage> {
        self.chat.recv().await
    }

    /// The next of either stream; none when both have ended.
    pub async fn next(&mut self) -> Option<TurnEvent> {
        tokio::select! {
            // What was thought before something is said comes before it.
            biased;
            Some(thought) = self.thoughts.recv() => Some(TurnEvent::Thought(thought)),
            Some(message) = self.chat.recv() => Some(TurnEvent::Chat(message)),
            else => None,
        }
    }

    /// What the conversation asks with the messages of this turn. Known when the chat has ended; none when the turn failed,
    /// was stopped, or saved nothing. When the messages were shown to the person, record it with
    /// [`Conversations::record_delivery`](crate::Conversations::record_delivery).
    pub fn question(&self) -> Option<&Question> {
        self.asked.get()
    }

    /// Both streams to their ends.
    pub async fn collect(mut self) -> (Vec<String>, Vec<ChatMessage>) {
        let (mut thoughts, mut chat) = (Vec::new(), Vec::new());
        while let Some(event) = self.next().await {
            match event {
                TurnEvent::Thought(thought) => thoughts.push(thought),
                TurnEvent::Chat(message) => chat.push(message),
            }
        }
        (thoughts, chat)
    }
}

/// The ends that a turn writes to. The streams end when they are dropped.
pub(crate) struct TurnSenders {
    pub(crate) thoughts: Sender<String>,
    pub(crate) chat: Sender<ChatMessage>,
    pub(crate) asked: Arc<OnceLock<Question>>,
}

impl TurnSenders {
    /// Says the messages of a turn. A reader who went away stops nothing.
    pub(crate) async fn say(&self, messages: Vec<String>) {
        for message in messages {
            self.chat.send(ChatMessage::Said(message)).await.ok();
        }
    }
}

/// New streams with their ends.
pub(crate) fn streams() -> (TurnSenders, TurnStreams) {
    let (thought, thoughts) = mpsc::channel(MOST_THOUGHTS);
    let (chat_sender, chat) = mpsc::channel(MOST_MESSAGES);
    let asked = Arc::new(OnceLock::new());
    let sinks = TurnSenders { thoughts: thought, chat: chat_sender, asked: Arc::clone(&asked) };
    (sinks, TurnStreams { thoughts, chat, asked })
}
