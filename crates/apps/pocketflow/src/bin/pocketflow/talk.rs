//! Commands that talk.

use std::io::{BufRead, IsTerminal};

use graphloom_cli::{AnswerArgs, ExitStatus, Failure, new_thread_id, resume_line};
use graphloom_llm::layers::Ledger;
use graphloom_pocketflow::session::Waiting;
use graphloom_pocketflow::{ChatMessage, TurnEvent, TurnStreams};
use serde_json::{Value, json};

use crate::open::{Opened, checked, look, no_checkpoint, open};
use crate::setup::Setup;

/// What a turn came to.
struct Said {
    text: String,
    status: ExitStatus,
    value: Value,
}

/// Says one thing.
pub(crate) async fn say(setup: &Setup, id: &str, message: &str) -> Result<ExitStatus, Failure> {
    checked(id)?;
    let opened = open(setup).await?;
    let streams = opened.conversations.say(id, message);
    let said = told(setup, &opened, id, streams).await?;
    deliver(setup, said, &opened.models.ledger)
}

/// Ends a turn that was cut off, or says what answers the open question.
pub(crate) async fn resume(setup: &Setup, id: &str, answers: &AnswerArgs) -> Result<ExitStatus, Failure> {
    let questions = look(setup, checked(id)?).await?.threads().thread(id).questions().await?;
    let given = answers.read(&questions, &setup.common, &setup.session.progress).await?;
    if let (None, Some(question)) = (&given, questions.iter().next()) {
        let shown = question.payload["message"].as_str().unwrap_or_default();
        waits(setup, id);
        let value = json!({ "thread": id, "questions": [{ "key": question.key, "question": question.payload }] });
        setup.session.progress.result(ExitStatus::Waiting, shown, &value)?;
        return Ok(ExitStatus::Waiting);
    }
    let opened = open(setup).await?;
    // The graph asks for one message at a time.
    let message = given.and_then(|given| given.values.into_values().next());
    let streams = match message.as_ref().and_then(Value::as_str) {
        Some(message) => opened.conversations.say(id, message),
        None => opened.conversations.go_on(id),
    };
    let said = told(setup, &opened, id, streams).await?;
    deliver(setup, said, &opened.models.ledger)
}

/// Does everything after a checkpoint again.
pub(crate) async fn replay(setup: &Setup, id: &str, from: u64) -> Result<ExitStatus, Failure> {
    look(setup, checked(id)?).await?;
    let opened = open(setup).await?;
    opened.conversations.fork(id, from).await.map_err(no_checkpoint)?;
    let streams = opened.conversations.go_on(id);
    let said = told(setup, &opened, id, streams).await?;
    deliver(setup, said, &opened.models.ledger)
}

/// Makes an older checkpoint the head.
pub(crate) async fn fork(setup: &Setup, id: &str, at: u64) -> Result<ExitStatus, Failure> {
    look(setup, checked(id)?).await?.fork(id, at).await.map_err(no_checkpoint)?;
    let text = format!("`{id}` stands at checkpoint {at} again; `pocketflow say {id} …` goes on from there");
    setup.session.progress.result(ExitStatus::Done, &text, &json!({ "thread": id, "at": at }))?;
    Ok(ExitStatus::Done)
}

/// Talks until the person ends it.
pub(crate) async fn chat(setup: &Setup, id: Option<String>) -> Result<ExitStatus, Failure> {
    let progress = &setup.session.progress;
    let id = match id.or_else(|| setup.common.thread.clone()) {
        Some(id) => checked(&id)?.to_owned(),
        None => new_thread_id("pocketflow"),
    };
    let opened = open(setup).await?;
    progress.note(format!("conversation `{id}`; `/quit` leaves it, and it can be gone on with at any time"));
    let mut said = Vec::new();
    let mut status = ExitStatus::Done;
    loop {
        if std::io::stdin().is_terminal() {
            progress.note("you:");
        }
        let line = tokio::task::spawn_blocking(|| {
            let mut line = Vec::new();
            std::io::stdin().lock().read_until(b'\n', &mut line).map(|read| (read > 0).then_some(line))
        });
        let line = line.await.map_err(|error| Failure::new(ExitStatus::Failed, error))??;
        // A letter that is not UTF-8 is read as the sign for that, and does not end the conversation.
        let line = line.map(|line| String::from_utf8_lossy(&line).into_owned());
        let Some(line) = line.filter(|line| line.trim() != "/quit") else { break };
        let streams = opened.conversations.say(&id, line.trim_end_matches(['\n', '\r']));
        let turn = told(setup, &opened, &id, streams).await?;
        if !progress.is_json() {
            progress.note(&turn.text);
        }
        status = turn.status;
        said.push(turn.text);
    }
    if status == ExitStatus::Waiting {
        waits(setup, &id);
    }
    let last = said.last().cloned().unwrap_or_default();
    let spent = opened.models.ledger.spent();
    progress.result(status, &last, &json!({ "thread": id, "said": said, "spent": spent }))?;
    Ok(status)
}

/// Follows a turn: thoughts are progress, chat is the result.
async fn told(setup: &Setup, opened: &Opened, id: &str, mut streams: TurnStreams) -> Result<Said, Failure> {
    let progress = &setup.session.progress;
    let mut chat: Vec<ChatMessage> = Vec::new();
    while let Some(event) = streams.next().await {
        match event {
            TurnEvent::Thought(thought) => {
                progress.event(&json!({ "v": 1, "event": "thought", "thread": id, "text": thought }));
                progress.phase(thought);
            }
            TurnEvent::Chat(message) => {
                progress.event(&json!({ "v": 1, "event": "chat", "thread": id, "text": message.text() }));
                chat.push(message);
            }
        }
    }
    let texts: Vec<&str> = chat.iter().map(ChatMessage::text).collect();
    let failed = chat.iter().any(|message| matches!(message, ChatMessage::Failed(_)));
    // A session of a newer program cannot be looked at; the chat has said so.
    let waiting = opened.conversations.session(id).await.map(|stored| stored.waiting_for).unwrap_or_default();
    let status = match waiting {
        _ if opened.models.ledger.refusal().is_some() => ExitStatus::BudgetSpent,
        _ if failed => ExitStatus::Failed,
        Waiting::None => ExitStatus::Done,
        _ => ExitStatus::Waiting,
    };
    if status == ExitStatus::BudgetSpent {
        let line = format!("pocketflow say {id} retry --budget LIMITS");
        progress.warn(format!("the budget is spent; the conversation is saved, go on with a larger one: {line}"));
    }
    let text = if texts.is_empty() { "There is nothing to go on with.".to_owned() } else { texts.join("\n\n") };
    let value = json!({ "thread": id, "chat": texts, "waiting_for": waiting });
    Ok(Said { text, status, value })
}

fn deliver(setup: &Setup, said: Said, ledger: &Ledger) -> Result<ExitStatus, Failure> {
    if said.status == ExitStatus::Waiting {
        waits(setup, said.value["thread"].as_str().unwrap_or_default());
    }
    let mut value = said.value;
    value["spent"] = serde_json::to_value(ledger.spent())?;
    setup.session.progress.result(said.status, &said.text, &value)?;
    Ok(said.status)
}

/// Says how to go on without a terminal.
fn waits(setup: &Setup, id: &str) {
    let line = resume_line("pocketflow", id, &setup.common.base);
    setup.session.progress.note(format!("`{id}` waits for you; go on with: {line} --answer 'message=\"…\"'"));
}
