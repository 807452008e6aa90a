//! A turn on the thread of its conversation.
//!
//! A message that meets a turn that was cut off is read before that turn goes on: what ends the journey, begins another,
//! or wants the same otherwise stops the turn, which is dropped. Anything else lets it go on; the message comes after it,
//! about what the person had been shown before, so it is no verdict on what the turn made.

use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_core_graph::{EventMode, Run, RunError, Thread, ThreadState};

use crate::error::PocketFlowError;
use crate::nodes::{MESSAGE, Message};
use crate::resources::Resources;
use crate::run_events::{TurnEnd, thought};
use crate::session::{self, Question};
use crate::state::{Conversation, Turn};
use crate::streams::{ChatMessage, TurnSenders};
use crate::understand::stops;

pub(crate) type ConversationThread = Thread<Conversation, Resources>;

/// A message with the question that was last delivered to its person.
pub(crate) struct PersonMessage {
    pub(crate) text: String,
    pub(crate) about: Option<Question>,
}

/// Whether a turn was cut off, by a kill or a stop.
pub(crate) fn is_cut_off(state: &ThreadState<Conversation>) -> bool {
    state.checkpoint.is_some()
        && matches!(
            state.status,
            ThreadStatus::Running | ThreadStatus::Cancelled | ThreadStatus::Drained | ThreadStatus::BudgetSpent
        )
}

/// Takes a turn: that of a message, or the rest of one that was cut off.
pub(crate) async fn turn(
    thread: &ConversationThread,
    store: &dyn graphloom_core_graph::store::Store,
    message: Option<PersonMessage>,
    out: &TurnSenders,
) -> Result<(), PocketFlowError> {
    let state = thread.state().await?;
    let cut_off = is_cut_off(&state);
    let Some(message) = message else {
        if cut_off || state.status == ThreadStatus::Failed {
            let ended = drive(thread.continue_(), out).await?;
            tell(ended, out).await;
        }
        return Ok(());
    };
    if !cut_off {
        let ended = drive(next_run(thread, &state, message)?, out).await?;
        tell(ended, out).await;
        return Ok(());
    }
    let before = session::load(store, thread.id()).await.map(|loaded| loaded.session);
    if before.is_ok_and(|before| stops(&before, &message.text, message.about.as_ref())) {
        let input = Conversation::update().turn(Turn::new(thread.id(), message.text).about(message.about));
        let ended = drive(thread.abandon().run(input), out).await?;
        tell(ended, out).await;
        return Ok(());
    }
    let ended = drive(thread.continue_(), out).await?;
    let TurnEnd::Whole { chat, question } = ended else {
        tell(ended, out).await;
        return Ok(());
    };
    // A late message is answered with what is asked by then, so that is not said twice.
    if question.is_some_and(|question| !question.is_late(message.about.as_ref())) {
        out.say(chat).await;
    }
    let state = thread.state().await?;
    let ended = drive(next_run(thread, &state, message)?, out).await?;
    tell(ended, out).await;
    Ok(())
}

/// The run of a message, by what the thread is doing.
fn next_run(
    thread: &ConversationThread,
    state: &ThreadState<Conversation>,
    message: PersonMessage,
) -> Result<Run<Conversation>, RunError> {
    let PersonMessage { text, about } = message;
    if state.status == ThreadStatus::Waiting {
        return Ok(thread.resume(state.questions.answer(MESSAGE, Message::About { text, about })?));
    }
    let input = Conversation::update().turn(Turn::new(thread.id(), text).about(about));
    // What a failed turn left behind is dropped: the session is as it was before that turn.
    let thread = if state.status == ThreadStatus::Failed { thread.abandon() } else { thread.clone() };
    Ok(thread.run(input))
}

/// Drives a run to its end; thoughts are told as they come. What it said is taken from how it ended, not from the thread,
/// which somebody else may have moved on by then.
async fn drive(run: Run<Conversation>, out: &TurnSenders) -> Result<TurnEnd, RunError> {
    let mut run = run.only([EventMode::Custom]);
    while let Some(event) = run.next().await {
        if let Some(text) = thought(&event) {
            // A reader that is too slow loses thoughts, never messages.
            out.thoughts.try_send(text.to_owned()).ok();
        }
    }
    Ok(TurnEnd::of(&run.await?))
}

async fn tell(ended: TurnEnd, out: &TurnSenders) {
    match ended {
        TurnEnd::Whole { chat, question } => {
            if let Some(question) = question {
                out.asked.set(question).ok();
            }
            out.say(chat).await;
        }
        TurnEnd::Stopped => {
            out.chat.send(ChatMessage::Stopped(TurnEnd::STOPPED.to_owned())).await.ok();
        }
    }
}
