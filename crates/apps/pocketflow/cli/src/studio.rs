//! `chat --studio`: the conversation is held in the studio, and what is said there is told here.

use std::convert::Infallible;
use std::future::pending;
use std::pin::pin;

use futures::future::{Either, select};
use graphloom_cli::{ExitStatus, Failure, FollowedRun, Studio, StudioArgs, follow};
use graphloom_core_graph::RunPolicy;
use graphloom_pocketflow::session::{Question, Waiting};
use graphloom_pocketflow::{Conversation, TurnEnd, thought};
use serde_json::json;

use crate::open::{Opened, open};
use crate::setup::Setup;
use crate::stop;
use crate::talk::{note_waiting, warn_of_spent_budget};

/// Serves the conversation until the person at the terminal ends that with Ctrl-C.
pub(crate) async fn chat(setup: &Setup, id: &str, args: StudioArgs) -> Result<ExitStatus, Failure> {
    let opened = open(setup).await?;
    let (session, consent) = (&setup.session, &setup.work.run.models.consent);
    let threads = opened.conversations.threads();
    let mut studio = Studio::open(args, consent, session, threads, id, RunPolicy::default(), |server| server).await?;
    session.progress.note(format!("conversation `{id}`; it can be gone on with at any time"));
    let (mut said, mut question) = (Vec::new(), None);
    while let Some(run) = studio.said(session).await {
        let turn = follow_turn(setup, &opened, id, run).await;
        for text in &turn.chat {
            session.progress.event(&json!({ "v": 1, "event": "chat", "thread": id, "text": text }));
        }
        if !session.progress.is_json() {
            session.progress.tell(&turn.chat.join("\n\n"))?;
        }
        if let Some(asked) = turn.question {
            // The page shows what is asked as soon as it is.
            opened.conversations.record_delivery(id, &asked).await?;
            question = Some(asked);
        }
        said.extend(turn.chat);
    }
    studio.close().await;
    let waits = opened.conversations.session(id).await.is_ok_and(|stored| stored.waiting_for != Waiting::None);
    let status = match waits {
        _ if warn_of_spent_budget(setup, &opened, id) => ExitStatus::BudgetSpent,
        true => ExitStatus::Waiting,
        false => ExitStatus::Done,
    };
    if status == ExitStatus::Waiting {
        note_waiting(setup, id, question.as_ref());
    }
    let spent = opened.models.ledger.spent();
    session.progress.result(status, "", &json!({ "thread": id, "said": said, "spent": spent }))?;
    Ok(status)
}

/// What a turn says.
struct TurnMessages {
    chat: Vec<String>,
    question: Option<Question>,
}

/// Follows a turn that somebody began in the studio. One that fails is said to have failed, and the conversation goes on.
async fn follow_turn(setup: &Setup, opened: &Opened, id: &str, run: FollowedRun<Conversation>) -> TurnMessages {
    let progress = &setup.session.progress;
    let turn = follow(run, &setup.session.interrupt, progress, |event| {
        if let Some(thought) = thought(event) {
            progress.phase(thought);
        }
    });
    let stopped = async {
        stop::when_asked(&opened.conversations, id).await;
        progress.note("another process stops this turn");
        // The turn ends by it, and says how.
        pending::<Infallible>().await
    };
    let ended = match select(pin!(turn), pin!(stopped)).await {
        Either::Left((ended, _)) => ended,
        Either::Right((never, _)) => match never {},
    };
    progress.clear();
    match ended.as_ref().map(TurnEnd::of) {
        Ok(TurnEnd::Whole { chat, question }) => TurnMessages { chat, question },
        Ok(_) => TurnMessages { chat: vec![TurnEnd::STOPPED.to_owned()], question: None },
        Err(error) => {
            progress.warn(format!("this turn failed: {error}; say it again to try again"));
            TurnMessages { chat: Vec::new(), question: None }
        }
    }
}
