//! Senders, the subscriber and a stop against each other. The queue has room for one event here.

use shuttle::future::block_on;

use super::*;
use crate::event::EVENT_VERSION;
use crate::sync::{explore, spawn, thread};

fn event(step: u64) -> Event {
    let kind = EventKind::TaskStarted { node: String::new(), packet: None };
    Event { v: EVENT_VERSION, seq: None, ns: "".into(), step, task: None, attempt: 0, time: 0, kind }
}

fn queue(lag: Lag) -> Arc<Queue> {
    Arc::new(Queue::new(lag, vec![EventMode::Debug], Arc::default()))
}

/// Two threads send three events each, of steps 10, 11, 12 and 20, 21, 22.
fn senders(queue: &Arc<Queue>) -> Vec<thread::JoinHandle<()>> {
    let sender = |from: u64| {
        let queue = Arc::clone(queue);
        thread::spawn(move || (from..from + 3).for_each(|step| block_on(queue.send(event(step)))))
    };
    [10, 20].map(sender).into()
}

/// Reads to the end. Returns the steps of events, and how many the subscriber was told to have lost.
fn read(queue: &Queue) -> (Vec<u64>, u64) {
    let (mut steps, mut lost) = (Vec::new(), 0);
    while let Some(event) = block_on(queue.next()) {
        match event.kind {
            EventKind::Lagged { lost: more } => lost += more,
            _ => steps.push(event.step),
        }
    }
    (steps, lost)
}

/// Events of one sender stay in their order.
fn in_order(steps: &[u64]) -> bool {
    [1, 2].into_iter().all(|sender| {
        let own = steps.iter().filter(|step| **step / 10 == sender);
        own.is_sorted_by(|one, next| one < next)
    })
}

#[test]
fn every_event_reaches_who_keeps_reading() {
    for lag in [Lag::Block, Lag::DropOldest] {
        explore(2000, move || {
            let queue = queue(lag);
            let reading = thread::spawn({
                let queue = Arc::clone(&queue);
                move || read(&queue)
            });
            senders(&queue).into_iter().for_each(|sender| sender.join().unwrap());
            queue.finish();
            let (steps, lost) = reading.join().unwrap();
            assert!(in_order(&steps), "{steps:?}");
            assert_eq!(steps.len() as u64 + lost, 6, "each is read or told as lost: {steps:?}");
            assert!(lag == Lag::DropOldest || lost == 0, "nothing is lost when the run waits");
        });
    }
}

#[test]
fn nobody_waits_for_a_subscriber_that_goes_away() {
    explore(2000, || {
        let queue = queue(Lag::Block);
        let senders = senders(&queue);
        block_on(queue.next());
        queue.close();
        senders.into_iter().for_each(|sender| sender.join().unwrap());
    });
}

#[test]
fn nobody_waits_for_a_subscriber_that_stalls_when_the_run_is_asked_to_stop() {
    explore(2000, || {
        let queue = queue(Lag::Block);
        let senders = senders(&queue);
        queue.control.drain();
        senders.into_iter().for_each(|sender| sender.join().unwrap());
        queue.finish();
        let (steps, lost) = read(&queue);
        assert!(in_order(&steps), "{steps:?}");
        assert_eq!(steps.len() as u64 + lost, 6, "who comes back hears what is lost");
    });
}

#[test]
fn room_is_not_lost_with_a_sender_that_is_dropped() {
    explore(2000, || {
        let queue = queue(Lag::Block);
        let dropped = spawn({
            let queue = Arc::clone(&queue);
            async move {
                for step in 30..33 {
                    queue.send(event(step)).await;
                }
            }
        });
        let senders = senders(&queue);
        let reading = thread::spawn({
            let queue = Arc::clone(&queue);
            move || read(&queue)
        });
        dropped.abort();
        let _ = block_on(dropped);
        senders.into_iter().for_each(|sender| sender.join().unwrap());
        queue.finish();
        let (steps, _) = reading.join().unwrap();
        assert_eq!(steps.iter().filter(|step| **step < 30).count(), 6, "{steps:?}");
    });
}
