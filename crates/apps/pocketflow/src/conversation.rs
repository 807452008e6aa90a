//! Turns of a conversation: a message in, a thoughts stream and a chat stream out, which always end.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::{Checkpointer, ThreadStatus};
use graphloom_core_graph::{EventKind, EventMode, Run, RunError, Thread, ThreadState, Threads};
use tokio::sync::mpsc::{self, Receiver, Sender};

use crate::error::PocketFlowError;
use crate::graph::graph;
use crate::nodes::MESSAGE;
use crate::resources::Resources;
use crate::session::{self, Session};
use crate::state::{Conversation, Turn};
use crate::understand::MOST_BYTES;

/// The name of the event of a thought.
pub(crate) const THOUGHT: &str = "thought";

/// Thoughts that wait for a slow reader; more are dropped.
const MOST_THOUGHTS: usize = 256;
/// Chat messages that wait for a slow reader.
const MOST_MESSAGES: usize = 64;

/// Conversations in a store.
#[derive(Clone, Debug)]
pub struct Conversations {
    threads: Threads<Conversation, Resources>,
}

/// The two streams of a turn. Both end, whatever happens in the turn: with its end, an error, or a panic.
#[derive(Debug)]
pub struct TurnStreams {
    thoughts: Receiver<String>,
    chat: Receiver<ChatMessage>,
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
}

impl ChatMessage {
    /// The text.
    pub fn text(&self) -> &str {
        match self {
            Self::Said(text) | Self::Failed(text) => text,
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

impl Conversations {
    /// Conversations whose turns are kept by a checkpointer.
    ///
    /// # Errors
    /// None but a fault of this program: the graph is always the same.
    pub fn new(resources: Resources, checkpointer: Arc<dyn Checkpointer>) -> Result<Self, PocketFlowError> {
        let store = Arc::clone(&resources.store);
        let app = graph()?.with_context(resources);
        Ok(Self { threads: app.with_shared_checkpointer(checkpointer).with_store(store) })
    }

    /// The threads, for history, time travel and drawings. A conversation's thread has its id.
    pub fn threads(&self) -> &Threads<Conversation, Resources> {
        &self.threads
    }

    /// The session of a conversation as it is stored; what is damaged in it is mended in the store.
    ///
    /// # Errors
    /// A session of a newer program, and the store's.
    pub async fn session(&self, id: &str) -> Result<Session, PocketFlowError> {
        let store = &self.threads.app().resources().store;
        Ok(session::load(&**store, id).await?.session)
    }

    /// Says something: the next turn. A turn that was cut off before is ended first. Needs a runtime; the turn goes on
    /// when the streams are dropped.
    pub fn say(&self, id: &str, message: &str) -> TurnStreams {
        let most = (0..=message.len().min(MOST_BYTES + 4)).rev().find(|at| message.is_char_boundary(*at));
        let message = message[..most.unwrap_or(0)].to_owned();
        self.start(id, Some(message))
    }

    /// Ends a turn that was cut off, by a kill or a failure; says nothing where there is none.
    pub fn go_on(&self, id: &str) -> TurnStreams {
        self.start(id, None)
    }

    /// Makes an older checkpoint the head of a conversation, and its session the stored one.
    ///
    /// # Errors
    /// No such checkpoint, a turn that is going on, and the store's.
    pub async fn fork(&self, id: &str, checkpoint: u64) -> Result<(), PocketFlowError> {
        let thread = self.threads.thread(id);
        thread.at(checkpoint).fork().await?;
        let state = thread.state().await?;
        let mut session = state.state.session.clone();
        session.conversation_id = id.to_owned();
        session::restore(&*self.threads.app().resources().store, &session).await?;
        Ok(())
    }

    fn start(&self, id: &str, message: Option<String>) -> TurnStreams {
        let (thought, thoughts) = mpsc::channel(MOST_THOUGHTS);
        let (said, chat) = mpsc::channel(MOST_MESSAGES);
        let thread = self.threads.thread(id);
        // The task owns the senders, so the streams end however it ends.
        tokio::spawn(async move {
            if let Err(error) = turn(&thread, message, &thought, &said).await {
                let text = format!("This turn failed: {error}. Say it again to try again.");
                said.send(ChatMessage::Failed(text)).await.ok();
            }
        });
        TurnStreams { thoughts, chat }
    }
}

type ConversationThread = Thread<Conversation, Resources>;

async fn turn(
    thread: &ConversationThread,
    message: Option<String>,
    thought: &Sender<String>,
    said: &Sender<ChatMessage>,
) -> Result<(), RunError> {
    let mut state = thread.state().await?;
    let cut_off = matches!(
        state.status,
        ThreadStatus::Running | ThreadStatus::Cancelled | ThreadStatus::Drained | ThreadStatus::BudgetSpent
    );
    let failed = state.status == ThreadStatus::Failed;
    if cut_off || (failed && message.is_none()) {
        drive(thread.continue_(), thread, thought, said).await?;
        state = thread.state().await?;
    }
    let Some(message) = message else { return Ok(()) };
    let run = next_run(thread, &state, message)?;
    drive(run, thread, thought, said).await
}

/// The run of a message, by what the thread is doing.
fn next_run(
    thread: &ConversationThread,
    state: &ThreadState<Conversation>,
    message: String,
) -> Result<Run<Conversation>, RunError> {
    if state.status == ThreadStatus::Waiting {
        return Ok(thread.resume(state.questions.answer(MESSAGE, message)?));
    }
    let input = Conversation::update().turn(Turn::new(thread.id(), message));
    // What a failed turn left behind is dropped: the session is as it was before that turn.
    let thread = if state.status == ThreadStatus::Failed { thread.clone().abandon() } else { thread.clone() };
    Ok(thread.run(input))
}

/// Drives a run to its end; thoughts are told as they come, chat is delivered from what was committed.
async fn drive(
    run: Run<Conversation>,
    thread: &ConversationThread,
    thought: &Sender<String>,
    said: &Sender<ChatMessage>,
) -> Result<(), RunError> {
    let mut run = run.only([EventMode::Custom]);
    while let Some(event) = run.next().await {
        if let EventKind::Custom { name, payload } = &event.kind
            && name == THOUGHT
            && let Some(text) = payload.get::<String>()
        {
            // A reader that is too slow loses thoughts, never messages.
            thought.try_send(text.clone()).ok();
        }
    }
    run.await?;
    for message in &thread.state().await?.state.turn.chat {
        said.send(ChatMessage::Said(message.clone())).await.ok();
    }
    Ok(())
}
