//! Logging in: at the example server of the protocol's own SDK, and at a script of these tests whose tokens are exchanged.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use graphloom_mcp::{Login, LoginError, LoginFolder, McpConfig, McpError, McpServers, ServerConfig, login};
use graphloom_test_support::mcp::sdk_example;
use graphloom_test_support::ports::on_free_ports;
use serde_json::{Value, json};

use crate::support::{connected, patient, python};

/// No login of these tests takes so long.
const LIMIT: Duration = Duration::from_secs(3_600);

/// A server that is ended with the test.
struct Served {
    child: Child,
    address: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The example of the SDK, whose login is given without a question.
fn example() -> Option<Served> {
    let script = sdk_example("simpleStreamableHttp")?;
    Some(on_free_ports(|[port, login]| {
        let mut child = Command::new("node")
            .args([script.to_str().unwrap(), "--oauth", "--oauth-strict"])
            .env("MCP_PORT", port.to_string())
            .env("MCP_AUTH_PORT", login.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let served = Served { child, address: format!("http://localhost:{port}/mcp") };
        let listens = (0..2).all(|_| lines.any(|line| line.unwrap().contains("listening on port")));
        std::thread::spawn(move || lines.for_each(drop));
        listens.then_some(served)
    }))
}

/// The script of these tests.
fn script(place: &Path, how: &[&str]) -> Option<Served> {
    if !python() {
        return None;
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/login.py");
    let mut command = Command::new("python3");
    command.arg(file).arg(place.join("heard")).args(how).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut port = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
    Some(Served { child, address: format!("http://127.0.0.1:{}/mcp", port.trim()) })
}

fn named(name: &str, address: &str) -> ServerConfig {
    ServerConfig::http(name, address.parse().unwrap())
}

/// A login of a person whose browser opens what is shown at once.
async fn logged_in(server: &ServerConfig, logins: &LoginFolder) -> Result<Login, LoginError> {
    let open = |address: &str| {
        tokio::spawn(browser(address.to_owned()));
    };
    login(server, logins, LIMIT, open).await
}

/// Goes where a browser would, and gives what it shows.
async fn browser(address: String) -> String {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    client.get(address).send().await.unwrap().text().await.unwrap()
}

async fn reached(server: &ServerConfig, logins: &LoginFolder) -> McpServers {
    connected(vec![server.clone()], &patient().with_logins(logins.clone())).await
}

/// What the script was asked, at one path.
fn heard(place: &Path, path: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(place.join("heard")).unwrap_or_default();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["path"].as_str().unwrap().split('?').next() == Some(path)).collect()
}

fn kept(logins: &Path) -> PathBuf {
    let files: Vec<PathBuf> = std::fs::read_dir(logins).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.into_iter().find(|file| file.extension().is_some_and(|ending| ending == "json")).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_example_of_the_sdk_is_used_after_a_login_and_not_without() {
    let Some(served) = example() else { return };
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("logins");
    let logins = LoginFolder::new(&place);
    let server = named("demo", &served.address);

    let before = reached(&server, &logins).await;
    let error = before.reports()[0].error.clone().unwrap();
    assert!(matches!(&error, McpError::LoginNeeded { server } if server == "demo"), "{error:?}");
    assert!(error.to_string().contains("graphloom mcp login demo"), "{error}");

    let made = logged_in(&server, &logins).await.unwrap();
    assert_eq!((made.scopes, made.renewable), (vec!["mcp:tools".to_owned()], false));
    let servers = reached(&server, &logins).await;
    assert_eq!(servers.reports()[0].error, None);
    let greeting = servers.call("demo", "greet", json!({"name": "Ada"})).await.unwrap();
    assert_eq!(greeting.content, "Hello, Ada!");
    servers.close().await;

    // It is for its user alone, and for its address alone.
    let file = kept(&place);
    #[cfg(unix)]
    for (path, mode) in [(&place, 0o700), (&file, 0o600)] {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, mode, "{path:?}");
    }
    let other = named("other", &served.address.replace("localhost", "127.0.0.1"));
    let moved = logins_file(&logins, &other, &place);
    std::fs::copy(&file, &moved).unwrap();
    let error = reached(&other, &logins).await.reports()[0].error.clone();
    assert!(matches!(error, Some(McpError::LoginNeeded { .. })), "{error:?}");

    let url = served.address.parse().unwrap();
    assert!(logins.has(&url) && logins.remove(&url).unwrap());
    assert!(!logins.has(&url) && !logins.remove(&url).unwrap());
    let error = reached(&server, &logins).await.reports()[0].error.clone();
    assert!(matches!(error, Some(McpError::LoginNeeded { .. })), "{error:?}");
}

/// Where the login of a server would be: the name is found by trying.
fn logins_file(logins: &LoginFolder, server: &ServerConfig, place: &Path) -> PathBuf {
    let graphloom_mcp::Place::Http { url, .. } = &server.place else { panic!("an address") };
    let hash = blake3::hash(url.as_str().as_bytes()).to_hex();
    let file = place.join(format!("{}-{}.json", url.host_str().unwrap(), &hash[..24]));
    std::fs::write(&file, "").unwrap();
    assert!(logins.has(url), "the name of the file has changed");
    file
}

/// Lets two hours pass for the token that is kept, which lasts one.
fn age(logins: &Path) {
    let file = kept(logins);
    let mut login: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let received = &mut login["credentials"]["token_received_at"];
    *received = (received.as_u64().unwrap() - 2 * 3_600).into();
    std::fs::write(&file, login.to_string()).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_ends_is_exchanged_and_one_that_is_taken_back_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let Some(served) = script(folder.path(), &["one", "secret"]) else { return };
    let place = folder.path().join("logins");
    let logins = LoginFolder::new(&place);
    let server = named("notes", &served.address);
    let made = logged_in(&server, &logins).await.unwrap();
    assert_eq!((made.scopes, made.renewable), (vec!["notes".to_owned()], true));

    let servers = reached(&server, &logins).await;
    assert_eq!(servers.reports()[0].error, None);
    age(&place);
    assert_eq!(servers.call("notes", "note", json!({})).await.unwrap().content, "high tide at ten");
    drop(servers);
    // Another program goes on with what the first one was given last.
    age(&place);
    let servers = reached(&server, &logins).await;
    assert_eq!(servers.call("notes", "note", json!({})).await.unwrap().content, "high tide at ten");
    let grants = heard(folder.path(), "/token");
    assert!(grants.len() >= 3, "{grants:?}");
    let renewals = grants.iter().filter(|grant| grant["body"].as_str().unwrap().contains("grant_type=refresh_token"));
    assert_eq!(renewals.count(), grants.len() - 1, "{grants:?}");

    let end = served.address.replace("/mcp", "/end");
    browser(end).await;
    let asked = heard(folder.path(), "/mcp").len();
    let error = servers.call("notes", "note", json!({})).await.unwrap_err();
    assert!(matches!(error, McpError::LoginNeeded { .. }), "{error:?}");
    assert!(!error.is_retryable());
    assert!(heard(folder.path(), "/mcp").len() <= asked + 2, "it is not asked for ever");
    // Tokens are in no message and in no event.
    for line in heard(folder.path(), "/mcp") {
        let token = line["authorization"].as_str().unwrap_or_default().trim_start_matches("Bearer ").to_owned();
        assert!(token.is_empty() || !error.to_string().contains(&token));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_that_fails_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let logins = LoginFolder::new(folder.path().join("logins"));
    for (how, part) in [
        ("deny", "was refused: OAuth authorization failed: access_denied: not today"),
        ("plain", "over plain `http`"),
        ("silent", "it publishes nothing about a login"),
    ] {
        let Some(served) = script(folder.path(), &[how]) else { return };
        let error = logged_in(&named("notes", &served.address), &logins).await.unwrap_err().to_string();
        assert!(error.contains(part) && error.contains("`notes`"), "{how}: {error}");
    }
    assert!(!folder.path().join("logins").exists(), "nothing is kept of a login that failed");
    for (server, part) in [
        (r#"{"command": "x"}"#, "is a program"),
        (r#"{"url": "http://example.org/mcp"}"#, "over plain `http`"),
        (r#"{"url": "https://example.org/mcp", "headers": {"authorization": "Bearer x"}}"#, "headers.Authorization"),
    ] {
        let file = format!("{{\"mcpServers\": {{\"notes\": {server}}}}}");
        let config = McpConfig::parse(Path::new("servers.json"), &file, |_| None).unwrap();
        let error = login(&config.servers[0], &logins, LIMIT, |_| {}).await.unwrap_err().to_string();
        assert!(error.contains(part), "{server}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_bring_the_state_of_the_login_is_sent_away() {
    let folder = tempfile::tempdir().unwrap();
    let Some(served) = script(folder.path(), &[]) else { return };
    let logins = LoginFolder::new(folder.path().join("logins"));
    let (sender, shown) = tokio::sync::oneshot::channel();
    let server = named("notes", &served.address);
    let waiting = {
        let (server, logins) = (server.clone(), logins.clone());
        let show = |address: &str| drop(sender.send(address.to_owned()));
        tokio::spawn(async move { login(&server, &logins, LIMIT, show).await })
    };
    let address: reqwest::Url = shown.await.unwrap().parse().unwrap();
    let value = |name: &str| address.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
    let callback = value("redirect_uri");
    assert!(callback.starts_with("http://127.0.0.1:"), "{callback}");
    assert_eq!((value("code_challenge_method").as_str(), value("resource")), ("S256", served.address.clone()));
    // A connection that is never used holds nothing up.
    let idle =
        std::net::TcpStream::connect(callback.trim_start_matches("http://").trim_end_matches("/callback")).unwrap();
    let page = browser(format!("{callback}?code=stolen&state=guessed")).await;
    assert!(page.contains("not the login"), "{page}");
    let page = browser(callback.replace("/callback", "/other")).await;
    assert!(page.contains("nothing here"), "{page}");
    assert!(!waiting.is_finished() && heard(folder.path(), "/token").is_empty());
    let page = browser(address.to_string()).await;
    assert!(page.contains("You are logged in"), "{page}");
    waiting.await.unwrap().unwrap();
    drop(idle);

    // Nobody comes.
    let limit = Duration::from_millis(100);
    let error = login(&server, &logins, limit, |_| {}).await.unwrap_err();
    assert!(matches!(error, LoginError::TimedOut { .. }), "{error:?}");
    assert!(logins.has(&served.address.parse().unwrap()), "the login that was there stays");
}
