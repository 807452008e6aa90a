//! Following a run, and the result that a program prints when its run waits or is stopped.

use graphloom_core_graph::{Event, Outcome, Questions, State};
use serde_json::{Value, json};

use crate::{ExitStatus, Failure, FollowedRun, Session, follow};

/// The result that a program prints at its end.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ProgramResult {
    /// The exit status of the program.
    pub status: ExitStatus,
    /// The result as text for people.
    pub text: String,
    /// The result as JSON for programs.
    pub value: Value,
}

impl ProgramResult {
    /// A result.
    pub fn new(status: ExitStatus, text: impl Into<String>, value: Value) -> Self {
        Self { status, text: text.into(), value }
    }

    /// Prints the result: the text, or with `--json` the value.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub fn print(&self, session: &Session) -> Result<ExitStatus, Failure> {
        session.progress.result(self.status, &self.text, &self.value)?;
        Ok(self.status)
    }
}

/// Notes the id of a run that begins or is resumed, and the command that resumes it.
pub fn announce(session: &Session, id: &str) {
    session.progress.note(format!("run `{id}`; if it is stopped, go on with: {}", session.resume_line(id)));
}

/// Notes that a failed run can be resumed, and the command that resumes it.
pub fn note_resumable(session: &Session, id: &str) {
    session.progress.note(format!("what was committed is kept; go on with: {}", session.resume_line(id)));
}

/// Follows a run to its end or its next question. When the run fails, a note says how to resume it.
///
/// # Errors
/// The run's.
pub async fn follow_run<S: State>(
    session: &Session,
    id: &str,
    run: impl Into<FollowedRun<S>>,
    see: impl FnMut(&Event),
) -> Result<Outcome<S>, Failure> {
    let outcome = follow(run, &session.interrupt, &session.progress, see).await;
    Ok(outcome.inspect_err(|_| note_resumable(session, id))?)
}

/// The result of a run that waits for answers. With `answers` the text shows the options that answer the questions;
/// without, resuming the run is enough.
///
/// # Errors
/// None but a fault of this program: questions are JSON.
pub fn waiting_result(
    session: &Session,
    id: &str,
    questions: &Questions,
    answers: bool,
) -> Result<ProgramResult, Failure> {
    let asked: Vec<Value> =
        questions.iter().map(|question| json!({ "key": question.key, "question": question.payload })).collect();
    let shown = serde_json::to_string_pretty(&asked)?;
    let line = session.resume_line(id);
    let mut text = format!("{shown}\nwaiting; go on with: {line}");
    if answers {
        questions.iter().for_each(|question| text.push_str(&format!(" --answer '{}=…'", question.key)));
    }
    let value = json!({ "run": id, "questions": asked, "resume": line });
    Ok(ProgramResult { status: ExitStatus::Waiting, text, value })
}

/// The result of a run that was stopped before its end.
pub fn stopped_result<S>(session: &Session, id: &str, outcome: &Outcome<S>) -> ProgramResult {
    let line = session.resume_line(id);
    let text = format!("stopped; go on with: {line}");
    ProgramResult { status: ExitStatus::from(outcome), text, value: json!({ "run": id, "resume": line }) }
}
