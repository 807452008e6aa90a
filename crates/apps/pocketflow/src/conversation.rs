//! Turns of a conversation: a message in, a thoughts stream and a chat stream out, which always end.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::{CheckpointError, Checkpointer};
use graphloom_core_graph::store::Store;
use graphloom_core_graph::{Compiled, RunError, Threads};

use crate::error::PocketFlowError;
use crate::graph::graph;
use crate::nodes::asked_text;
use crate::resources::Resources;
use crate::session::delivery::{self, About};
use crate::session::{self, Question, Session, stops};
use crate::state::Conversation;
use crate::streams::{ChatMessage, TurnSenders, TurnStreams, streams};
use crate::turn::{PersonMessage, is_cut_off, turn};
use crate::understand::MOST_BYTES;

/// Conversations in a store.
///
/// A verdict belongs to what was shown: each message is about the question that was last delivered to its person. When
/// the messages of a turn have been shown, say so with [`Conversations::delivered`]; a verdict on what nobody was shown is
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

    /// The session of a conversation as it is stored; what is damaged in it is mended in the store.
    ///
    /// # Errors
    /// A session of a newer program, and the store's.
    pub async fn session(&self, id: &str) -> Result<Session, PocketFlowError> {
        Ok(session::load(&**self.store(), id).await?.session)
    }

    /// What a conversation asks, and its text as a person is shown it; empty where nothing was said yet.
    ///
    /// # Errors
    /// A session of a newer program, and the store's.
    pub async fn asked(&self, id: &str) -> Result<(Question, String), PocketFlowError> {
        let session = self.session(id).await?;
        Ok((Question::of(&session), asked_text(&session)))
    }

    /// What the next message to a conversation is about: the question that was last delivered.
    ///
    /// # Errors
    /// The store's.
    pub async fn about(&self, id: &str) -> Result<About, PocketFlowError> {
        Ok(delivery::about(&**self.store(), id).await?)
    }

    /// Notes that the person was shown a question. To be called when its text has left the program.
    ///
    /// # Errors
    /// The store's.
    pub async fn delivered(&self, id: &str, question: &Question) -> Result<(), PocketFlowError> {
        Ok(delivery::deliver(&**self.store(), id, question).await?)
    }

    /// Says something about what was last delivered: the next turn. Needs a runtime; the turn goes on when the streams are
    /// dropped.
    ///
    /// A turn that was cut off before is stopped by a message that ends the journey, begins another or wants the same
    /// otherwise; it goes on before any other message.
    pub fn say(&self, id: &str, message: &str) -> TurnStreams {
        self.start(id, Some((message, None)))
    }

    /// Says something about a question, see [`Conversations::say`]; about nothing, when there is none.
    pub fn say_about(&self, id: &str, message: &str, question: Option<Question>) -> TurnStreams {
        self.start(id, Some((message, Some(question))))
    }

    /// Ends a turn that was cut off, by a kill or a failure; says nothing where there is none.
    pub fn go_on(&self, id: &str) -> TurnStreams {
        self.start(id, None)
    }

    /// Whether the last turn was cut off before its end.
    ///
    /// # Errors
    /// The store's.
    pub async fn is_cut_off(&self, id: &str) -> Result<bool, PocketFlowError> {
        Ok(is_cut_off(&self.threads.thread(id).state().await?))
    }

    /// Stops the turn that goes on in this process, if there is one. What was done so far is kept.
    pub fn stop(&self, id: &str) -> bool {
        self.threads.thread(id).cancel()
    }

    /// Asks whichever process is at work on a conversation to stop its turn. It has to look, see
    /// [`Conversations::stops_asked`]; the `pocketflow` command does.
    ///
    /// # Errors
    /// The store's.
    pub async fn ask_to_stop(&self, id: &str) -> Result<(), PocketFlowError> {
        Ok(stops::ask(&**self.store(), id).await?)
    }

    /// How often somebody asked for a turn to be stopped. A turn is to be stopped when there are more than when it began.
    ///
    /// # Errors
    /// The store's.
    pub async fn stops_asked(&self, id: &str) -> Result<u64, PocketFlowError> {
        Ok(stops::asked(&**self.store(), id).await?)
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

    /// Takes a turn, and notes what a message was about that was refused.
    async fn take(
        &self,
        id: &str,
        message: Option<(String, Option<Option<Question>>)>,
        out: &TurnSenders,
    ) -> Result<(), PocketFlowError> {
        let (store, thread) = (self.store(), self.threads.thread(id));
        let Some((text, about)) = message else { return turn(&thread, &**store, None, out).await };
        let last = delivery::about(&**store, id).await?;
        let about = about.unwrap_or(last.question);
        let said = PersonMessage { text, about: about.clone() };
        let taken = turn(&thread, &**store, Some(said), out).await;
        match &taken {
            Err(_) => delivery::refuse(&**store, id, about.as_ref()).await?,
            Ok(()) if last.after_refusal => delivery::settle(&**store, id).await?,
            Ok(()) => {}
        }
        taken
    }
}

/// As much of a message as is looked at; what is longer is answered as too long.
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
