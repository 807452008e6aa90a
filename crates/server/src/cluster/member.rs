//! This process as a member.
//!
//! 1. A member is an item that it writes anew with every heartbeat. Others remove the item when it stood still for the time of
//!    a lease by their own watch.
//! 2. A heartbeat is put only where the item still is. So a member that put one knows that nobody removes it before the time of a
//!    lease has passed since then: so long it holds what it holds without asking.
//! 3. A member that finds its item gone has lost everything it held, and goes on as a new member.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use dashmap::DashMap;
use graphloom_core_graph::store::{Comparison, Condition, Expected, Namespace, PutOptions, Query, Store, StoreError};
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};
use uuid::Uuid;

use super::peers::Peers;
use super::settings::Cluster;
use super::signals::News;
use crate::records::RESERVED;

/// This process as a member.
pub(crate) struct Member {
    pub(super) store: Arc<dyn Store>,
    pub(super) settings: Cluster,
    pub(super) peers: Peers,
    /// The graphs that this process serves.
    graphs: Vec<String>,
    standing: watch::Sender<Standing>,
    beats: Mutex<u64>,
    /// Told when there may be letters.
    pub(super) mail: Notify,
    /// Told when threads may be free that somebody has to take up.
    pub(super) left: Notify,
    /// Letters whose answers are awaited.
    pub(super) letters: DashMap<Uuid, Arc<Notify>>,
}

/// How this process stands.
#[derive(Clone, Copy, Debug)]
struct Standing {
    id: Uuid,
    /// Until when nobody takes over what it holds.
    until: Instant,
    has_left: bool,
}

/// What came of a heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beat {
    Fine,
    /// The member was removed meanwhile: what it held is lost.
    Lost,
}

/// The namespace of items of a kind.
pub(super) fn place(kind: &[&str]) -> Namespace {
    Namespace::new([RESERVED, "cluster"].into_iter().chain(kind.iter().copied())).unwrap_or_else(|_| Namespace::root())
}

/// How an item is put that says that it is removed: it has no time to live. By a clock that is behind it is seen for a while, so
/// that its value must say so as well.
pub(super) fn removed() -> PutOptions {
    PutOptions::ttl(Duration::ZERO)
}

/// The members as they are stored.
pub(super) async fn rows(store: &dyn Store) -> Result<BTreeMap<Uuid, Value>, StoreError> {
    let items = store.query(&Query::below(place(&["members"])).limit(usize::MAX)).await?;
    let are_there = items.into_iter().filter(|item| item.value["beat"].is_u64());
    Ok(are_there.filter_map(|item| Some((Uuid::parse_str(&item.key).ok()?, item.value))).collect())
}

