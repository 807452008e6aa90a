//! Streams that are taken up again: what a client saw is seen again as it was, and goes on without a gap or a repeat.

use rand::Rng;
use rand::rngs::StdRng;
use reqwest::Error;
use serde_json::json;

use crate::support::{Client, EventStream, StreamEvent};

/// A client that follows runs, one after the other.
#[derive(Default)]
pub(crate) struct Follower {
    runs: Vec<Followed>,
}

struct Followed {
    /// The path of the run.
    at: String,
    ticks: u64,
    events: Vec<StreamEvent>,
    has_ended: bool,
}

impl Followed {
    fn stream(&self) -> String {
        format!("{}/stream", self.at)
    }

    /// Reads on to the end of the run.
    async fn read(&mut self, mut stream: EventStream) -> Result<(), Error> {
        assert_eq!(stream.status, 200, "{}", self.at);
        while let Some(event) = stream.next().await? {
            if let Some(before) = self.events.last() {
                assert!(event.number() > before.number(), "{event:?} after {before:?} of {}", self.at);
            }
            self.has_ended = event.name == "end";
            self.events.push(event);
        }
        assert!(self.has_ended, "a stream without an end: {:?}", self.events.last());
        Ok(())
    }

    /// The ticks come one after the other, however often the process died in between.
    fn look_at_ticks(&self) {
        let (mut state, mut updated) = (0, 0);
        for event in &self.events {
            let data = &event.data;
            match event.name.as_str() {
                "values" => {
                    let ticks: Vec<u64> = serde_json::from_value(data["ticks"].clone()).unwrap();
                    assert_eq!(ticks, (1..=ticks.len() as u64).collect::<Vec<_>>());
                    let count = ticks.len() as u64;
                    let follows = count == state || count == state + 1;
                    assert!(follows, "{count} ticks after {state}: {}, {:?}", self.at, self.short());
                    state = count;
                }
                "updates" => {
                    let tick = data["tick"]["ticks"][0].as_u64().unwrap();
                    assert_eq!(tick, updated + 1, "updates of {}: {:?}", self.at, self.short());
                    updated = tick;
                }
                // What a task tells that did not come to its commit is told again by the next attempt.
                "custom" => {
                    let tick = data["tick"].as_u64().unwrap();
                    assert_eq!(tick, updated + 1, "{}: {:?}", self.at, self.short());
                }
                "metadata" => {}
                "end" => assert_eq!(data["status"], "success"),
                other => panic!("{other}: {data}"),
            }
        }
        assert_eq!((state, updated), (self.ticks, self.ticks), "{}: {:?}", self.at, self.short());
    }

    fn short(&self) -> Vec<String> {
        self.events.iter().map(|event| format!("{} {} {}", event.id, event.name, event.data)).collect()
    }

    /// What was seen is seen again.
    async fn look(&self, client: &Client) -> Result<(), Error> {
        let mut stream = client.take_up(&self.stream(), "-1").await?;
        assert_eq!(stream.status, 200, "{}", self.at);
        for seen in &self.events {
            let again = stream.next().await?;
            assert_eq!(again.as_ref(), Some(seen), "{}", self.at);
        }
        if self.has_ended {
            assert_eq!(stream.next().await?, None);
        }
        Ok(())
    }
}

impl Follower {
    pub(super) async fn work(&mut self, client: &Client, random: &mut StdRng) -> Result<(), Error> {
        if let Some(followed) = self.runs.last_mut().filter(|followed| !followed.has_ended) {
            return follow(followed, client).await;
        }
        let ticks = random.random_range(3..30);
        let input = json!({"n": ticks, "delay_ms": random.random_range(1..15)});
        let body = json!({
            "assistant_id": "ticker", "input": input, "stream_mode": ["values", "updates", "custom"],
            "durability": if random.random_ratio(1, 2) { "sync" } else { "async" },
        });
        let path = if random.random_ratio(1, 3) {
            "/runs/stream".to_owned()
        } else {
            let thread = client.post("/threads", json!({})).await?.ok();
            format!("/threads/{}/runs/stream", thread["thread_id"].as_str().unwrap())
        };
        let stream = client.post_stream(&path, body).await?;
        let followed = Followed { at: stream.location.clone(), ticks, events: Vec::new(), has_ended: false };
        self.runs.push(followed);
        self.runs.last_mut().unwrap().read(stream).await
    }

    pub(super) async fn look(&self, client: &Client) -> Result<(), Error> {
        for followed in self.runs.iter().rev().take(4) {
            followed.look(client).await?;
        }
        Ok(())
    }

    pub(super) async fn end(&mut self, client: &Client) -> Result<(), Error> {
        for followed in &mut self.runs {
            if !followed.has_ended {
                follow(followed, client).await?;
            }
            followed.look(client).await?;
            followed.look_at_ticks();
        }
        Ok(())
    }
}

/// Goes on where the connection broke.
async fn follow(followed: &mut Followed, client: &Client) -> Result<(), Error> {
    let last = followed.events.last().map_or("-1", |event| event.id.as_str());
    let stream = client.take_up(&followed.stream(), last).await?;
    followed.read(stream).await
}
