//! A process stops for longer than its lease, and goes on: what it did meanwhile is another one's.

use serde_json::{Value, json};

use super::{Processes, new_thread, rest, text, ticks};
use crate::durability::until;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_wakes_up_after_its_lease_changes_nothing_of_what_others_took_over() {
    let processes = Processes::mortal(2).await;
    let [one, two] = [0, 1].map(|at| processes.client(at));
    for wakes_early in [true, false] {
        let mut threads = Vec::new();
        for at in 0..6 {
            let thread = new_thread(one).await;
            let runs = format!("/threads/{thread}/runs");
            // Some have ended when it wakes up, some have not, and some wait for others.
            let n = [60, 150, 300][at % 3];
            let body = json!({"assistant_id": "ticker", "input": {"n": n, "delay_ms": 5}, "stream_mode": "updates"});
            let run = text(&one.post(&runs, body).await.unwrap().ok(), "run_id");
            let line = json!({"assistant_id": "ticker", "input": {"n": n + 5, "delay_ms": 1}});
            let queued = text(&one.post(&runs, line).await.unwrap().ok(), "run_id");
            threads.push((thread, run, queued, n));
        }
        // A client of the process that stops is answered when it goes on.
        let (thread, run, ..) = threads[0].clone();
        let (waits, path) = (one.clone(), format!("/threads/{thread}/runs/{run}/join"));
        let waits = tokio::spawn(async move { waits.get(&path).await.unwrap().ok() });
        // It stands still in the middle of what it does.
        let (thread, run, ..) = &threads[2];
        let mut stream = two.take_up(&format!("/threads/{thread}/runs/{run}/stream"), "-1").await.unwrap();
        let mut seen = Vec::new();
        while ticks(&seen).len() < 20 {
            seen.push(stream.next().await.unwrap().expect("the run goes on"));
        }
        processes.all[0].signal("STOP");
        let more = json!({"assistant_id": "ticker", "input": {"n": threads[2].3 + 10, "delay_ms": 0}});
        let (asks, path) = (two.clone(), format!("/threads/{thread}/runs"));
        let accepted = tokio::spawn(async move { asks.post(&path, more).await.unwrap().ok() });
        let accepted = if wakes_early {
            // It wakes up while the other one takes over.
            processes.until_removed(0).await;
            processes.all[0].signal("CONT");
            accepted.await.unwrap()
        } else {
            // It wakes up when the other one has taken over, and has ended what came first.
            let accepted = accepted.await.unwrap();
            seen.extend(rest(&mut stream).await);
            processes.all[0].signal("CONT");
            accepted
        };
        for (thread, run, queued, n) in &threads {
            let runs = format!("/threads/{thread}/runs");
            let joined = two.get(&format!("{runs}/{queued}/join")).await.unwrap().ok();
            assert!(joined["ticks"].as_array().is_some_and(|ticks| ticks.len() as u64 >= n + 5), "{joined}");
            for client in [one, two] {
                let events = rest(&mut client.take_up(&format!("{runs}/{run}/stream"), "-1").await.unwrap()).await;
                assert_eq!(ticks(&events), (1..=*n).collect::<Vec<_>>(), "of {run}\n{}", processes.errors());
            }
            let is_idle = async || one.get(&format!("/threads/{thread}")).await.unwrap().ok()["status"] == "idle";
            until(is_idle, "a thread stays busy").await;
            let all = two.get(&format!("{runs}?limit=10")).await.unwrap().ok();
            let is_ended = |run: &Value| run["status"] == "success";
            assert!(all.as_array().unwrap().iter().all(is_ended), "{all}");
        }
        let last =
            two.get(&format!("/threads/{}/runs/{}", threads[2].0, text(&accepted, "run_id"))).await.unwrap().ok();
        assert_eq!(last["status"], "success");
        assert_eq!(waits.await.unwrap()["ticks"], json!((1..=60).collect::<Vec<_>>()));
        // It is one of them again.
        let again = new_thread(two).await;
        let body = json!({"assistant_id": "pipeline", "input": {"topic": "tea"}});
        one.post(&format!("/threads/{again}/runs/wait"), body).await.unwrap().ok();
    }
}
