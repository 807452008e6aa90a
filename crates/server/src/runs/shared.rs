//! What a process does all the time that shares its store with others.

use std::sync::{Arc, PoisonError, Weak};
use std::time::Duration;

use futures::StreamExt;

use crate::changes::Kind;
use crate::cluster::{Beat, Member, News};
use crate::refusal::Refusal;
use crate::runs::{Inner, RunManager};

/// How long changes of records are gathered before the others are told of them.
const TOLD_TOGETHER: Duration = Duration::from_millis(100);

impl RunManager {
    /// Starts it. It ends when the process leaves the others, or the manager is dropped.
    pub(crate) fn share(&self) {
        let Some(member) = &self.inner.member else { return };
        let mut tasks = self.inner.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let inner = || (Arc::downgrade(&self.inner), Arc::clone(member));
        let mut spawn = |task: futures::future::BoxFuture<'static, ()>| {
            let member = Arc::clone(member);
            tasks.spawn(async move {
                tokio::select! {
                    () = task => {}
                    () = member.has_left() => {}
                }
            });
        };
        let (weak, member) = inner();
        spawn(Box::pin(beat(weak, member)));
        let (weak, member) = inner();
        spawn(Box::pin(hear(weak, member)));
        let (weak, member) = inner();
        spawn(Box::pin(reply(weak, member)));
        let (weak, member) = inner();
        spawn(Box::pin(look_at_stores(weak, member)));
        let (weak, member) = inner();
        spawn(Box::pin(tell_changes(weak, member)));
        let (weak, member) = inner();
        spawn(Box::pin(take_up(weak, member)));
    }
}

/// Tells that the process lives. Where another one thought it dead, all that it had is lost.
async fn beat(inner: Weak<Inner>, member: Arc<Member>) {
    let mut ticks = tokio::time::interval(member.interval());
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        // A store that does not answer is asked again: the others wait for a heartbeat.
        let beaten = tokio::time::timeout(member.interval() * 2, member.beat()).await;
        match beaten {
            Ok(Ok(Beat::Fine)) => {}
            Ok(Ok(Beat::Lost)) => {
                tracing::warn!("this process was silent for too long: others have taken over what it did");
                let Some(inner) = inner.upgrade() else { return };
                // Beside the heartbeats: some of it may be in the middle of something.
                tokio::spawn(async move { inner.lose_all().await });
            }
            Ok(Err(error)) => tracing::warn!(%error, "a heartbeat did not reach the store"),
            Err(_) => tracing::warn!("a heartbeat did not reach the store in time"),
        }
    }
}

/// Takes up what other processes tell.
async fn hear(inner: Weak<Inner>, member: Arc<Member>) {
    let mut news = member.news();
    while let Some(one) = news.next().await {
        let Some(inner) = inner.upgrade() else { return };
        member.hear(one);
        inner.logs.hear(one);
        match one {
            News::Changed { member: who, kind } if who != member.id() => inner.stores.changes.hear(kind),
            News::Missed => {
                Kind::ALL.into_iter().for_each(|kind| inner.stores.changes.hear(kind));
                drop(inner.logs.look().await);
            }
            _ => {}
        }
    }
}

/// Does what other processes ask for.
async fn reply(inner: Weak<Inner>, member: Arc<Member>) {
    loop {
        match member.letters().await {
            Ok(letters) => {
                for letter in letters {
                    let Some(inner) = inner.upgrade() else { return };
                    tokio::spawn(inner.reply(Arc::clone(&member), letter));
                }
            }
            Err(error) => {
                tracing::warn!(%error, "letters of other processes cannot be read");
                tokio::time::sleep(member.interval()).await;
            }
        }
    }
}

/// Tells the others which records this process changed.
async fn tell_changes(inner: Weak<Inner>, member: Arc<Member>) {
    let Some(mut listener) = inner.upgrade().map(|inner| inner.stores.changes.listen()) else { return };
    while let Some(kinds) = listener.changed_here().await {
        for kind in kinds {
            member.tell(News::Changed { member: member.id(), kind });
        }
        // What changes meanwhile is told together.
        tokio::time::sleep(TOLD_TOGETHER).await;
    }
}

/// Looks what others have told that no signal told of.
async fn look_at_stores(inner: Weak<Inner>, member: Arc<Member>) {
    loop {
        tokio::time::sleep(member.look()).await;
        let Some(inner) = inner.upgrade() else { return };
        if let Err(error) = inner.logs.look().await {
            tracing::warn!(%error, "logs cannot be looked at");
        }
        // Without signals any record may have been changed.
        if !member.is_told() && member.has_others() {
            Kind::ALL.into_iter().for_each(|kind| inner.stores.changes.hear(kind));
        }
    }
}

/// Takes up what others left.
async fn take_up(inner: Weak<Inner>, member: Arc<Member>) {
    loop {
        member.until_left().await;
        let Some(inner) = inner.upgrade() else { return };
        let taken: Result<(), Refusal> = async {
            inner.take_up_left(&member).await?;
            Ok(inner.webhooks.take_up(&member, &[]).await?)
        }
        .await;
        if let Err(error) = taken {
            tracing::error!(%error, "what other processes left cannot be taken up");
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

impl Inner {
    /// Gives up all that this process had.
    async fn lose_all(self: &Arc<Self>) {
        let threads: Vec<_> = self.queues.iter().map(|queue| Arc::clone(&queue)).collect();
        for queue in threads {
            let Some(locked) = queue.lock().await else { continue };
            // One that was opened since is not lost.
            if !locked.queue.is_held(self).await {
                locked.lose(self);
            }
        }
    }
}
