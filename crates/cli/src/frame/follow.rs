//! The words around a run: how it can be gone on with, what it waits for.

use graphloom_core_graph::{Event, Outcome, Questions, Run, State};
use serde_json::{Value, json};

use crate::{ExitStatus, Failure, Session, follow};

/// What a program has to tell at its end.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Told {
    /// How the program ends.
    pub status: ExitStatus,
    /// For people.
    pub text: String,
    /// For programs.
    pub value: Value,
}

impl Told {
    /// Tells it as the result.
    ///
    /// # Errors
    /// A result that cannot be written.
    pub fn tell(&self, session: &Session) -> Result<ExitStatus, Failure> {
        session.progress.result(self.status, &self.text, &self.value)?;
        Ok(self.status)
    }
}

/// Says which run begins or goes on, and how to go on with it if it is stopped.
pub fn announce(session: &Session, id: &str) {
    session.progress.note(format!("run `{id}`; if it is stopped, go on with: {}", session.resume_line(id)));
}

/// Says that a run that failed is kept.
pub fn kept(session: &Session, id: &str) {
    session.progress.note(format!("what was committed is kept; go on with: {}", session.resume_line(id)));
}

/// Follows a run to its end or its next question, and says that it is kept where it fails.
///
/// # Errors
/// The run's.
pub async fn follow_run<S: State>(
    session: &Session,
    id: &str,
    run: Run<S>,
    see: impl FnMut(&Event),
) -> Result<Outcome<S>, Failure> {
    let outcome = follow(run, &session.interrupt, &session.progress, see).await;
    Ok(outcome.inspect_err(|_| kept(session, id))?)
}

/// What a run waits for. With `answers` its line says how to answer; without, a run goes on by being resumed.
///
/// # Errors
/// None but a fault of this program: questions are JSON.
pub fn waiting(session: &Session, id: &str, questions: &Questions, answers: bool) -> Result<Told, Failure> {
    let asked: Vec<Value> =
        questions.iter().map(|question| json!({ "key": question.key, "question": question.payload })).collect();
    let shown = serde_json::to_string_pretty(&asked)?;
    let line = session.resume_line(id);
    let mut text = format!("{shown}\nwaiting; go on with: {line}");
    if answers {
        questions.iter().for_each(|question| text.push_str(&format!(" --answer '{}=…'", question.key)));
    }
    let value = json!({ "run": id, "questions": asked, "resume": line });
    Ok(Told { status: ExitStatus::Waiting, text, value })
}

/// What there is to tell of a run that came to no end of its own.
pub fn stopped<S>(session: &Session, id: &str, outcome: &Outcome<S>) -> Told {
    let line = session.resume_line(id);
    let text = format!("stopped; go on with: {line}");
    Told { status: ExitStatus::from(outcome), text, value: json!({ "run": id, "resume": line }) }
}
