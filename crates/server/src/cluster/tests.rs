//! Members over one store.

use std::sync::Arc;
use std::time::Duration;

use graphloom_core_graph::store::{MemoryStore, Store};
use serde_json::json;

use super::member::Beat;
use super::*;

const BEAT: Duration = Duration::from_millis(20);
const LEASE: Duration = Duration::from_millis(100);

struct Machine {
    store: Arc<dyn Store>,
}

impl Machine {
    fn new() -> Self {
        Self { store: Arc::new(MemoryStore::new()) }
    }

    async fn member(&self) -> Arc<Member> {
        Member::join(&self.store, Cluster::new().heartbeat(BEAT, LEASE), vec!["trip".to_owned()]).await.unwrap()
    }
}

fn won(claimed: Claimed) -> (Claim, bool) {
    match claimed {
        Claimed::Won { claim, was_left } => (claim, was_left),
        Claimed::Held(by) => panic!("held by {by}"),
    }
}

/// Lets a member beat until another one is gone.
async fn until_gone(member: &Member, other: uuid::Uuid) {
    let silent = tokio::time::Instant::now();
    while member.is_member(other).await.unwrap() {
        member.beat().await.unwrap();
        tokio::time::sleep(BEAT / 2).await;
    }
    assert!(silent.elapsed() >= LEASE, "it was removed after {:?}", silent.elapsed());
}

/// Whether a member that beats is sure that it is still this one.
async fn is_still(member: &Member, id: uuid::Uuid) -> bool {
    let beats = async {
        loop {
            member.beat().await.unwrap();
            tokio::time::sleep(BEAT).await;
        }
    };
    tokio::select! {
        () = beats => unreachable!(),
        is_still = member.is_still(id) => is_still,
    }
}

#[tokio::test]
async fn a_thread_is_held_by_one_member_until_it_is_given_back() {
    let machine = Machine::new();
    let (one, two, thread) = (machine.member().await, machine.member().await, uuid::Uuid::now_v7());
    assert_eq!(one.holder(thread).await.unwrap(), Holder::Nobody);
    let (claim, was_left) = won(one.claim(thread).await.unwrap());
    assert!(!was_left);
    assert!(matches!(two.claim(thread).await.unwrap(), Claimed::Held(by) if by == one.id()));
    assert_eq!(two.holder(thread).await.unwrap(), Holder::Member(one.id()));
    assert_eq!(two.claims().await.unwrap(), [(thread, Holder::Member(one.id()))]);

    one.release(&claim).await.unwrap();
    assert_eq!(two.holder(thread).await.unwrap(), Holder::Nobody);
    let (next, was_left) = won(two.claim(thread).await.unwrap());
    assert!(!was_left, "what was given back has no runs");
    // A claim that is over changes nothing.
    one.release(&claim).await.unwrap();
    one.give_up(&claim).await.unwrap();
    assert_eq!(one.holder(thread).await.unwrap(), Holder::Member(two.id()));

    two.give_up(&next).await.unwrap();
    assert_eq!(one.claims().await.unwrap(), [(thread, Holder::Left)]);
    assert!(won(one.claim(thread).await.unwrap()).1, "what was left may have runs");
}

#[tokio::test]
async fn of_many_who_claim_a_thread_at_once_one_wins() {
    let machine = Machine::new();
    let mut members = Vec::new();
    for _ in 0..8 {
        members.push(machine.member().await);
    }
    for _ in 0..20 {
        let thread = uuid::Uuid::now_v7();
        let claims = futures::future::join_all(members.iter().map(|member| member.claim(thread))).await;
        let winners: Vec<_> = claims
            .into_iter()
            .filter_map(|claim| match claim.unwrap() {
                Claimed::Won { claim, .. } => Some(claim),
                Claimed::Held(_) => None,
            })
            .collect();
        let [winner] = winners.as_slice() else { panic!("{winners:?}") };
        assert_eq!(members[0].holder(thread).await.unwrap(), Holder::Member(winner.member));
    }
}

