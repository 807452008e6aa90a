//! Tricks to reach what only this machine can reach. A server listens on this machine, and none of them gets to it.

use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use graphloom_retrieval::web::{Page, PageError, PageOptions, Pages, ResolveHost};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

/// A name service that answers from a list, one entry for each question, and repeats the last.
struct Names {
    answers: Mutex<VecDeque<Vec<IpAddr>>>,
    asked: Mutex<Vec<String>>,
}

impl Names {
    fn of(answers: &[&[&str]]) -> Arc<Self> {
        let parsed = answers.iter().map(|list| list.iter().map(|address| address.parse().unwrap()).collect());
        Arc::new(Self { answers: Mutex::new(parsed.collect()), asked: Mutex::default() })
    }
}

#[async_trait]
impl ResolveHost for Names {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        self.asked.lock().unwrap().push(host.to_owned());
        let mut answers = self.answers.lock().unwrap();
        let answer = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() };
        answer.ok_or_else(|| io::Error::other("no such host"))
    }
}

/// A server whose pages must not be read.
async fn secret_host() -> MockServer {
    let host = MockServer::start().await;
    let secret = ResponseTemplate::new(200).set_body_raw("<p>The secret of this machine.</p>", "text/html");
    Mock::given(any()).respond_with(secret).mount(&host).await;
    host
}

async fn fetch(options: PageOptions, names: Arc<Names>, address: &str) -> Result<Page, PageError> {
    Pages::with_names(options, names).unwrap().fetch(address).await
}

/// Any port may be asked, so that only the address keeps a request from the server.
fn any_port(host: &MockServer) -> PageOptions {
    let mut options = PageOptions::default();
    options.ports.push(host.address().port());
    options
}

#[tokio::test]
async fn this_machine_is_not_reached_however_it_is_written() {
    let host = secret_host().await;
    let port = host.address().port();
    for name in [
        "127.0.0.1",
        "127.1",
        "0x7f.0.0.1",
        "0x7f000001",
        "2130706433",
        "0177.0.0.1",
        "127.0.0.1.",
        "１２７.0.0.1",
        "0.0.0.0",
        "0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "169.254.169.254",
        "[fd00:ec2::254]",
        "100.100.100.200",
        "10.1.2.3",
    ] {
        let names = Names::of(&[&["127.0.0.1"]]);
        let error = fetch(any_port(&host), names, &format!("http://{name}:{port}/")).await.unwrap_err();
        assert!(matches!(error, PageError::Private { .. }), "{name}: {error}");
    }
    assert!(host.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_name_that_stands_for_this_machine_is_refused() {
    let host = secret_host().await;
    let port = host.address().port();
    for (name, addresses) in [
        ("localhost", &["127.0.0.1"][..]),
        ("LOCALHOST.", &["::1"]),
        ("innocent.example", &["127.0.0.1"]),
        ("innocent.example", &["::ffff:127.0.0.1"]),
        ("both.example", &["93.184.216.34", "127.0.0.1"]),
        ("metadata.google.internal", &["169.254.169.254"]),
    ] {
        let names = Names::of(&[addresses]);
        let error = fetch(any_port(&host), names, &format!("http://{name}:{port}/")).await.unwrap_err();
        assert!(matches!(error, PageError::Private { .. }), "{name}: {error}");
    }
    assert!(host.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_name_is_looked_up_once_for_check_and_connection() {
    let host = secret_host().await;
    let port = host.address().port();
    // The second answer leads to this machine; there is no second question for the same connection.
    let names = Names::of(&[&["192.0.2.1"], &["127.0.0.1"]]);
    let address = format!("http://rebinding.example:{port}/");
    let error = fetch(any_port(&host), Arc::clone(&names), &address).await.unwrap_err();
    assert!(matches!(error, PageError::Private { .. }), "{error}");
    assert_eq!(*names.asked.lock().unwrap(), ["rebinding.example"]);
    assert!(host.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_redirect_is_checked_like_the_first_address() {
    let secret = secret_host().await;
    let port = secret.address().port();
    for place in [
        format!("http://127.0.0.1:{port}/"),
        format!("//localhost:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://innocent.example:{port}/"),
    ] {
        let outer = MockServer::start().await;
        let leads_on = ResponseTemplate::new(302).insert_header("location", place.as_str());
        Mock::given(any()).respond_with(leads_on).mount(&outer).await;
        let options = any_port(&secret).exempt(&outer.address().to_string());
        let error = fetch(options, Names::of(&[&["127.0.0.1"]]), &outer.uri()).await.unwrap_err();
        assert!(matches!(error, PageError::Private { .. }), "{place}: {error}");
    }
    assert!(secret.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn other_ports_schemes_and_credentials_are_refused() {
    let host = secret_host().await;
    let port = host.address().port();
    let fetch = |address: String| fetch(PageOptions::default(), Names::of(&[&["8.8.8.8"]]), Box::leak(address.into()));
    let error = fetch(format!("http://public.example:{port}/")).await.unwrap_err();
    assert_eq!(error, PageError::Port { host: "public.example".into(), port });
    for address in [
        "file:///etc/passwd".to_owned(),
        "ftp://public.example/".to_owned(),
        "gopher://public.example/".to_owned(),
        "data:text/html,hello".to_owned(),
        format!("http://user:password@127.0.0.1:{port}/"),
        format!("http://public.example@127.0.0.1:{port}/"),
        "http://".to_owned(),
        "not an address".to_owned(),
        format!("http://public.example/{}", "x".repeat(8192)),
    ] {
        let error = fetch(address.clone()).await.unwrap_err();
        assert!(matches!(error, PageError::Address { .. }), "{address}: {error}");
    }
    assert!(host.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn an_exempt_host_is_one_host_at_one_port() {
    let (meant, other) = (secret_host().await, secret_host().await);
    let mut options = any_port(&other).exempt(&meant.address().to_string());
    options.ports.push(meant.address().port());
    let names = Names::of(&[&["127.0.0.1"]]);
    assert!(fetch(options.clone(), Arc::clone(&names), &meant.uri()).await.is_ok());
    for address in [other.uri(), format!("http://localhost:{}/", meant.address().port())] {
        let error = fetch(options.clone(), Arc::clone(&names), &address).await.unwrap_err();
        assert!(matches!(error, PageError::Private { .. }), "{address}: {error}");
    }
}

#[tokio::test]
async fn an_unknown_host_is_told() {
    let error = fetch(PageOptions::default(), Names::of(&[]), "http://unknown.example/").await.unwrap_err();
    assert_eq!(error, PageError::Unresolved { host: "unknown.example".into() });
}
