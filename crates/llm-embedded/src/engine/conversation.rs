//! A call that is under way: a conversation that is read, and what comes of it.

use graphloom_llm::{Choice, ModelError};
use tokio::sync::oneshot;

use super::answer::Answer;
use super::choice::Scoring;
use super::reading::Reading;
use super::{Call, Engine, Events};

/// A call that is under way.
pub(super) struct Conversation {
    /// What is still to be read.
    reading: Option<Reading>,
    work: Work,
}

/// What comes of a conversation that was read.
enum Work {
    Answer(Box<Answer>, Events),
    Choice(Scoring, Option<oneshot::Sender<Result<Choice, ModelError>>>),
}

impl Conversation {
    /// Checks a call and tells its caller. `None` when it cannot be answered, or when nobody waits for it any more.
    pub(super) fn begin(engine: &mut Engine, call: Call) -> Option<Self> {
        match call {
            Call::Chat { request, accepted, events } => {
                if events.is_closed() {
                    return None;
                }
                let (tokens, answer) = match engine.prepare(&request) {
                    Ok(prepared) => prepared,
                    Err(error) => {
                        accepted.send(Err(error)).ok();
                        return None;
                    }
                };
                accepted.send(Ok(())).ok()?;
                let work = Work::Answer(Box::new(answer), events);
                Some(Self { reading: Some(Reading::of(tokens)), work })
            }
            Call::Choose { request, options, reply } => {
                if reply.is_closed() {
                    return None;
                }
                match engine.prepare_choice(&request, &options) {
                    Ok((tokens, scoring)) => {
                        let work = Work::Choice(scoring, Some(reply));
                        Some(Self { reading: Some(Reading::of(tokens)), work })
                    }
                    Err(error) => {
                        reply.send(Err(error)).ok();
                        None
                    }
                }
            }
        }
    }

    /// Whether the conversation is read, and something comes of it.
    pub(super) fn is_read(&self) -> bool {
        self.reading.is_none()
    }

    /// Whether nobody waits for what comes of it.
    pub(super) fn is_dropped(&self) -> bool {
        match &self.work {
            Work::Answer(_, events) => events.is_closed(),
            Work::Choice(_, reply) => reply.as_ref().is_none_or(oneshot::Sender::is_closed),
        }
    }

    /// Does the next step. Returns whether there is another one.
    pub(super) fn step(&mut self, engine: &mut Engine) -> bool {
        if self.is_dropped() {
            return false;
        }
        match self.advance(engine) {
            Ok(goes_on) => goes_on,
            Err(error) => {
                match &mut self.work {
                    Work::Answer(_, events) => drop(events.send(Err(error))),
                    Work::Choice(_, reply) => drop(reply.take().map(|reply| reply.send(Err(error)))),
                }
                false
            }
        }
    }

    fn advance(&mut self, engine: &mut Engine) -> Result<bool, ModelError> {
        if let Some(reading) = &mut self.reading {
            let read = reading.step(engine).map_err(|error| engine.internal(error))?;
            if let Some(read) = read {
                self.reading = None;
                match &mut self.work {
                    Work::Answer(answer, _) => answer.begin(read),
                    Work::Choice(scoring, _) => scoring.begin(read),
                }
            }
            return Ok(true);
        }
        match &mut self.work {
            Work::Answer(answer, events) => answer.step(engine, events).map(|ended| !ended),
            Work::Choice(scoring, reply) => {
                let choice = scoring.step(engine)?;
                let goes_on = choice.is_none();
                if let (Some(choice), Some(reply)) = (choice, reply.take_if(|_| !goes_on)) {
                    reply.send(Ok(choice)).ok();
                }
                Ok(goes_on)
            }
        }
    }
}
