//! A thread is held by one member at a time.
//!
//! A claim is an item of the thread with the id of the member that holds it and a mark that no other claim has. Where the member
//! is none any more, or left the thread, whoever puts a claim over that very mark holds the thread; runs may be there that did
//! not end. Where there is no claim, there are none.

use std::collections::BTreeMap;

use graphloom_core_graph::store::{Comparison, Condition, Expected, PutOptions, Query, Store, StoreError};
use serde_json::{Value, json};
use uuid::Uuid;

use super::member::{Member, place, removed};

/// That this process holds a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim {
    thread: Uuid,
    pub(crate) member: Uuid,
    mark: Uuid,
}

/// What comes of the wish to hold a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Claimed {
    /// This process holds it.
    Won {
        claim: Claim,
        /// Whether another one left it, perhaps with runs that did not end.
        was_left: bool,
    },
    /// Another one does.
    Held(Uuid),
}

/// Who holds a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    Nobody,
    Member(Uuid),
    /// A member that is gone, or left it.
    Left,
}

/// A claim as it is stored.
struct Stored {
    by: By,
    mark: String,
}

#[derive(Clone, Copy)]
enum By {
    Member(Uuid),
    /// It was left with its runs.
    Left,
    /// It was given back: as good as no claim.
    Nobody,
}

impl Stored {
    fn read(value: &Value) -> Self {
        let by = match value["member"].as_str().map(Uuid::parse_str) {
            Some(Ok(member)) => By::Member(member),
            _ if value["free"] == true => By::Nobody,
            _ => By::Left,
        };
        Self { by, mark: value["mark"].as_str().unwrap_or_default().to_owned() }
    }
}

fn over(mark: &str) -> Expected {
    Expected::Holds(Condition::new("mark", Comparison::Eq, mark))
}

impl Member {
    /// Holds a thread, if nobody else does.
    ///
    /// # Errors
    /// The store's. It may be held then: it is free for this process, and for others when this one is gone.
    pub(crate) async fn claim(&self, thread: Uuid) -> Result<Claimed, StoreError> {
        let (claims, key) = (place(&["claims"]), thread.to_string());
        loop {
            let claim = Claim { thread, member: self.id(), mark: Uuid::new_v4() };
            let value = json!({"member": claim.member, "mark": claim.mark});
            let put = async |expected: &Expected| {
                self.store.put_if(&claims, &key, value.clone(), PutOptions::default(), expected).await
            };
            if put(&Expected::Absent).await? {
                return Ok(Claimed::Won { claim, was_left: false });
            }
            let Some(there) = self.store.get(&claims, &key).await? else { continue };
            let stored = Stored::read(&there.value);
            let was_left = match stored.by {
                // One of this process that nobody here knows of was stored, and its answer lost.
                By::Member(member) if member != claim.member && self.is_member(member).await? => {
                    return Ok(Claimed::Held(member));
                }
                By::Member(_) | By::Left => true,
                By::Nobody => false,
            };
            if put(&over(&stored.mark)).await? {
                return Ok(Claimed::Won { claim, was_left });
            }
        }
    }

    /// Who holds a thread.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn holder(&self, thread: Uuid) -> Result<Holder, StoreError> {
        let Some(there) = self.store.get(&place(&["claims"]), &thread.to_string()).await? else {
            return Ok(Holder::Nobody);
        };
        Ok(match Stored::read(&there.value).by {
            By::Member(member) if self.is_member(member).await? => Holder::Member(member),
            By::Member(_) | By::Left => Holder::Left,
            By::Nobody => Holder::Nobody,
        })
    }

    /// Gives a thread back on which no run is left.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn release(&self, claim: &Claim) -> Result<(), StoreError> {
        self.replace(claim, json!({"mark": claim.mark, "free": true}), removed()).await
    }

    /// Leaves a thread with its runs to whoever takes them up.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn give_up(&self, claim: &Claim) -> Result<(), StoreError> {
        self.replace(claim, json!({"mark": claim.mark}), PutOptions::default()).await
    }

    /// Another one may hold the thread by now, whose claim stays.
    async fn replace(&self, claim: &Claim, value: Value, options: PutOptions) -> Result<(), StoreError> {
        let (claims, key) = (place(&["claims"]), claim.thread.to_string());
        self.store.put_if(&claims, &key, value, options, &over(&claim.mark.to_string())).await.map(drop)
    }

    /// All threads that have a claim, with who holds each.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn claims(&self) -> Result<Vec<(Uuid, Holder)>, StoreError> {
        let claims = stored(&*self.store).await?;
        // Read after the claims: whoever holds one was a member before.
        let members = self.members().await?;
        let holder = |by| match by {
            By::Member(member) if members.contains_key(&member) => Holder::Member(member),
            By::Member(_) | By::Left => Holder::Left,
            By::Nobody => Holder::Nobody,
        };
        Ok(claims.into_iter().map(|(thread, by)| (thread, holder(by))).collect())
    }
}

/// How many threads each member holds.
///
/// # Errors
/// The store's.
pub(super) async fn held(store: &dyn Store) -> Result<BTreeMap<Uuid, u64>, StoreError> {
    let mut held = BTreeMap::new();
    for (_, by) in stored(store).await? {
        if let By::Member(member) = by {
            *held.entry(member).or_default() += 1;
        }
    }
    Ok(held)
}

/// All claims, by their threads.
async fn stored(store: &dyn Store) -> Result<Vec<(Uuid, By)>, StoreError> {
    let items = store.query(&Query::below(place(&["claims"])).limit(usize::MAX)).await?;
    Ok(items.iter().filter_map(|item| Some((Uuid::parse_str(&item.key).ok()?, Stored::read(&item.value).by))).collect())
}
