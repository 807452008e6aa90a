//! Turns of a conversation: a message in, a thoughts stream and a chat stream out, which always end.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::{CheckpointError, Checkpointer};
use graphloom_core_graph::store::Store;
use graphloom_core_graph::{Compiled, RunError, Threads};

use crate::error::PocketFlowError;
use crate::graph::graph;
use crate::nodes::asked_text;
use crate::resources::Resources;
use crate::session::delivery::{self, LastDelivery};
use crate::session::{self, Question, Session, stops};
use crate::state::Conversation;
use crate::streams::{ChatMessage, TurnSenders, TurnStreams, streams};
use crate::turn::{PersonMessage, is_cut_off, turn};
use crate::understand::MOST_BYTES;

/// Conversations in a store.
///
/// A verdict belongs to what was shown: each message is about the question that was last delivered to its person. When
/// the messages of a turn have been shown, say so with [`Conversations::record_delivery`]; a verdict on what nobody was shown is
/// answered by showing it.
#[derive(Clone, Debug)]
pub struct Conversations {
    threads: Threads<Conversation, Resources>,
}

impl Conversations {
    /// Conversations whose turns are kept by a checkpointer.
    pub fn new(resources: Resources, checkpointer: Arc<dyn Checkpointer>) -> Self {
        Self::of(graph(), resources, checkpointer)
    }

    /// Conversations over a graph with options, see [`graph_with`](crate::graph_with).
    pub fn of(
        graph: Compiled<Conversation, Resources>,
        resources: Resources,
        checkpointer: Arc<dyn Checkpointer>,
    ) -> Self {
        let store = Arc::clone(&resources.store);
        let app = graph.with_context(resources);
        Self { threads: app.with_shared_checkpointer(checkpointer).with_store(store) }
    }

    /// The threads, for history, time travel and drawings. A conversation's thread has its id.
    pub fn threads(&self) -> &Threads<Conversation, Resources> {
        &self.threads
    }

    /// The session of a conversation as it is stored; damaged parts are repaired in the store.
    ///
    /// # Errors
    /// A session of a newer program, and the store's.
    pub async fn session(&self, id: &str) -> Result<Session, PocketFlowError> {
        Ok(session::load(&**self.store(), id).await?.session)
    }

    /// The open question of a conversation and the text that a person is shown; the text is empty before the first turn.
    ///
    /// # Errors
    /// A session of a newer program, and the store's.
    pub async fn open_question(&self, id: &str) -> Result<(Question, String), PocketFlowError> {
        let session = self.session(id).await?;
        Ok((Question::of(&session), asked_text(&session)))
    }

    /// The question that was last delivered, which the next message is about.
    ///
    /// # Errors
    /// The store's.
    pub async fn last_delivered(&self, id: &str) -> Result<LastDelivery, PocketFlowError> {
        Ok(delivery::last(&**self.store(), id).await?)
    }

    /// Records that the person was shown a question. To be called when the text has left the program.
    ///
    /// # Errors
    /// The store's.
    pub async fn record_delivery(&self, id: &str, question: &Question) -> Result<(), PocketFlowError> {
        Ok(delivery::record(&**self.store(), id, question).await?)
    }

    /// Starts a turn with a message about the question that was last delivered. Needs a runtime; the turn goes on when the
    /// streams are dropped.
    ///
    /// A turn that was cut off before is stopped by a message that ends the journey, begins another or wants the same
    /// otherwise; it goes on before any other message.
    pub fn say(&self, id: &str, message: &str) -> TurnStreams {
        self.start(id, Some((message, None)))
    }

    /// Starts a turn with a message about a question, or about none, see [`Conversations::say`].
    pub fn say_about(&self, id: &str, message: &str, question: Option<Question>) -> TurnStreams {
        self.start(id, Some((message, Some(question))))
    }

    /// Finishes a turn that was cut off by a kill or a failure. Without such a turn the streams are empty.
    pub fn finish_turn(&self, id: &str) -> TurnStreams {
        self.start(id, None)
    }

    /// Whether the last turn was cut off before its end.
    ///
    /// # Errors
    /// The store's.
    pub async fn is_cut_off(&self, id: &str) -> Result<bool, PocketFlowError> {
        Ok(is_cut_off(&self.threads.thread(id).state().await?))
    }

    /// Stops the running turn of this process, and returns whether there was one. Committed work is kept.
    pub fn stop(&self, id: &str) -> bool {
        self.threads.thread(id).cancel()
    }

    /// Requests that the process at work on a conversation stop its turn. That process has to compare
    /// [`Conversations::stop_requests`]; the `pocketflow` command does so.
    ///
    /// # Errors
    /// The store's.
    pub async fn request_stop(&self, id: &str) -> Result<(), PocketFlowError> {
        Ok(stops::request(&**self.store(), id).await?)
    }

    /// The number of requests to stop a turn so far. A turn stops when the number has grown since the turn began.
    ///
    /// # Errors
    /// The store's.
    pub async fn stop_requests(&self, id: &str) -> Result<u64, PocketFlowError> {
        Ok(stops::count(&**self.store(), id).await?)
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
        session::restore(&**self.store(), &session).await?;
        Ok(())
    }

    fn store(&self) -> &Arc<dyn Store> {
        &self.threads.app().resources().store
    }

    fn start(&self, id: &str, message: Option<(&str, Option<Option<Question>>)>) -> TurnStreams {
        let (sinks, streams) = streams();
        let (conversations, id) = (self.clone(), id.to_owned());
        let message = message.map(|(text, about)| (cut(text), about));
        // The task owns the sinks, so the streams end however it ends.
        tokio::spawn(async move {
            if let Err(error) = conversations.take(&id, message, &sinks).await {
                sinks.chat.send(ChatMessage::Failed(refusal(&error))).await.ok();
            }
        });
        streams
    }

    /// Takes a turn. When the message is refused, the question that it was about is recorded.
    async fn take(
        &self,
        id: &str,
        message: Option<(String, Option<Option<Question>>)>,
        out: &TurnSenders,
    ) -> Result<(), PocketFlowError> {
        let (store, thread) = (self.store(), self.threads.thread(id));
        let Some((text, about)) = message else { return turn(&thread, &**store, None, out).await };
        let last = delivery::last(&**store, id).await?;
        let about = about.unwrap_or(last.question);
        let message = PersonMessage { text, about: about.clone() };
        let taken = turn(&thread, &**store, Some(message), out).await;
        match &taken {
            Err(_) => delivery::record_refusal(&**store, id, about.as_ref()).await?,
            Ok(()) if last.after_refusal => delivery::clear_refusal(&**store, id).await?,
            Ok(()) => {}
        }
        taken
    }
}

/// The part of a message that is read; a longer message is answered as too long.
fn cut(message: &str) -> String {
    let most = (0..=message.len().min(MOST_BYTES + 4)).rev().find(|at| message.is_char_boundary(*at));
    message[..most.unwrap_or(0)].to_owned()
}

/// Why a turn was not taken, for people.
fn refusal(error: &PocketFlowError) -> String {
    match error {
        PocketFlowError::Run(RunError::Checkpoint(CheckpointError::ThreadBusy { owner, .. })) => format!(
            "Your message was not taken: another process ({owner}) is at work on this conversation. When it has ended, say \
             it again."
        ),
        PocketFlowError::Run(RunError::Checkpoint(CheckpointError::StaleHead { .. }) | RunError::WrongStatus { .. }) => {
            "Your message was not taken: another process went on with this conversation meanwhile. Say it again; you are \
             shown what is asked now."
                .to_owned()
        }
        error => format!("This turn failed: {error}. Say it again to try again."),
    }
}
