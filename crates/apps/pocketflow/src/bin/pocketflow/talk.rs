//! Commands that talk.

use graphloom_cli::{AnswerArgs, ExitStatus, Failure, Session, quoted};
use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_pocketflow::session::{Question, Waiting};
use graphloom_pocketflow::{ChatMessage, TurnEvent, TurnStreams};
use serde_json::{Value, json};

use crate::open::{Opened, checked, last_delivered, look, no_checkpoint, open};
use crate::setup::Setup;
use crate::stop::LOOK;

/// What a turn came to.
pub(crate) struct TurnResult {
    pub(crate) text: String,
    pub(crate) status: ExitStatus,
    pub(crate) value: Value,
    /// What is asked with it.
    pub(crate) question: Option<Question>,
}

impl TurnResult {
    /// A text that asks nothing.
    pub(crate) fn of(text: String, status: ExitStatus) -> Self {
        Self { text, status, value: Value::Null, question: None }
    }
}

/// Says one thing, about what was last delivered.
pub(crate) async fn say(setup: &Setup, id: &str, message: &str) -> Result<ExitStatus, Failure> {
    // Read first: what is delivered from now on is not what the message is about.
    let about = last_delivered(setup, checked(id)?).await?;
    let opened = open(setup).await?;
    let streams = opened.conversations.say_about(id, message, about);
    let said = told(setup, &opened, id, streams).await?;
    deliver(setup, said, &opened, id).await
}

/// Ends a turn that was cut off, or says what answers the open question.
pub(crate) async fn resume(setup: &Setup, id: &str, answers: &AnswerArgs) -> Result<ExitStatus, Failure> {
    let about = last_delivered(setup, checked(id)?).await?;
    let conversations = look(&setup.session, id).await?;
    let status = conversations.threads().thread(id).state().await?.status;
    let cut_off = conversations.is_cut_off(id).await?;
    let waits_for_it = status == ThreadStatus::Waiting;
    let progress = &setup.session.progress;
    let mut values = answers.values(waits_for_it, &setup.work.run.models.consent, progress).await?;
    let given = values.pop_first();
    if let Some((key, _)) = values.first_key_value() {
        return Err(Failure::usage(format!("`message` is answered twice, also as `{key}`; give one answer")));
    }
    if given.is_none() && waits_for_it {
        let (question, text) = conversations.asked(id).await?;
        waits(setup, id, Some(&question));
        let asked = json!([{ "key": "message", "id": question.id, "question": { "message": text } }]);
        progress.result(ExitStatus::Waiting, &text, &json!({ "thread": id, "questions": asked }))?;
        if progress.was_read() {
            conversations.delivered(id, &question).await?;
        }
        return Ok(ExitStatus::Waiting);
    }
    let message = match given {
        None => None,
        Some(_) if !waits_for_it && !cut_off => {
            return Err(Failure::usage("the run waits for no answer; leave `--answer` out"));
        }
        Some((key, value)) => {
            let named = Question::named(&key);
            if key != "message" && named.is_none() {
                let open = conversations.asked(id).await?.0.id;
                return Err(Failure::usage(format!(
                    "no open question `{key}`; open: `message`, which is `{open}` now"
                )));
            }
            let text = serde_json::from_value::<String>(value)
                .map_err(|error| Failure::usage(format!("the answer to `{key}` does not fit: {error}")))?;
            Some((text, named.or(about)))
        }
    };
    let opened = open(setup).await?;
    let streams = match message {
        Some((message, about)) => opened.conversations.say_about(id, &message, about),
        None => opened.conversations.go_on(id),
    };
    let said = told(setup, &opened, id, streams).await?;
    deliver(setup, said, &opened, id).await
}

/// Does everything after a checkpoint again.
pub(crate) async fn replay(setup: &Setup, id: &str, from: u64) -> Result<ExitStatus, Failure> {
    look(&setup.session, checked(id)?).await?;
    let opened = open(setup).await?;
    opened.conversations.fork(id, from).await.map_err(no_checkpoint)?;
    let streams = opened.conversations.go_on(id);
    let said = told(setup, &opened, id, streams).await?;
    deliver(setup, said, &opened, id).await
}

/// Makes an older checkpoint the head, and shows what is asked there.
pub(crate) async fn fork(session: &Session, id: &str, at: u64) -> Result<ExitStatus, Failure> {
    let conversations = look(session, checked(id)?).await?;
    conversations.fork(id, at).await.map_err(no_checkpoint)?;
    let (question, asked) = conversations.asked(id).await?;
    let mut text = format!("`{id}` stands at checkpoint {at} again; `pocketflow say {id} …` goes on from there");
    if question.is_waiting() {
        text = format!("{text}\n\n{asked}");
    }
    let progress = &session.progress;
    progress.result(ExitStatus::Done, &text, &json!({ "thread": id, "at": at, "asked": asked }))?;
    if progress.was_read() {
        conversations.delivered(id, &question).await?;
    }
    Ok(ExitStatus::Done)
}