#[tokio::test]
async fn a_member_that_is_silent_for_a_lease_loses_what_it_held_and_finds_that_out() {
    let machine = Machine::new();
    let (one, two, thread) = (machine.member().await, machine.member().await, uuid::Uuid::now_v7());
    let (claim, _) = won(one.claim(thread).await.unwrap());
    assert!(is_still(&one, claim.member).await);
    until_gone(&two, claim.member).await;
    assert!(!one.is_sure(claim.member), "it had its lease while another one ended it");
    assert_eq!(two.holder(thread).await.unwrap(), Holder::Left);
    assert!(won(two.claim(thread).await.unwrap()).1);

    assert_eq!(one.beat().await.unwrap(), Beat::Lost);
    assert!(!one.is_still(claim.member).await);
    assert!(one.id() != claim.member && is_still(&one, one.id()).await, "it is a new member");
    assert!(matches!(one.claim(thread).await.unwrap(), Claimed::Held(by) if by == two.id()));
    assert_eq!(one.beat().await.unwrap(), Beat::Fine);
}

#[tokio::test]
async fn one_that_beats_stays_and_one_that_leaves_is_gone_at_once() {
    let machine = Machine::new();
    let (one, two, thread) = (machine.member().await, machine.member().await, uuid::Uuid::now_v7());
    one.claim(thread).await.unwrap();
    let began = tokio::time::Instant::now();
    while began.elapsed() < LEASE * 3 {
        assert_eq!((one.beat().await.unwrap(), two.beat().await.unwrap()), (Beat::Fine, Beat::Fine));
        tokio::time::sleep(BEAT).await;
    }
    assert!(one.is_eldest() && !two.is_eldest());
    one.leave().await;
    one.has_left().await;
    assert_eq!(two.holder(thread).await.unwrap(), Holder::Left);
    two.beat().await.unwrap();
    assert!(two.is_eldest());
    assert!(futures::poll!(Box::pin(two.until_left())).is_ready(), "it is told that threads may be free");
}

#[tokio::test]
async fn a_letter_is_answered_once_and_one_to_the_dead_is_not() {
    let machine = Machine::new();
    let (one, two) = (machine.member().await, machine.member().await);
    let (asks, other) = (Arc::clone(&one), two.id());
    let patience = Duration::from_secs(3600);
    let asked = tokio::spawn(async move { asks.ask(other, json!({"add": [1, 2]}), patience).await.unwrap() });
    let letters = loop {
        let letters = two.letters().await.unwrap();
        if !letters.is_empty() {
            break letters;
        }
    };
    let [letter] = letters.as_slice() else { panic!("{letters:?}") };
    assert_eq!(letter.request, json!({"add": [1, 2]}));
    assert!(two.letters().await.unwrap().is_empty(), "it is taken once");
    two.answer(letter, json!(3)).await.unwrap();
    assert!(matches!(asked.await.unwrap(), Asked::Answered(answer) if answer == 3));

    let late = one.ask(other, json!({}), Duration::ZERO).await.unwrap();
    assert!(matches!(late, Asked::Late), "{late:?}");
    two.leave().await;
    let gone = one.ask(other, json!({}), patience).await.unwrap();
    assert!(matches!(gone, Asked::Gone), "{gone:?}");
}

#[tokio::test]
async fn somebody_who_is_no_member_sees_who_is_there_and_who_is_silent() {
    let machine = Machine::new();
    let settings = Cluster::new().heartbeat(BEAT, LEASE);
    assert_eq!(settings.servers(&*machine.store).await.unwrap(), []);
    let (silent, beating) = (machine.member().await, machine.member().await);
    for _ in 0..2 {
        won(beating.claim(uuid::Uuid::now_v7()).await.unwrap());
    }
    won(silent.claim(uuid::Uuid::now_v7()).await.unwrap());
    let beats = async {
        loop {
            // It looks at nobody: a member that is removed is not seen.
            let row = json!({ "beat": uuid::Uuid::now_v7().as_u128() as u64, "process": 7, "graphs": ["trip"] });
            machine
                .store
                .put(&member::place(&["members"]), &beating.id().to_string(), row, Default::default())
                .await
                .unwrap();
            tokio::time::sleep(BEAT / 4).await;
        }
    };
    // It looks before the first heartbeat, and again after it.
    let seen = tokio::select! {
        biased;
        seen = settings.servers(&*machine.store) => seen.unwrap(),
        () = beats => unreachable!(),
    };
    let seen: Vec<_> = seen.iter().map(|one| (one.id, one.threads, one.is_heard, one.graphs.clone())).collect();
    let graphs = vec!["trip".to_owned()];
    assert_eq!(seen, [(silent.id(), 1, false, graphs.clone()), (beating.id(), 2, true, graphs)]);
}
