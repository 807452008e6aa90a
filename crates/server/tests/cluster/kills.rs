//! Processes are killed while clients work through all of them.

use std::time::{Duration, Instant};

use graphloom_test_support::times;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::json;

use super::{Processes, new_thread, rest, text, ticks};
use crate::durability::Worker;
use crate::support::seed;

/// How often one of the processes is killed.
const KILLS: usize = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_was_answered_is_lost_when_one_of_several_processes_is_killed_at_any_moment() {
    let seed = seed();
    eprintln!("GRAPHLOOM_SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let mut processes = Processes::mortal(3).await;
    let mut workers = Worker::all(&mut random);
    for kill in 0..times(KILLS) {
        let client = processes.in_turn();
        for (worker, _) in &mut workers {
            worker.look(&client).await.unwrap();
        }
        let mut tasks = Vec::new();
        for (mut worker, mut random) in workers {
            let client = client.clone();
            tasks.push(tokio::spawn(async move {
                // It goes on through the others, until it asks the one that is gone.
                worker.work(&client, &mut random).await;
                (worker, random)
            }));
        }
        tokio::time::sleep(Duration::from_millis(random.random_range(50..600))).await;
        let at = random.random_range(0..3);
        processes.kill(at);
        if random.random_ratio(1, 2) {
            // The others take over before it is there again.
            processes.until_removed(at).await;
        }
        workers = Vec::new();
        for task in tasks {
            let worker = task
                .await
                .unwrap_or_else(|error| panic!("seed {seed}, after kill {kill}: {error}\n{}", processes.errors()));
            workers.push(worker);
        }
        processes.restart(at).await;
    }
    let client = processes.in_turn();
    for (worker, _) in &mut workers {
        worker.end(&client).await.unwrap();
    }
    let busy = client.post("/threads/search", json!({"status": "busy"})).await.unwrap().ok();
    assert_eq!(busy, json!([]), "no thread is busy when all has ended");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_process_that_died_did_goes_on_at_another_within_its_lease() {
    let mut processes = Processes::mortal(2).await;
    let (one, two) = (processes.client(0).clone(), processes.client(1).clone());
    let thread = new_thread(&one).await;
    let runs = format!("/threads/{thread}/runs");
    let ticker =
        |n: u64| json!({"assistant_id": "ticker", "input": {"n": n, "delay_ms": 10}, "stream_mode": "updates"});
    let run = text(&one.post(&runs, ticker(100)).await.unwrap().ok(), "run_id");
    let later = json!({"assistant_id": "ticker", "input": {"n": 105, "delay_ms": 1}, "after_seconds": 2});
    let delayed = text(&one.post(&runs, later).await.unwrap().ok(), "run_id");
    let stateless = one.post_stream("/runs/stream", ticker(50)).await.unwrap().location;
    let waits = {
        let (two, path) = (two.clone(), format!("{runs}/{run}/join"));
        tokio::spawn(async move { two.get(&path).await.unwrap().ok() })
    };
    let mut stream = two.take_up(&format!("{runs}/{run}/stream"), "-1").await.unwrap();
    let mut seen = Vec::new();
    while ticks(&seen).len() < 20 {
        seen.push(stream.next().await.unwrap().unwrap());
    }
    processes.kill(0);
    let died = Instant::now();
    // What was told and is not read yet comes at once; the next after that is of the other process.
    let mut gap = Duration::ZERO;
    loop {
        let before = Instant::now();
        let Some(event) = stream.next().await.unwrap() else { break };
        gap = gap.max(before.elapsed());
        seen.push(event);
    }
    assert_eq!(ticks(&seen), (1..=100).collect::<Vec<_>>());
    let mut numbers: Vec<u64> = seen.iter().map(crate::support::StreamEvent::number).collect();
    let all = numbers.len();
    numbers.dedup();
    assert!(numbers.len() == all && numbers.is_sorted(), "{numbers:?}");
    assert_eq!(waits.await.unwrap()["ticks"], json!((1..=100).collect::<Vec<_>>()));
    let joined = two.get(&format!("{runs}/{delayed}/join")).await.unwrap().ok();
    assert_eq!(joined["ticks"], json!((1..=105).collect::<Vec<_>>()));
    let stateless = rest(&mut two.take_up(&format!("{stateless}/stream"), "-1").await.unwrap()).await;
    assert_eq!(ticks(&stateless), (1..=50).collect::<Vec<_>>());
    eprintln!("taken over after {gap:?}, ended {:?} after the death", died.elapsed());
}
