//! Commands that talk.

use graphloom_cli::{AnswerArgs, ExitStatus, Failure, Session, quoted};
use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_pocketflow::session::{Question, Waiting};
use graphloom_pocketflow::{ChatMessage, TurnEvent, TurnStreams};
use serde_json::{Value, json};

use crate::open::{Opened, checked_id, last_delivered, no_checkpoint, open, open_existing};
use crate::setup::Setup;
use crate::stop;

/// The result of a turn.
pub(crate) struct TurnResult {
    pub(crate) text: String,
    pub(crate) status: ExitStatus,
    pub(crate) value: Value,
    /// The question that the turn asks.
    pub(crate) question: Option<Question>,
}

impl TurnResult {
    /// A result that asks nothing.
    pub(crate) fn of(text: String, status: ExitStatus) -> Self {
        Self { text, status, value: Value::Null, question: None }
    }
}

/// Sends one message about the question that was last delivered.
pub(crate) async fn say(setup: &Setup, id: &str, message: &str) -> Result<ExitStatus, Failure> {
    // Read first: a question that is delivered from now on is not the one that the message is about.
    let about = last_delivered(setup, checked_id(id)?).await?;
    let opened = open(setup).await?;
    let streams = opened.conversations.say_about(id, message, about);
    let result = follow_turn(setup, &opened, id, streams).await?;
    deliver(setup, result, &opened, id).await
}

/// Finishes a turn that was cut off, or answers the open question.
pub(crate) async fn resume(setup: &Setup, id: &str, answers: &AnswerArgs) -> Result<ExitStatus, Failure> {
    let about = last_delivered(setup, checked_id(id)?).await?;
    let conversations = open_existing(&setup.session, id).await?;
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
        let (question, text) = conversations.open_question(id).await?;
        note_waiting(setup, id, Some(&question));
        let asked = json!([{ "key": "message", "id": question.id, "question": { "message": text } }]);
        progress.result(ExitStatus::Waiting, &text, &json!({ "thread": id, "questions": asked }))?;
        if progress.is_stdout_open() {
            conversations.record_delivery(id, &question).await?;
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
                let open = conversations.open_question(id).await?.0.id;
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
        None => opened.conversations.finish_turn(id),
    };
    let result = follow_turn(setup, &opened, id, streams).await?;
    deliver(setup, result, &opened, id).await
}

/// Runs everything after a checkpoint again.
pub(crate) async fn replay(setup: &Setup, id: &str, from: u64) -> Result<ExitStatus, Failure> {
    open_existing(&setup.session, checked_id(id)?).await?;
    let opened = open(setup).await?;
    opened.conversations.fork(id, from).await.map_err(no_checkpoint)?;
    let streams = opened.conversations.finish_turn(id);
    let result = follow_turn(setup, &opened, id, streams).await?;
    deliver(setup, result, &opened, id).await
}

/// Makes an older checkpoint the head and shows the question that is open there.
pub(crate) async fn fork(session: &Session, id: &str, at: u64) -> Result<ExitStatus, Failure> {
    let conversations = open_existing(session, checked_id(id)?).await?;
    conversations.fork(id, at).await.map_err(no_checkpoint)?;
    let (question, asked) = conversations.open_question(id).await?;
    let mut text = format!("`{id}` stands at checkpoint {at} again; `pocketflow say {id} …` goes on from there");
    if question.is_waiting() {
        text = format!("{text}\n\n{asked}");
    }
    let progress = &session.progress;
    progress.result(ExitStatus::Done, &text, &json!({ "thread": id, "at": at, "asked": asked }))?;
    if progress.is_stdout_open() {
        conversations.record_delivery(id, &question).await?;
    }
    Ok(ExitStatus::Done)
}

