//! One member asks another.
//!
//! A letter is an item in the mailbox of a member, and its answer an item under the letter's id. A letter is deleted before it is
//! looked at, so that it is looked at once. Where the member dies, the letter is not answered: whoever asked finds it gone, and asks
//! whoever holds the thread then.

use std::sync::Arc;
use std::time::{Duration, Instant};

use graphloom_core_graph::store::{PutOptions, Query, StoreError};
use serde_json::{Value, json};
use tokio::sync::Notify;
use uuid::Uuid;

use super::member::{Member, place};
use super::signals::News;

/// How long a letter and its answer are kept that nobody takes.
const KEPT: Duration = Duration::from_secs(120);

/// The first pause between two looks for an answer.
const FIRST_LOOK: Duration = Duration::from_millis(5);

/// A letter to this member.
#[derive(Clone, Debug)]
pub(crate) struct Letter {
    id: Uuid,
    pub(crate) request: Value,
}

/// What comes of a letter.
#[derive(Clone, Debug)]
pub(crate) enum Asked {
    Answered(Value),
    /// The other one is no member any more. It may have done what it was asked for.
    Gone,
    /// It did not answer in time, and may still do what it was asked for.
    Late,
}

impl Member {
    /// Asks another member, and waits for its answer.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn ask(&self, other: Uuid, request: Value, patience: Duration) -> Result<Asked, StoreError> {
        let (id, waits) = (Uuid::now_v7(), Arc::new(Notify::new()));
        self.letters.insert(id, Arc::clone(&waits));
        let answer = self.await_answer(id, other, request, &waits, patience).await;
        self.letters.remove(&id);
        answer
    }

    async fn await_answer(
        &self,
        id: Uuid,
        other: Uuid,
        request: Value,
        waits: &Notify,
        patience: Duration,
    ) -> Result<Asked, StoreError> {
        let (mailbox, answers, key) = (place(&["mail", &other.to_string()]), place(&["answers"]), id.to_string());
        self.store.put(&mailbox, &key, request, PutOptions::ttl(KEPT)).await?;
        self.tell(News::Mail { member: other });
        let (asked, mut pause) = (Instant::now(), FIRST_LOOK);
        loop {
            drop(tokio::time::timeout(pause, waits.notified()).await);
            pause = (pause * 2).min(self.settings.look());
            // Before the answer is looked for: one that is gone answers no more after that.
            let is_there = self.is_member(other).await?;
            if let Some(answer) = self.store.get(&answers, &key).await? {
                self.store.delete(&answers, &key).await?;
                return Ok(Asked::Answered(answer.value["answer"].clone()));
            }
            if !is_there || asked.elapsed() > patience {
                self.store.delete(&mailbox, &key).await?;
                return Ok(if is_there { Asked::Late } else { Asked::Gone });
            }
        }
    }

    /// Waits for letters, and takes them.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn letters(&self) -> Result<Vec<Letter>, StoreError> {
        drop(tokio::time::timeout(self.settings.look(), self.mail.notified()).await);
        let mailbox = place(&["mail", &self.id().to_string()]);
        let mut letters = Vec::new();
        for item in self.store.query(&Query::below(mailbox).limit(usize::MAX)).await? {
            let Ok(id) = Uuid::parse_str(&item.key) else { continue };
            if self.store.delete(&item.namespace, &item.key).await? {
                letters.push(Letter { id, request: item.value });
            }
        }
        Ok(letters)
    }

    /// Answers a letter.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn answer(&self, letter: &Letter, answer: Value) -> Result<(), StoreError> {
        let (key, value) = (letter.id.to_string(), json!({ "answer": answer }));
        self.store.put(&place(&["answers"]), &key, value, PutOptions::ttl(KEPT)).await?;
        self.tell(News::Reply { letter: letter.id });
        Ok(())
    }
}
