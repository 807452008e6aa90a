//! Looking for model servers on this machine.

use std::time::Duration;

use futures::StreamExt;
use reqwest::Url;
use serde_json::Value;

use crate::providers::http_client;

/// Usual ports of model servers, with what usually listens there.
const PORTS: [(u16, &str); 4] = [(11434, "Ollama"), (8080, "llama-server"), (8000, "vLLM"), (1234, "LM Studio")];

/// The longest list of models that is read, in bytes.
const MAX_BODY: usize = 1 << 20;

/// A model server on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LocalServer {
    /// What usually listens on this port.
    pub kind: String,
    /// The address for `compatible:NAME@BASE_URL`.
    pub base_url: String,
    /// The models that the server offers, by name.
    pub models: Vec<String>,
}

impl LocalServer {
    /// A server of a kind at an address, with its models.
    pub fn new(kind: impl Into<String>, base_url: impl Into<String>, models: Vec<String>) -> Self {
        Self { kind: kind.into(), base_url: base_url.into(), models }
    }
}

/// Asks the usual ports of this machine's loopback for their models, all at once and each for at most `timeout`. Nothing
/// is sent anywhere else. A port where nothing answers with a list of models is left out.
pub async fn probe_local(timeout: Duration) -> Vec<LocalServer> {
    probe_ports(&PORTS.map(|(port, _)| port), timeout).await
}

/// As [`probe_local`], on these ports.
pub async fn probe_ports(ports: &[u16], timeout: Duration) -> Vec<LocalServer> {
    let asked = ports.iter().map(|port| async move {
        let kind = PORTS.iter().find(|(usual, _)| usual == port).map_or("a model server", |(_, kind)| kind);
        tokio::time::timeout(timeout, probe(*port, kind, timeout)).await.ok().flatten()
    });
    futures::future::join_all(asked).await.into_iter().flatten().collect()
}

async fn probe(port: u16, kind: &str, timeout: Duration) -> Option<LocalServer> {
    let base = format!("http://127.0.0.1:{port}");
    let client = http_client(&Url::parse(&base).ok()?, timeout).ok()?;
    for (path, list, name) in [("/v1/models", "data", "id"), ("/api/tags", "models", "name")] {
        let Ok(response) = client.get(format!("{base}{path}")).send().await else { continue };
        if !response.status().is_success() {
            continue;
        }
        let mut bytes = Vec::new();
        let mut stream = response.bytes_stream();
        while let Some(Ok(chunk)) = stream.next().await {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > MAX_BODY {
                return None;
            }
        }
        let Ok(body) = serde_json::from_slice::<Value>(&bytes) else { continue };
        let Some(entries) = body.get(list).and_then(Value::as_array) else { continue };
        let models = entries.iter().filter_map(|entry| entry.get(name)?.as_str().map(str::to_owned)).collect();
        return Some(LocalServer { kind: kind.to_owned(), base_url: format!("{base}/v1"), models });
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use wiremock::matchers::path;
    use wiremock::{Mock, MockServer, ResponseTemplate};

    use super::*;

    #[tokio::test]
    async fn servers_are_found_by_their_lists() {
        let (openai, ollama, other) = (MockServer::start().await, MockServer::start().await, MockServer::start().await);
        let list = |body: Value| ResponseTemplate::new(200).set_body_json(body);
        Mock::given(path("/v1/models"))
            .respond_with(list(json!({"data": [{"id": "a"}, {"id": "b"}]})))
            .mount(&openai)
            .await;
        Mock::given(path("/api/tags")).respond_with(list(json!({"models": [{"name": "c"}]}))).mount(&ollama).await;
        Mock::given(path("/v1/models"))
            .respond_with(ResponseTemplate::new(200).set_body_string("<html>"))
            .mount(&other)
            .await;
        let ports = [&openai, &other, &ollama].map(|server| server.address().port());
        let found = probe_ports(&ports, Duration::from_secs(5)).await;
        let models: Vec<&[String]> = found.iter().map(|server| &server.models[..]).collect();
        assert_eq!(models, [&["a".to_owned(), "b".to_owned()][..], &["c".to_owned()]]);
        assert_eq!(found[0].base_url, format!("http://127.0.0.1:{}/v1", openai.address().port()));
    }
}
