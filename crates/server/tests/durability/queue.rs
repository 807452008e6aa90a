//! Runs that wait for each other: each ends, once, in the order in which they were accepted.

use rand::Rng;
use rand::rngs::StdRng;
use reqwest::Error;
use serde_json::{Value, json};

use super::until;
use crate::support::Client;

/// Threads of one client at most.
const THREADS: usize = 4;
/// Runs of one thread at most.
const RUNS: usize = 40;

/// A client that gives threads runs without waiting for them.
#[derive(Default)]
pub(crate) struct Queue {
    threads: Vec<Thread>,
}

struct Thread {
    id: String,
    /// Runs that were asked for; their names count them.
    asked: usize,
    /// Names and ids of those that were accepted.
    accepted: Vec<(String, String)>,
}

impl Queue {
    pub(super) async fn work(&mut self, client: &Client, random: &mut StdRng) -> Result<(), Error> {
        if self.threads.is_empty() || (self.threads.len() < THREADS && random.random_ratio(1, 10)) {
            let id = client.post("/threads", json!({})).await?.ok()["thread_id"].as_str().unwrap().to_owned();
            self.threads.push(Thread { id, asked: 0, accepted: Vec::new() });
        }
        let at = random.random_range(0..self.threads.len());
        let thread = &mut self.threads[at];
        if thread.asked >= RUNS {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            return client.get("/ok").await.map(drop);
        }
        let name = format!("{:03}", thread.asked);
        thread.asked += 1;
        let input = json!({"name": name, "delay_ms": random.random_range(0..15)});
        let durability = ["sync", "async"][random.random_range(0..2)];
        let body = json!({"assistant_id": "line", "input": input, "durability": durability});
        let run = client.post(&format!("/threads/{}/runs", thread.id), body).await?.ok();
        thread.accepted.push((name, run["run_id"].as_str().unwrap().to_owned()));
        Ok(())
    }

    pub(super) async fn look(&self, client: &Client) -> Result<(), Error> {
        for thread in &self.threads {
            thread.look(&runs(client, &thread.id).await?, &["pending", "running", "success"]);
        }
        Ok(())
    }

    pub(super) async fn end(&self, client: &Client) -> Result<(), Error> {
        for thread in &self.threads {
            let under_way = |run: &Value| run["status"] == "pending" || run["status"] == "running";
            until(
                async || !runs(client, &thread.id).await.unwrap().iter().any(under_way),
                "a run waits or runs for ever",
            )
            .await;
            thread.look(&runs(client, &thread.id).await?, &["success"]);
            let state = client.get(&format!("/threads/{}/state", thread.id)).await?.ok();
            thread.look_at_trace(&state["values"]["trace"]);
        }
        Ok(())
    }
}

impl Thread {
    /// All runs that were accepted are listed, once.
    fn look(&self, runs: &[Value], statuses: &[&str]) {
        assert!(runs.len() <= self.asked, "{} runs of {}", runs.len(), self.asked);
        for (name, id) in &self.accepted {
            let found: Vec<_> = runs.iter().filter(|run| run["run_id"] == **id).collect();
            let [run] = found.as_slice() else { panic!("run {name} of {} is there {} times", self.id, found.len()) };
            assert!(statuses.contains(&run["status"].as_str().unwrap()), "{run}");
        }
    }

    /// Each run took its three steps, once, and none before those that were accepted earlier.
    fn look_at_trace(&self, trace: &Value) {
        let trace: Vec<&str> = trace.as_array().into_iter().flatten().map(|step| step.as_str().unwrap()).collect();
        let mut names = Vec::new();
        for steps in trace.chunks(3) {
            let name = steps[0].strip_prefix("first:").unwrap_or_else(|| panic!("{trace:?}"));
            assert_eq!(
                steps,
                [format!("first:{name}"), format!("second:{name}"), format!("third:{name}")],
                "{trace:?}"
            );
            names.push(name);
        }
        assert!(names.is_sorted_by(|one, next| one < next), "{names:?}");
        for (name, _) in &self.accepted {
            assert!(names.contains(&name.as_str()), "run {name} did nothing: {names:?}");
        }
    }
}

async fn runs(client: &Client, thread: &str) -> Result<Vec<Value>, Error> {
    let runs = client.get(&format!("/threads/{thread}/runs?limit=1000")).await?.ok();
    Ok(runs.as_array().unwrap().clone())
}
