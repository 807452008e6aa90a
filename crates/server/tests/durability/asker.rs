//! Questions: each stays open under its id until it is answered, and its answer counts once.

use rand::Rng;
use rand::rngs::StdRng;
use reqwest::Error;
use serde_json::{Value, json};

use super::until;
use crate::support::Client;

/// A client that lets itself be asked, and answers some time.
#[derive(Default)]
pub(crate) struct Asker {
    asked: Vec<Asked>,
}

struct Asked {
    thread: String,
    interrupt: String,
    answer: Answered,
    /// Whether an answer was sent whose connection broke. What a process that died asked of another one may be done later, so
    /// that such an answer may still count.
    was_sent: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Answered {
    No,
    /// The connection broke before the server had told.
    Perhaps,
    Yes,
}

impl Asker {
    pub(super) async fn work(&mut self, client: &Client, random: &mut StdRng) -> Result<(), Error> {
        let open = self.asked.iter_mut().find(|asked| asked.answer == Answered::No);
        if let Some(asked) = open.filter(|_| random.random_ratio(1, 2)) {
            asked.answer = Answered::Perhaps;
            let resume = json!({asked.interrupt.clone(): "approve"});
            let body = json!({"assistant_id": "approval", "command": {"resume": resume}, "strict_resume": true});
            let was_sent = std::mem::replace(&mut asked.was_sent, true);
            let values = client.post(&format!("/threads/{}/runs/wait", asked.thread), body).await?.ok();
            // Then the state shows that it counted once.
            let is_late = was_sent && values["__error__"]["error"] == "UnknownInterruptError";
            let log = json!(["draft", "review:approve", "publish"]);
            assert!(is_late || values["log"] == log, "{values}");
            asked.answer = Answered::Yes;
            return Ok(());
        }
        let thread = client.post("/threads", json!({})).await?.ok()["thread_id"].as_str().unwrap().to_owned();
        let body = json!({"assistant_id": "approval", "input": {"request": "this"}});
        let values = client.post(&format!("/threads/{thread}/runs/wait"), body).await?.ok();
        let interrupt = values["__interrupt__"][0]["id"].as_str().unwrap_or_else(|| panic!("{values}")).to_owned();
        self.asked.push(Asked { thread, interrupt, answer: Answered::No, was_sent: false });
        Ok(())
    }

    pub(super) async fn look(&mut self, client: &Client) -> Result<(), Error> {
        for asked in &mut self.asked {
            let thread = format!("/threads/{}", asked.thread);
            let status = async || client.get(&thread).await.unwrap().ok()["status"].clone();
            until(async || status().await != "busy", "a thread that was asked stays busy").await;
            let state = client.get(&format!("{thread}/state")).await?.ok();
            let record = client.get(&thread).await?.ok();
            let is_open = state["tasks"][0]["interrupts"][0]["id"] == asked.interrupt;
            match asked.answer {
                Answered::No if !asked.was_sent => assert!(is_open, "{} is not open: {state}", asked.interrupt),
                Answered::Yes => assert!(!is_open, "{} is open again: {state}", asked.interrupt),
                Answered::No | Answered::Perhaps => asked.answer = if is_open { Answered::No } else { Answered::Yes },
            }
            if is_open {
                assert_eq!(record["status"], "interrupted");
                let pending: Vec<&Value> = record["interrupts"].as_object().unwrap().values().collect();
                assert_eq!(pending[0][0]["id"], asked.interrupt, "{record}");
            } else {
                assert_eq!((&record["status"], &record["interrupts"]), (&json!("idle"), &json!({})), "{record}");
                assert_eq!(state["values"]["log"], json!(["draft", "review:approve", "publish"]));
            }
        }
        Ok(())
    }
}
