//! A key leaves this machine for its own host only: every byte that a provider is sent is read.

use graphloom_llm::providers::{ApiKey, KeyUse, Keys, Provider, Remote, RemoteConfig};
use graphloom_llm::{ChatModel, ChatRequest};
use tokio::io::AsyncWriteExt;

use super::raw::Raw;

/// The keys of every provider, as an environment would have them, and one for the main model.
fn environment(name: &str) -> Option<String> {
    match name {
        "AZURE_OPENAI_ENDPOINT" => Some("https://mine.openai.azure.com".to_owned()),
        "LLM_API_KEY" => Some("sk-of-llm-api-key".to_owned()),
        name if name.ends_with("_API_KEY") => Some(format!("sk-of-{}", name.to_ascii_lowercase())),
        _ => None,
    }
}

async fn answering() -> Raw {
    Raw::start(|mut socket| async move {
        let _ = socket.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").await;
    })
    .await
}

#[tokio::test]
async fn a_provider_s_key_does_not_go_to_an_address_that_was_named_in_its_place() {
    let keys = Keys::from_variables(environment, []).unwrap();
    for provider in Provider::all() {
        let server = answering().await;
        let mut config = RemoteConfig::new(provider, "m").at(server.address.as_str());
        match keys.of("default", &config.base_url, Some(&config.base_url)).unwrap() {
            KeyUse::Sent { key, source } => (config.key, config.key_variable) = (Some(key), source),
            KeyUse::Withheld { source, .. } => assert_eq!(source, "LLM_API_KEY"),
            KeyUse::None => panic!("the main key is known"),
        }
        let model = Remote::new(config).unwrap();
        model.chat(ChatRequest::user("the prompt")).await.unwrap_err();
        model.stream(ChatRequest::user("the prompt")).await.map(|_| ()).unwrap_err();
        model.list().await.unwrap_err();
        assert!(server.saw("the prompt") && !server.saw("sk-of"), "{provider:?}");
    }
}

#[tokio::test]
async fn a_key_that_is_asked_for_is_sent_to_this_machine_once_in_each_call_and_in_a_header_only() {
    for provider in Provider::all() {
        let server = answering().await;
        let host = server.address.trim_start_matches("http://").to_owned();
        let keys = Keys::from_variables(
            |name| if name == "LLM_API_KEY_FOR" { Some(host.clone()) } else { environment(name) },
            [],
        );
        let mut config = RemoteConfig::new(provider, "m").at(server.address.as_str());
        let KeyUse::Sent { key, .. } = keys.unwrap().of("default", &config.base_url, None).unwrap() else {
            panic!("it is asked for")
        };
        config.key = Some(key);
        let model = Remote::new(config).unwrap();
        model.chat(ChatRequest::user("the prompt")).await.unwrap_err();
        assert!(server.saw("sk-of-llm-api-key\r\n"), "{provider:?}");
        assert!(!server.saw("?key=") && !server.saw("&key="), "{provider:?}");
        for other in Provider::all().flat_map(Provider::key_variables) {
            assert!(!server.saw(&format!("sk-of-{other}")), "{provider:?}");
        }
    }
}

#[tokio::test]
async fn no_client_is_made_that_would_send_a_key_in_the_open() {
    for provider in Provider::all() {
        for base in ["http://lan.example/v1", "http://10.0.0.1", "http://localhost.example"] {
            let mut config = RemoteConfig::new(provider, "m").at(base);
            config.key = ApiKey::new("sk-secret");
            let told = Remote::new(config).unwrap_err().to_string();
            assert!(told.contains("everybody on the way can read it") && !told.contains("sk-secret"), "{told}");
        }
    }
}

#[test]
fn each_key_goes_to_its_own_host() {
    let keys = Keys::from_variables(environment, []).unwrap();
    for provider in Provider::all() {
        let Some(base) = provider.base_url().filter(|base| base.starts_with("https://")) else { continue };
        let KeyUse::Sent { source, .. } = keys.of("default", base, None).unwrap() else { panic!("{provider:?}") };
        assert_eq!(source, provider.key_variables()[0]);
        for other in Provider::all().filter_map(Provider::base_url).filter(|other| other.starts_with("https://")) {
            let KeyUse::Sent { source: theirs, .. } = keys.of("write", other, Some(base)).unwrap() else { panic!() };
            let same = reqwest::Url::parse(other).unwrap().host_str() == reqwest::Url::parse(base).unwrap().host_str();
            assert_eq!(theirs == source, same, "{base} and {other}");
        }
    }
}