impl Member {
    /// Joins the other processes of a store, as one that serves these graphs.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn join(
        store: &Arc<dyn Store>,
        settings: Cluster,
        graphs: Vec<String>,
    ) -> Result<Arc<Self>, StoreError> {
        let standing = Standing { id: Uuid::nil(), until: Instant::now(), has_left: false };
        let member = Arc::new(Self {
            store: Arc::clone(store),
            settings,
            peers: Peers::default(),
            graphs,
            standing: watch::Sender::new(standing),
            beats: Mutex::new(0),
            mail: Notify::new(),
            left: Notify::new(),
            letters: DashMap::new(),
        });
        member.enter().await?;
        Ok(member)
    }

    /// Becomes a new member.
    async fn enter(&self) -> Result<(), StoreError> {
        let (id, began) = (Uuid::now_v7(), Instant::now());
        self.store.put(&place(&["members"]), &id.to_string(), self.row(0), PutOptions::default()).await?;
        self.peers.is(id);
        self.stand(id, began);
        Ok(())
    }

    /// This process as it is stored, with a heartbeat.
    fn row(&self, beat: u64) -> Value {
        json!({ "beat": beat, "process": std::process::id(), "graphs": self.graphs })
    }

    fn stand(&self, id: Uuid, began: Instant) {
        // Clocks may run at slightly different rates.
        let until = began + self.settings.lease * 9 / 10;
        self.standing.send_modify(|standing| (standing.id, standing.until) = (id, until));
    }

    /// The id of the member that this process is now.
    pub(crate) fn id(&self) -> Uuid {
        self.standing.borrow().id
    }

    /// Whether this process is still this member, and nobody takes over now what it holds.
    pub(crate) fn is_sure(&self, id: Uuid) -> bool {
        let standing = self.standing.borrow();
        standing.id == id && Instant::now() < standing.until
    }

    /// Waits until it is sure that this process is still this member, or that it is not, and tells which.
    pub(crate) async fn is_still(&self, id: Uuid) -> bool {
        let mut standing = self.standing.subscribe();
        let is_known = |now: &Standing| now.id != id || now.has_left || Instant::now() < now.until;
        let found = standing.wait_for(is_known).await;
        found.is_ok_and(|now| now.id == id && Instant::now() < now.until)
    }

    /// How often is looked for what a signal would have told.
    pub(crate) fn look(&self) -> Duration {
        self.settings.look()
    }

    /// Between two heartbeats.
    pub(crate) fn interval(&self) -> Duration {
        self.settings.beat
    }

    /// Tells that this process lives, and looks who else does. Those that are silent are removed.
    ///
    /// # Errors
    /// The store's; the next heartbeat tries again.
    pub(crate) async fn beat(&self) -> Result<Beat, StoreError> {
        let (members, id, began) = (place(&["members"]), self.id(), Instant::now());
        let beat = {
            let mut beats = self.beats.lock().unwrap_or_else(PoisonError::into_inner);
            *beats += 1;
            *beats
        };
        // Whatever heartbeat is there: that of one whose answer was lost, for example.
        let there = Expected::Holds(Condition::new("beat", Comparison::Gte, 0));
        let (key, value) = (id.to_string(), self.row(beat));
        let is_there = self.store.put_if(&members, &key, value, PutOptions::default(), &there).await?;
        if is_there {
            self.stand(id, began);
        } else {
            self.enter().await?;
        }
        self.look_around().await?;
        Ok(if is_there { Beat::Fine } else { Beat::Lost })
    }

    async fn look_around(&self) -> Result<(), StoreError> {
        let (now, members) = (Instant::now(), self.members().await?);
        let look = self.peers.look(&members, now, self.settings.beat, self.settings.lease);
        let mut are_fewer = look.are_fewer;
        for (id, beat) in look.silent {
            let stands = Expected::Holds(Condition::new("beat", Comparison::Eq, beat));
            if self.store.put_if(&place(&["members"]), &id.to_string(), json!({}), removed(), &stands).await? {
                tracing::warn!(member = %id, "a process is silent: what it did is taken over");
                self.peers.forget(id);
                are_fewer = true;
            }
        }
        if are_fewer {
            self.left.notify_one();
        }
        Ok(())
    }

    /// All members, with their heartbeats.
    pub(super) async fn members(&self) -> Result<BTreeMap<Uuid, u64>, StoreError> {
        let rows = rows(&*self.store).await?;
        Ok(rows.into_iter().filter_map(|(id, row)| Some((id, row["beat"].as_u64()?))).collect())
    }

    /// Whether somebody is a member.
    pub(crate) async fn is_member(&self, id: Uuid) -> Result<bool, StoreError> {
        let there = self.store.get(&place(&["members"]), &id.to_string()).await?;
        Ok(there.is_some_and(|item| item.value["beat"].is_u64()))
    }

    /// Whether others share the stores now.
    pub(crate) fn has_others(&self) -> bool {
        self.peers.has_others()
    }

    /// Whether this process does what one of all does from time to time. When processes come and go two may do it, or none
    /// for a moment.
    pub(crate) fn is_eldest(&self) -> bool {
        self.peers.is_eldest()
    }

    /// Leaves the others: what this process still holds is free.
    pub(crate) async fn leave(&self) {
        let id = self.id();
        self.standing.send_modify(|standing| standing.has_left = true);
        if let Err(error) = self.store.delete(&place(&["members"]), &id.to_string()).await {
            tracing::warn!(%error, "the end of this process is not told; the others find it out");
        }
        self.tell(News::Left);
    }

    /// Returns when this process has left the others.
    pub(crate) async fn has_left(&self) {
        drop(self.standing.subscribe().wait_for(|standing| standing.has_left).await);
    }

    /// Takes up what was told, as far as it is about members.
    pub(crate) fn hear(&self, news: News) {
        match news {
            News::Mail { member } if member == self.id() => self.mail.notify_one(),
            News::Reply { letter } => {
                if let Some(waits) = self.letters.get(&letter) {
                    waits.notify_one();
                }
            }
            News::Left => self.left.notify_one(),
            News::Missed => {
                self.mail.notify_one();
                self.left.notify_one();
                self.letters.iter().for_each(|waits| waits.notify_one());
            }
            News::Mail { .. } | News::Log { .. } | News::Deleted { .. } | News::Changed { .. } => {}
        }
    }

    /// Returns when threads may be free that somebody has to take up: when somebody said so or is gone, and from time to time.
    pub(crate) async fn until_left(&self) {
        // What was neither told nor seen has no hurry.
        drop(tokio::time::timeout(self.settings.beat * 10, self.left.notified()).await);
    }
}
