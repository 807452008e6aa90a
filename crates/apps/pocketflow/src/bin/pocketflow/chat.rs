//! A conversation on the terminal, or over a pipe.

use std::io::IsTerminal;

use graphloom_cli::{ExitStatus, Failure, Interrupt, new_thread_id};
use graphloom_pocketflow::session::Question;
use serde_json::json;

use crate::lines::{Line, Lines};
use crate::open::{Opened, checked, last_delivered, open};
use crate::prompt::{Prompt, Terminal};
use crate::setup::Setup;
use crate::talk::{Said, told, waits};

/// The person's side of a chat.
struct Person {
    lines: Lines,
    /// On a terminal.
    prompt: Option<Prompt>,
    /// What they were shown last.
    shown: Option<Question>,
}

/// Talks until the person ends it.
pub(crate) async fn chat(setup: &Setup, id: Option<String>) -> Result<ExitStatus, Failure> {
    let progress = &setup.session.progress;
    let id = match id.or_else(|| setup.common.thread.clone()) {
        Some(id) => checked(&id)?.to_owned(),
        None => new_thread_id("pocketflow"),
    };
    let shown = last_delivered(setup, &id).await?;
    let on_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let _terminal = on_terminal.then(Terminal::keep);
    let prompt = on_terminal.then(Prompt::new);
    let mut person = Person { lines: Lines::default(), prompt, shown };
    let opened = open(setup).await?;
    progress.note(format!("conversation `{id}`; `/quit` leaves it, and it can be gone on with at any time"));
    let mut status = ExitStatus::Done;
    if let Some(stands) = where_it_stands(&opened, &id).await? {
        status = ExitStatus::Waiting;
        progress.event(&json!({ "v": 1, "event": "chat", "thread": id, "text": stands.text }));
        show(setup, &opened, &id, &mut person, &stands).await?;
    }
    let mut said = Vec::new();
    loop {
        let shown = person.shown.clone();
        let Some((back, line)) = next(person, &setup.session.interrupt).await? else {
            if status == ExitStatus::Waiting {
                waits(setup, &id, shown.as_ref());
            }
            break;
        };
        person = back;
        let streams = opened.conversations.say_about(&id, line.text.trim_end_matches(['\n', '\r']), line.about);
        let turn = told(setup, &opened, &id, streams).await?;
        show(setup, &opened, &id, &mut person, &turn).await?;
        status = turn.status;
        said.push(turn.text);
    }
    // On a terminal the last text was read where it was said.
    let last = match on_terminal && std::io::stdout().is_terminal() {
        true => String::new(),
        false => said.last().cloned().unwrap_or_default(),
    };
    let spent = opened.models.ledger.spent();
    progress.result(status, &last, &json!({ "thread": id, "said": said, "spent": spent }))?;
    Ok(status)
}

/// What an older conversation waits for, to be shown before anything is asked.
async fn where_it_stands(opened: &Opened, id: &str) -> Result<Option<Said>, Failure> {
    let conversations = &opened.conversations;
    let cut_off = conversations.is_cut_off(id).await?;
    // A session of a newer program is told when something is said.
    let Ok((question, mut text)) = conversations.asked(id).await else { return Ok(None) };
    if !question.is_waiting() && !cut_off {
        return Ok(None);
    }
    if cut_off {
        text = format!(
            "{text}\n\nThe last turn has not ended: it was cut off, or another process is at work on it. `go on` goes on \
             with it; `cancel`, `reject: why`, an edit or `new topic: …` drops it."
        );
    }
    Ok(Some(Said { question: Some(question), ..Said::of(text.trim_start().to_owned(), ExitStatus::Waiting) }))
}

/// Shows what was said, and notes that it was shown. What came in before is about what was shown before.
async fn show(setup: &Setup, opened: &Opened, id: &str, person: &mut Person, said: &Said) -> Result<(), Failure> {
    let progress = &setup.session.progress;
    progress.clear();
    person.lines.take_in(person.shown.as_ref())?;
    if !progress.is_json() {
        progress.tell(&said.text)?;
    }
    if let Some(question) = said.question.as_ref().filter(|_| progress.was_read()) {
        opened.conversations.delivered(id, question).await?;
        person.shown = Some(question.clone());
    }
    Ok(())
}

/// The next line of the person; `None` when they leave. At the prompt Ctrl-C leaves too.
async fn next(mut person: Person, interrupt: &Interrupt) -> Result<Option<(Person, Line)>, Failure> {
    let mut attention = person.prompt.is_some().then(|| interrupt.attend());
    // Reading waits, so it has a thread of its own.
    let read = tokio::task::spawn_blocking(move || {
        let read = match (person.lines.taken(), &mut person.prompt) {
            (Some(line), _) => Ok(Some(line)),
            (None, None) => person.lines.next(person.shown.as_ref()),
            (None, Some(prompt)) => {
                prompt.ask().map(|text| text.map(|text| Line { text, about: person.shown.clone() }))
            }
        };
        (person, read)
    });
    let signal = async {
        match &mut attention {
            Some(attention) => attention.signal().await,
            None => std::future::pending().await,
        }
    };
    let (person, read) = tokio::select! {
        read = read => read.map_err(|error| Failure::new(ExitStatus::Failed, error))?,
        _ = signal => return Ok(None),
    };
    Ok(read?.filter(|line| line.text.trim() != "/quit").map(|line| (person, line)))
}