/// Follows a turn: thoughts are progress, chat is the result. Ctrl-C stops the turn, and so does another process that asks.
pub(crate) async fn follow_turn(
    setup: &Setup,
    opened: &Opened,
    id: &str,
    mut streams: TurnStreams,
) -> Result<TurnResult, Failure> {
    let progress = &setup.session.progress;
    let mut subscription = setup.session.interrupt.subscribe();
    let mut chat: Vec<ChatMessage> = Vec::new();
    let mut asked = std::pin::pin!(stop::when_asked(&opened.conversations, id));
    let mut stopping = false;
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
            _ = subscription.signal() => {
                progress.phase("stopping");
                opened.conversations.stop(id);
            }
            () = &mut asked, if !stopping => {
                stopping = true;
                progress.note("another process stops this turn");
                progress.phase("stopping");
            }
        }
    }
    drop(subscription);
    progress.clear();
    let texts: Vec<&str> = chat.iter().map(ChatMessage::text).collect();
    let failed = chat.iter().any(|message| matches!(message, ChatMessage::Failed(_)));
    let stopped = chat.iter().any(|message| matches!(message, ChatMessage::Stopped(_)));
    // A session of a newer program cannot be looked at; the chat has said so.
    let waiting = opened.conversations.session(id).await.map(|stored| stored.waiting_for).unwrap_or_default();
    let status = match waiting {
        _ if warn_of_spent_budget(setup, opened, id) => ExitStatus::BudgetSpent,
        _ if failed => ExitStatus::Failed,
        _ if stopped => ExitStatus::Interrupted,
        Waiting::None => ExitStatus::Done,
        _ => ExitStatus::Waiting,
    };
    let text = if texts.is_empty() { "There is nothing to go on with.".to_owned() } else { texts.join("\n\n") };
    let question = streams.question().cloned();
    let value = json!({ "thread": id, "chat": texts, "waiting_for": waiting, "question": question });
    Ok(TurnResult { text, status, value, question })
}

/// Whether the budget is spent; where it is, the person is told how to go on.
pub(crate) fn warn_of_spent_budget(setup: &Setup, opened: &Opened, id: &str) -> bool {
    let is_spent = opened.models.ledger.refusal().is_some();
    if is_spent {
        let line = format!("pocketflow say {id} retry --budget LIMITS");
        let calls = opened.models.ledger.spent().calls;
        setup.session.progress.warn(format!(
            "the budget is spent after {calls} calls; the conversation is saved, go on with a larger one: {line}"
        ));
    }
    is_spent
}

/// Prints the result of a turn, and records its question as delivered when stdout took the text.
async fn deliver(setup: &Setup, result: TurnResult, opened: &Opened, id: &str) -> Result<ExitStatus, Failure> {
    let progress = &setup.session.progress;
    match result.status {
        ExitStatus::Waiting => note_waiting(setup, id, result.question.as_ref()),
        ExitStatus::Interrupted => progress.note(format!("`{id}` is stopped; go on with: {}", go_on_line(setup, id))),
        _ => {}
    }
    let mut value = result.value;
    value["spent"] = serde_json::to_value(opened.models.ledger.spent())?;
    progress.result(result.status, &result.text, &value)?;
    if let Some(question) = result.question.filter(|_| progress.is_stdout_open()) {
        opened.conversations.record_delivery(id, &question).await?;
    }
    Ok(result.status)
}

/// Notes that the conversation waits, and the command that answers it without a terminal.
pub(crate) fn note_waiting(setup: &Setup, id: &str, question: Option<&Question>) {
    let key = question.map_or("message", |question| &question.id);
    let line = go_on_line(setup, id);
    setup.session.progress.note(format!("`{id}` waits for you; go on with: {line} --answer '{key}=\"…\"'"));
}

/// The command that resumes the conversation with the same options.
fn go_on_line(setup: &Setup, id: &str) -> String {
    let work = &setup.work;
    let mut line = setup.session.resume_line_with_options(id, &work.run, &work.sources);
    if let Some(folder) = &work.prompts.prompts {
        line.push_str(&format!(" --prompts {}", quoted(&folder.display().to_string())));
    }
    line
}
