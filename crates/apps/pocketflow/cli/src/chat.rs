//! A conversation on the terminal, or over a pipe.

use std::io::IsTerminal;

use graphloom_cli::{ExitStatus, Failure, Interrupt, Prompt, StudioArgs, Typed, new_thread_id};
use graphloom_pocketflow::session::Question;
use serde_json::json;

use crate::lines::{Line, Lines};
use crate::open::{Opened, checked_id, last_delivered, open};
use crate::setup::Setup;
use crate::talk::{TurnResult, follow_turn, note_waiting};

/// The person's side of a chat.
struct Person {
    lines: Lines,
    /// The prompt on a terminal; none over a pipe.
    prompt: Option<Prompt>,
    /// The question that the person was shown last.
    shown: Option<Question>,
    /// The question that was shown when the person typed the line that is ready before the next prompt.
    shown_before: Option<Question>,
}

impl Person {
    /// Waits for the next line; `None` when the person leaves. At the prompt Ctrl-C leaves too.
    async fn line(&mut self, interrupt: &Interrupt) -> Result<Option<Line>, Failure> {
        let line = match (self.lines.next_ready(), &mut self.prompt) {
            (Some(line), _) => Some(line),
            (None, None) => self.read().await?,
            (None, Some(prompt)) => {
                let mut subscription = interrupt.subscribe();
                let typed = tokio::select! {
                    typed = prompt.ask("you: ") => typed?,
                    _ = subscription.signal() => None,
                };
                typed.map(|typed| self.line_of(typed))
            }
        };
        Ok(line.filter(|line| line.text.trim() != "/quit"))
    }

    /// A typed line with its question: a line that was typed ahead is about the question before the last.
    fn line_of(&mut self, typed: Typed) -> Line {
        if !typed.ahead {
            self.shown_before.clone_from(&self.shown);
        }
        Line { text: typed.text, about: self.shown_before.clone() }
    }

    /// The next line of a pipe. Reading blocks, so it runs on a thread of its own.
    async fn read(&mut self) -> Result<Option<Line>, Failure> {
        let (mut lines, shown) = (std::mem::take(&mut self.lines), self.shown.clone());
        let read = tokio::task::spawn_blocking(move || {
            let line = lines.next(shown.as_ref());
            (lines, line)
        });
        let (lines, line) = read.await?;
        self.lines = lines;
        Ok(line?)
    }
}

/// Talks until the person ends it.
pub(crate) async fn chat(setup: &Setup, id: Option<String>, studio: StudioArgs) -> Result<ExitStatus, Failure> {
    let progress = &setup.session.progress;
    let id = match id {
        Some(id) => checked_id(&id)?.to_owned(),
        None => new_thread_id("pocketflow"),
    };
    if studio.studio {
        return Box::pin(crate::studio::chat(setup, &id, studio)).await;
    }
    let shown = last_delivered(setup, &id).await?;
    let prompt = Prompt::open(progress)?;
    let on_terminal = prompt.is_some();
    let mut person = Person { lines: Lines::default(), prompt, shown_before: shown.clone(), shown };
    let opened = open(setup).await?;
    progress.note(format!("conversation `{id}`; `/quit` leaves it, and it can be gone on with at any time"));
    let mut status = ExitStatus::Done;
    if let Some(waiting) = waiting_result(&opened, &id).await? {
        status = ExitStatus::Waiting;
        progress.event(&json!({ "v": 1, "event": "chat", "thread": id, "text": waiting.text }));
        show(setup, &opened, &id, &mut person, &waiting).await?;
    }
    let mut texts = Vec::new();
    loop {
        let Some(line) = person.line(&setup.session.interrupt).await? else {
            if status == ExitStatus::Waiting {
                note_waiting(setup, &id, person.shown.as_ref());
            }
            break;
        };
        let streams = opened.conversations.say_about(&id, line.text.trim_end_matches(['\n', '\r']), line.about);
        let turn = follow_turn(setup, &opened, &id, streams).await?;
        show(setup, &opened, &id, &mut person, &turn).await?;
        status = turn.status;
        texts.push(turn.text);
    }
    // On a terminal the last text was read where it was said.
    let last = match on_terminal && std::io::stdout().is_terminal() {
        true => String::new(),
        false => texts.last().cloned().unwrap_or_default(),
    };
    let spent = opened.models.ledger.spent();
    progress.result(status, &last, &json!({ "thread": id, "said": texts, "spent": spent }))?;
    Ok(status)
}

/// The open question of a conversation that already waits, to be shown before anything is asked.
async fn waiting_result(opened: &Opened, id: &str) -> Result<Option<TurnResult>, Failure> {
    let conversations = &opened.conversations;
    let cut_off = conversations.is_cut_off(id).await?;
    // A session of a newer program is reported when something is said.
    let Ok((question, mut text)) = conversations.open_question(id).await else { return Ok(None) };
    if !question.is_waiting() && !cut_off {
        return Ok(None);
    }
    if cut_off {
        text = format!(
            "{text}\n\nThe last turn has not ended: it was cut off, or another process is at work on it. `go on` goes on \
             with it; `cancel`, `reject: why`, an edit or `new topic: …` drops it."
        );
    }
    Ok(Some(TurnResult {
        question: Some(question),
        ..TurnResult::of(text.trim_start().to_owned(), ExitStatus::Waiting)
    }))
}

/// Shows what was said, and notes that it was shown. What came in before is about what was shown before.
async fn show(
    setup: &Setup,
    opened: &Opened,
    id: &str,
    person: &mut Person,
    result: &TurnResult,
) -> Result<(), Failure> {
    let progress = &setup.session.progress;
    progress.clear();
    person.lines.read_available(person.shown.as_ref())?;
    if !progress.is_json() {
        progress.tell(&result.text)?;
    }
    if let Some(question) = result.question.as_ref().filter(|_| progress.is_stdout_open()) {
        opened.conversations.record_delivery(id, question).await?;
        person.shown = Some(question.clone());
    }
    Ok(())
}
