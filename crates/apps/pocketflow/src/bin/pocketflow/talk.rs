//! Commands that talk.

use std::io::{BufRead, IsTerminal};

use graphloom_cli::{CommonArgs, ExitStatus, Failure, Session, new_thread_id};
use graphloom_pocketflow::session::Waiting;
use graphloom_pocketflow::{ChatMessage, Conversations, TurnEvent, TurnStreams};
use serde_json::json;

use crate::open::{checked, look, open};

/// What a turn came to.
struct Said {
    text: String,
    status: ExitStatus,
    value: serde_json::Value,
}

/// Says one thing.
pub(crate) async fn say(
    common: &CommonArgs,
    session: &Session,
    id: &str,
    message: &str,
) -> Result<ExitStatus, Failure> {
    let opened = open(common, session).await?;
    let streams = opened.conversations.say(checked(id)?, message);
    deliver(session, told(session, &opened.conversations, id, streams).await?, opened.models.ledger.spent())
}

/// Ends a turn that was cut off.
pub(crate) async fn resume(common: &CommonArgs, session: &Session, id: &str) -> Result<ExitStatus, Failure> {
    let opened = open(common, session).await?;
    let streams = opened.conversations.go_on(checked(id)?);
    deliver(session, told(session, &opened.conversations, id, streams).await?, opened.models.ledger.spent())
}

/// Does everything after a checkpoint again.
pub(crate) async fn replay(common: &CommonArgs, session: &Session, id: &str, from: u64) -> Result<ExitStatus, Failure> {
    let opened = open(common, session).await?;
    opened.conversations.fork(checked(id)?, from).await?;
    let streams = opened.conversations.go_on(id);
    deliver(session, told(session, &opened.conversations, id, streams).await?, opened.models.ledger.spent())
}

/// Makes an older checkpoint the head.
pub(crate) async fn fork(common: &CommonArgs, session: &Session, id: &str, at: u64) -> Result<ExitStatus, Failure> {
    look(common, checked(id)?).await?.fork(id, at).await?;
    let text = format!("`{id}` stands at checkpoint {at} again; `pocketflow say {id} …` goes on from there");
    session.progress.result(ExitStatus::Done, &text, &json!({ "thread": id, "at": at }))?;
    Ok(ExitStatus::Done)
}

/// Talks until the person ends it.
pub(crate) async fn chat(common: &CommonArgs, session: &Session, id: Option<String>) -> Result<ExitStatus, Failure> {
    let opened = open(common, session).await?;
    let id = match id {
        Some(id) => checked(&id)?.to_owned(),
        None => new_thread_id("pocketflow"),
    };
    session.progress.note(format!("conversation `{id}`; `/quit` leaves it, and it can be gone on with at any time"));
    let mut said = Vec::new();
    let mut status = ExitStatus::Done;
    loop {
        if std::io::stdin().is_terminal() {
            session.progress.note("you:");
        }
        let line = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            std::io::stdin().lock().read_line(&mut line).map(|read| (read > 0).then_some(line))
        });
        let line = line.await.map_err(|error| Failure::new(ExitStatus::Failed, error))??;
        let Some(line) = line.filter(|line| line.trim() != "/quit") else { break };
        let streams = opened.conversations.say(&id, line.trim_end_matches(['\n', '\r']));
        let turn = told(session, &opened.conversations, &id, streams).await?;
        if !common.base.json {
            session.progress.note(&turn.text);
        }
        status = turn.status;
        said.push(turn.text);
    }
    let last = said.last().cloned().unwrap_or_default();
    session.progress.result(status, &last, &json!({ "thread": id, "said": said }))?;
    Ok(status)
}

/// Follows a turn: thoughts are progress, chat is the result.
async fn told(
    session: &Session,
    conversations: &Conversations,
    id: &str,
    mut streams: TurnStreams,
) -> Result<Said, Failure> {
    let mut chat: Vec<ChatMessage> = Vec::new();
    while let Some(event) = streams.next().await {
        match event {
            TurnEvent::Thought(thought) => session.progress.phase(thought),
            TurnEvent::Chat(message) => chat.push(message),
        }
    }
    let texts: Vec<&str> = chat.iter().map(ChatMessage::text).collect();
    let failed = chat.iter().any(|message| matches!(message, ChatMessage::Failed(_)));
    // A session of a newer program cannot be looked at; the chat has said so.
    let waiting = conversations.session(id).await.map(|stored| stored.waiting_for).unwrap_or_default();
    let status = match waiting {
        _ if failed => ExitStatus::Failed,
        Waiting::None => ExitStatus::Done,
        _ => ExitStatus::Waiting,
    };
    let text = if texts.is_empty() { "There is nothing to go on with.".to_owned() } else { texts.join("\n\n") };
    let value = json!({ "thread": id, "chat": texts, "waiting_for": waiting });
    Ok(Said { text, status, value })
}

fn deliver(session: &Session, said: Said, spent: impl serde::Serialize) -> Result<ExitStatus, Failure> {
    let mut value = said.value;
    value["spent"] = serde_json::to_value(spent)?;
    session.progress.result(said.status, &said.text, &value)?;
    Ok(said.status)
}
