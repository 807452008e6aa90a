//! The model of an assistant: its versions, and the one that counts.

use serde_json::json;

use super::OfAssistant;
use crate::support::Client;

#[derive(Default)]
pub(super) struct Assistant {
    id: Option<String>,
    /// The names of its versions.
    versions: Vec<String>,
    current: usize,
}

impl Assistant {
    pub(super) async fn does(&mut self, http: &Client, command: OfAssistant) {
        let Some(id) = self.id.clone() else {
            let made = http.post("/assistants", json!({"graph_id": "ticker", "name": "1"})).await.unwrap().ok();
            *self = Self {
                id: Some(made["assistant_id"].as_str().unwrap().to_owned()),
                versions: vec!["1".to_owned()],
                current: 0,
            };
            return;
        };
        let at = format!("/assistants/{id}");
        match command {
            OfAssistant::Create => {
                let again = json!({"graph_id": "ticker", "assistant_id": id});
                assert_eq!(http.post("/assistants", again).await.unwrap().status, 409);
            }
            OfAssistant::Patch => {
                let name = (self.versions.len() + 1).to_string();
                http.patch(&at, json!({"name": name})).await.unwrap().ok();
                self.versions.push(name);
                self.current = self.versions.len() - 1;
            }
            OfAssistant::Latest(version) => {
                let version = usize::from(version) % (self.versions.len() + 1);
                let answer = http.post(&format!("{at}/latest"), json!({"version": version + 1})).await.unwrap();
                if version < self.versions.len() {
                    answer.ok();
                    self.current = version;
                } else {
                    assert_eq!(answer.status, 404, "{}", answer.body);
                }
            }
            OfAssistant::Delete => {
                assert_eq!(http.delete(&at).await.unwrap().status, 204);
                assert_eq!(http.get(&at).await.unwrap().status, 404);
                *self = Self::default();
                return;
            }
        }
        let there = http.get(&at).await.unwrap().ok();
        assert_eq!(there["version"], self.current + 1);
        assert_eq!(there["name"], self.versions[self.current]);
        let versions = http.post(&format!("{at}/versions"), json!({"limit": 1000})).await.unwrap().ok();
        let names: Vec<_> =
            versions.as_array().unwrap().iter().rev().map(|one| one["name"].as_str().unwrap()).collect();
        assert_eq!(names, self.versions);
    }
}
