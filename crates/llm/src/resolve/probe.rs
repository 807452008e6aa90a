//! Looking for model servers on this machine.

use std::time::Duration;

use futures::StreamExt;
use reqwest::Url;
use serde_json::Value;

use crate::compatible::http_client;

/// Usual ports of model servers, with what usually listens there.
const PORTS: [(u16, &str); 4] = [(11434, "Ollama"), (8080, "llama-server"), (8000, "vLLM"), (1234, "LM Studio")];

/// Longer lists of models are not read.
const MAX_BODY: usize = 1 << 20;

/// A model server on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LocalServer {
    /// What usually listens on this port.
    pub kind: String,
    /// The address for `compatible:NAME@BASE_URL`.
    pub base_url: String,
    /// The models that it offers, by name.
    pub models: Vec<String>,
}

/// Asks the usual ports of this machine's loopback for their models, all at once and each for at most `timeout`. Nothing
/// is sent anywhere else. A port where nothing answers with a list of models is left out.
pub async fn probe_local(timeout: Duration) -> Vec<LocalServer> {
    probe_ports(&PORTS, timeout).await
}

async fn probe_ports(ports: &[(u16, &str)], timeout: Duration) -> Vec<LocalServer> {
    let asked = ports.iter().map(|(port, kind)| async move {
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
        let ports =
            [(openai.address().port(), "one"), (other.address().port(), "none"), (ollama.address().port(), "two")];
        let found = probe_ports(&ports, Duration::from_secs(5)).await;
        let short: Vec<(&str, Vec<&str>)> =
            found.iter().map(|s| (s.kind.as_str(), s.models.iter().map(String::as_str).collect())).collect();
        assert_eq!(short, [("one", vec!["a", "b"]), ("two", vec!["c"])]);
        assert_eq!(found[0].base_url, format!("http://127.0.0.1:{}/v1", openai.address().port()));
    }
}