/// Follows a turn: thoughts are progress, chat is the result. Ctrl-C stops the turn, and so does another process that asks.
pub(crate) async fn told(
    setup: &Setup,
    opened: &Opened,
    id: &str,
    mut streams: TurnStreams,
) -> Result<TurnResult, Failure> {
    let progress = &setup.session.progress;
    let mut attention = setup.session.interrupt.attend();
    let mut chat: Vec<ChatMessage> = Vec::new();
    let before = opened.conversations.stops_asked(id).await.unwrap_or(u64::MAX);
    let (mut looks, mut stopping) = (tokio::time::interval(LOOK), false);
    loop {
        tokio::select! {
            event = streams.next() => match event {
                Some(TurnEvent::Thought(thought)) => {
                    progress.event(&json!({ "v": 1, "event": "thought", "thread": id, "text": thought }));
                    progress.phase(thought);
                }
                Some(TurnEvent::Chat(message)) => {
                    progress.event(&json!({ "v": 1, "event": "chat", "thread": id, "text": message.text() }));
                    chat.push(message);
                }
                None => break,
            },
            _ = attention.signal() => {
                progress.phase("stopping");
                opened.conversations.stop(id);
            }
            _ = looks.tick(), if !stopping => {
                // A store that is busy is asked again.
                let asked = opened.conversations.stops_asked(id).await.unwrap_or_default();
                if asked > before && opened.conversations.stop(id) {
                    progress.note("another process stops this turn");
                    progress.phase("stopping");
                    stopping = true;
                }
            }
        }
    }
    drop(attention);
    progress.clear();
    let texts: Vec<&str> = chat.iter().map(ChatMessage::text).collect();
    let failed = chat.iter().any(|message| matches!(message, ChatMessage::Failed(_)));
    let stopped = chat.iter().any(|message| matches!(message, ChatMessage::Stopped(_)));
    // A session of a newer program cannot be looked at; the chat has said so.
    let waiting = opened.conversations.session(id).await.map(|stored| stored.waiting_for).unwrap_or_default();
    let status = match waiting {
        _ if opened.models.ledger.refusal().is_some() => ExitStatus::BudgetSpent,
        _ if failed => ExitStatus::Failed,
        _ if stopped => ExitStatus::Interrupted,
        Waiting::None => ExitStatus::Done,
        _ => ExitStatus::Waiting,
    };
    if status == ExitStatus::BudgetSpent {
        let line = format!("pocketflow say {id} retry --budget LIMITS");
        let calls = opened.models.ledger.spent().calls;
        progress.warn(format!(
            "the budget is spent after {calls} calls; the conversation is saved, go on with a larger one: {line}"
        ));
    }
    let text = if texts.is_empty() { "There is nothing to go on with.".to_owned() } else { texts.join("\n\n") };
    let question = streams.question().cloned();
    let value = json!({ "thread": id, "chat": texts, "waiting_for": waiting, "question": question });
    Ok(TurnResult { text, status, value, question })
}

/// Prints what a turn came to, and notes that it was delivered when it was.
async fn deliver(setup: &Setup, said: TurnResult, opened: &Opened, id: &str) -> Result<ExitStatus, Failure> {
    let progress = &setup.session.progress;
    match said.status {
        ExitStatus::Waiting => waits(setup, id, said.question.as_ref()),
        ExitStatus::Interrupted => progress.note(format!("`{id}` is stopped; go on with: {}", go_on_line(setup, id))),
        _ => {}
    }
    let mut value = said.value;
    value["spent"] = serde_json::to_value(opened.models.ledger.spent())?;
    progress.result(said.status, &said.text, &value)?;
    if let Some(question) = said.question.filter(|_| progress.was_read()) {
        opened.conversations.delivered(id, &question).await?;
    }
    Ok(said.status)
}

/// Says how to go on without a terminal.
pub(crate) fn waits(setup: &Setup, id: &str, question: Option<&Question>) {
    let key = question.map_or("message", |question| &question.id);
    let line = go_on_line(setup, id);
    setup.session.progress.note(format!("`{id}` waits for you; go on with: {line} --answer '{key}=\"…\"'"));
}

/// The command that goes on with a conversation as it was gone on with.
fn go_on_line(setup: &Setup, id: &str) -> String {
    let work = &setup.work;
    let mut line = setup.session.same_again_line(id, &work.run, &work.sources);
    if let Some(folder) = &work.prompts.prompts {
        line.push_str(&format!(" --prompts {}", quoted(&folder.display().to_string())));
    }
    line
}
