//! Assistants with their versions, crons, items and threads: what was answered is there, and what was deleted is not.

use std::collections::BTreeMap;

use rand::Rng;
use rand::rngs::StdRng;
use reqwest::Error;
use serde_json::{Value, json};

use crate::support::Client;

/// A client that makes, changes and deletes.
#[derive(Default)]
pub(crate) struct Editor {
    /// Versions by the ids of assistants: the one that was answered, and whether one more was asked for.
    assistants: BTreeMap<String, (u64, bool)>,
    crons: Vec<String>,
    /// Values by the keys of items: the one that was answered, and the one that was asked for.
    items: BTreeMap<String, (Value, Option<Value>)>,
    /// Threads, by whether their deletion was asked for, or answered.
    threads: BTreeMap<String, Deletion>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Deletion {
    No,
    Perhaps,
    Yes,
}

fn id(answer: &Value, key: &str) -> String {
    answer[key].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

impl Editor {
    pub(super) async fn work(&mut self, client: &Client, random: &mut StdRng) -> Result<(), Error> {
        let some = |random: &mut StdRng, count: usize| random.random_range(0..count);
        match random.random_range(0..6) {
            0 => {
                let made = client.post("/assistants", json!({"graph_id": "pipeline", "name": "mine"})).await?.ok();
                self.assistants.insert(id(&made, "assistant_id"), (1, false));
            }
            1 if !self.assistants.is_empty() => {
                let at = some(random, self.assistants.len());
                let (id, (version, is_asked)) = self.assistants.iter_mut().nth(at).unwrap();
                *is_asked = true;
                let changed = client.patch(&format!("/assistants/{id}"), json!({"name": "changed"})).await?.ok();
                *version += 1;
                *is_asked = false;
                assert_eq!(changed["version"], *version);
            }
            2 => {
                let body = json!({"assistant_id": "pipeline", "schedule": "0 0 1 1 *", "input": {"topic": "year"}});
                self.crons.push(id(&client.post("/runs/crons", body).await?.ok(), "cron_id"));
            }
            3 => {
                let (key, value) = (some(random, 20).to_string(), json!({"number": random.random_range(0..1_000_000)}));
                let known = self.items.entry(key.clone()).or_default();
                known.1 = Some(value.clone());
                let body = json!({"namespace": ["mine"], "key": key, "value": value});
                client.put("/store/items", body).await?.ok();
                *known = (value, None);
            }
            4 => {
                let thread = id(&client.post("/threads", json!({"metadata": {"is": "mine"}})).await?.ok(), "thread_id");
                self.threads.insert(thread.clone(), Deletion::No);
                let body = json!({"assistant_id": "ticker", "input": {"n": 3, "delay_ms": 10}});
                client.post(&format!("/threads/{thread}/runs"), body).await?.ok();
            }
            _ => {
                let Some((id, deletion)) = self.threads.iter_mut().find(|(_, deletion)| **deletion == Deletion::No)
                else {
                    return Ok(());
                };
                *deletion = Deletion::Perhaps;
                assert_eq!(client.delete(&format!("/threads/{id}")).await?.status, 204);
                *deletion = Deletion::Yes;
            }
        }
        Ok(())
    }

    pub(super) async fn look(&mut self, client: &Client) -> Result<(), Error> {
        for (id, (version, is_asked)) in &mut self.assistants {
            let there = client.get(&format!("/assistants/{id}")).await?.ok()["version"].as_u64().unwrap();
            assert!(there == *version || (*is_asked && there == *version + 1), "{id}: {there}, not {version}");
            let versions = client.post(&format!("/assistants/{id}/versions"), json!({"limit": 1000})).await?.ok();
            let numbers: Vec<u64> =
                versions.as_array().unwrap().iter().map(|one| one["version"].as_u64().unwrap()).collect();
            assert_eq!(numbers, (1..=there).rev().collect::<Vec<_>>(), "{id}");
            (*version, *is_asked) = (there, false);
        }
        for id in &self.crons {
            assert_eq!(client.get(&format!("/runs/crons/{id}")).await?.ok()["schedule"], "0 0 1 1 *");
        }
        for (key, (value, asked)) in &mut self.items {
            let item = client.get(&format!("/store/items?namespace=mine&key={key}")).await?.ok();
            let there = item["value"].clone();
            assert!(there == *value || Some(&there) == asked.as_ref(), "{key}: {there}, not {value} or {asked:?}");
            (*value, *asked) = (there, None);
        }
        for (id, deletion) in &mut self.threads {
            let status = client.get(&format!("/threads/{id}")).await?.status;
            match deletion {
                Deletion::No => assert_eq!(status, 200, "{id}"),
                Deletion::Yes => assert_eq!(status, 404, "{id} is there again"),
                Deletion::Perhaps => *deletion = if status == 404 { Deletion::Yes } else { Deletion::No },
            }
        }
        Ok(())
    }
}
