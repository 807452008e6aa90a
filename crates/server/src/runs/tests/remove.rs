//! Threads that are deleted while their process dies.

use super::*;
use crate::records::{CronCreate, ThreadSearch};
use crate::runs::testing::Machine;

async fn thread_with_everything(machine: &Machine) -> Uuid {
    let manager = machine.process().await;
    let thread = manager.records().threads.create(ThreadCreate::default()).await.unwrap().thread_id;
    let fixture = Fixture { manager, thread };
    fixture.run("pipeline", json!({"input": {"topic": "x"}})).await;
    fixture.run("pipeline", json!({"input": {"topic": "y"}})).await;
    while fixture.manager.is_busy(thread).await.unwrap() {
        tokio::task::yield_now().await;
    }
    let cron = CronCreate {
        assistant_id: system_assistant_id("pipeline"),
        thread_id: Some(thread),
        schedule: "0 0 1 1 *".to_owned(),
        ..CronCreate::default()
    };
    fixture.manager.records().crons.create(cron).await.unwrap();
    machine.put_documents(thread).await;
    thread
}

#[tokio::test]
async fn a_deletion_that_is_cut_anywhere_is_finished_or_was_not_begun() {
    for writes in 0.. {
        let machine = Machine::default();
        let thread = thread_with_everything(&machine).await;
        let before = machine.left_of(thread).await;
        assert!(before.len() > 6, "{before:?}");

        let (manager, process) = machine.dying(writes).await;
        let deleted = manager.delete_thread(thread).await;
        assert_eq!(deleted.is_err(), process.is_dead());
        let is_seen = manager.records().threads.get(thread).await.is_ok();
        assert_eq!(is_seen, writes == 0, "what has begun is gone for clients");
        let same = ThreadCreate { thread_id: Some(thread), ..ThreadCreate::default() };
        if deleted.is_err() {
            assert!(manager.records().threads.create(same.clone()).await.is_err(), "no thread inherits what is left");
        }
        drop(manager);

        let next = machine.process().await;
        if is_seen {
            assert_eq!(machine.left_of(thread).await, before, "nothing is gone");
        } else {
            assert_eq!(machine.left_of(thread).await, Vec::<String>::new(), "after {writes} writes");
            assert_eq!(next.records().threads.count(&ThreadSearch::default()).await.unwrap(), 0);
            next.records().threads.create(same).await.unwrap();
        }
        if !process.is_dead() {
            assert!(writes > 6, "{writes} writes are enough");
            return;
        }
    }
}

#[tokio::test]
async fn a_deletion_that_failed_is_finished_when_it_is_asked_for_again() {
    let machine = Machine::default();
    let thread = thread_with_everything(&machine).await;
    let manager = machine.process().await;
    let (failing, _) = machine.dying(3).await;
    failing.delete_thread(thread).await.unwrap_err();
    assert!(machine.left_of(thread).await.len() > 3);
    manager.delete_thread(thread).await.unwrap();
    assert_eq!(machine.left_of(thread).await, Vec::<String>::new());
    assert!(matches!(manager.delete_thread(thread).await, Err(Refusal::NotFound(_))));
}

#[tokio::test]
async fn a_client_that_goes_away_does_not_cut_a_deletion() {
    let machine = Machine::default();
    let thread = thread_with_everything(&machine).await;
    let manager = machine.process().await;
    let mut request = Box::pin(manager.delete_thread(thread));
    assert!(futures::poll!(&mut request).is_pending());
    drop(request);
    while !machine.left_of(thread).await.is_empty() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_run_without_a_thread_is_run_and_leaves_nothing_wherever_its_process_dies() {
    for writes in 0.. {
        let machine = Machine::default();
        let (manager, process) = machine.dying(writes).await;
        let order = new_run("pipeline", json!({"input": {"topic": "x"}}));
        let thread = Uuid::now_v7();
        let new = NewRun { temporary: Some(Completion::Delete), ..order };
        let accepted = manager.submit(thread, new).await.is_ok();
        while manager.is_busy(thread).await.unwrap() {
            tokio::task::yield_now().await;
        }
        drop(manager);

        let next = machine.process().await;
        while next.is_busy(thread).await.unwrap() {
            tokio::task::yield_now().await;
        }
        let (log, rest): (Vec<_>, Vec<_>) =
            machine.left_of(thread).await.into_iter().partition(|item| item.contains("/log/"));
        // An entry whose run is not there is taken away an hour later.
        let rest: Vec<_> = rest.into_iter().filter(|item| !item.contains("/unfinished_runs")).collect();
        assert_eq!(rest, Vec::<String>::new(), "after {writes} writes");
        let ends = log.iter().map(|segment| segment.matches("run_ended").count()).sum::<usize>();
        assert_eq!(ends, usize::from(accepted), "what is accepted is run, after {writes} writes: {log:?}");
        if !process.is_dead() {
            assert!(writes > 5, "{writes} writes are enough");
            return;
        }
    }
}
