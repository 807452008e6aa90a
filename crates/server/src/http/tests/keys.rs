//! Who may do what.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tracing_subscriber::fmt::format::FmtSpan;

use super::super::{Guard, Keys, Security};
use super::Served;

const READER: &str = "key-of-the-reader-0001";
const RUNNER: &str = "key-of-the-runner-0002";
const OPERATOR: &str = "key-of-the-operator-03";

fn keys() -> Keys {
    let hashed = blake3::hash(OPERATOR.as_bytes()).to_hex();
    Keys::from_text(&format!("reader read {READER}\nrunner read,run {RUNNER}\nops all blake3:{hashed}\n"))
        .expect("keys")
}

#[tokio::test]
async fn a_key_allows_what_its_scopes_say() {
    let served = Served::start(|security| security.keys = keys()).await;
    let bearer = format!("Bearer {RUNNER}");
    let basic = format!("Basic {RUNNER}");
    let cases = [
        ("GET", "/ok", "x-api-key", "", 200, ""),
        (
            "GET",
            "/who",
            "accept",
            "*/*",
            401,
            "An API key is needed: send it as `x-api-key` or as `Authorization: Bearer`",
        ),
        ("GET", "/who", "x-api-key", "key-of-nobody-at-all", 401, "The API key is not known to this server"),
        ("GET", "/who", "x-api-key", "", 401, "The API key is not known to this server"),
        ("GET", "/nowhere", "x-api-key", "wrong", 401, "The API key is not known to this server"),
        (
            "GET",
            "/who",
            "authorization",
            &basic,
            401,
            "An API key is needed: send it as `x-api-key` or as `Authorization: Bearer`",
        ),
        ("GET", "/who", "x-api-key", READER, 200, "\"reader\""),
        ("GET", "/who", "authorization", &bearer, 200, "\"runner\""),
        ("GET", "/who", "x-api-key", OPERATOR, 200, "\"ops\""),
        ("POST", "/search", "x-api-key", READER, 200, ""),
        (
            "POST",
            "/optional",
            "x-api-key",
            READER,
            403,
            "The API key `reader` does not allow this: it needs the scope `run`",
        ),
        ("POST", "/optional", "x-api-key", RUNNER, 200, ""),
        (
            "DELETE",
            "/items",
            "x-api-key",
            RUNNER,
            403,
            "The API key `runner` does not allow this: it needs the scope `admin`",
        ),
        ("DELETE", "/items", "x-api-key", OPERATOR, 200, ""),
        (
            "GET",
            "/metrics",
            "x-api-key",
            RUNNER,
            403,
            "The API key `runner` does not allow this: it needs the scope `admin`",
        ),
        ("GET", "/metrics", "x-api-key", OPERATOR, 200, ""),
        ("HEAD", "/metrics", "x-api-key", RUNNER, 403, ""),
        (
            "GET",
            "/socket",
            "x-api-key",
            READER,
            403,
            "The API key `reader` does not allow this: it needs the scope `run`",
        ),
        ("GET", "/nowhere", "x-api-key", READER, 404, "Not Found"),
    ];
    for (method, path, header, value, status, expected) in cases {
        let answer = served.send(method, path, &[(header, value)], "{}").await;
        assert_eq!(answer.status, status, "{method} {path} {header}");
        if method != "HEAD" && !expected.is_empty() {
            let shown = if status == 200 { answer.text.clone() } else { answer.detail() };
            assert_eq!(shown, expected, "{method} {path} {header}");
        }
        assert!(![READER, RUNNER, OPERATOR].iter().any(|key| answer.text.contains(key)));
        assert_eq!(answer.header("www-authenticate"), if status == 401 { "Bearer" } else { "" });
    }
    let refused = served.send("POST", "/other", &[], "{}").await;
    let expected = r#"{"error":{"message":"An API key is needed: send it as `x-api-key` or as `Authorization: Bearer`","code":"unauthorized","param":null}}"#;
    assert_eq!((refused.status, refused.text.as_str()), (401, expected), "a refusal in the form of its protocol");
}

/// What the log holds.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("the log").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn the_log_has_ids_and_names_and_no_keys() {
    // Where there is only one subscriber, a place in the code that a thread without it meets first is taken for one that nobody
    // wants to hear of, on all threads.
    let _others = [(); 2].map(|()| tracing::Dispatch::new(tracing_subscriber::registry()));
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_span_events(FmtSpan::CLOSE)
        .with_writer(move || writer.clone())
        .finish();
    let _entered = tracing::subscriber::set_default(subscriber);
    let served = Served::start(|security| security.keys = keys()).await;
    let unknown = "key-of-a-stranger-0004";
    let bearer = format!("Bearer {RUNNER}");
    served.get("/who?text=private", &[("x-api-key", READER), ("x-request-id", "request-7")]).await;
    served.get("/who", &[("authorization", &bearer)]).await;
    served.get("/who", &[("x-api-key", unknown)]).await;
    // A span may end after the answer.
    let told = || String::from_utf8(log.0.lock().expect("the log").clone()).unwrap();
    while told().matches("http.response.status_code").count() < 3 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let log = told();
    let line = log.lines().find(|line| line.contains("request-7")).expect("a line about the request");
    for part in
        ["method=\"GET\"", "route=\"/who\"", "enduser.id=\"reader\"", "http.response.status_code=200", "server.port="]
    {
        assert!(line.contains(part), "{part} in {line}");
    }
    assert!(![READER, RUNNER, unknown, "private"].iter().any(|secret| log.contains(secret)), "{log}");
}

#[test]
fn an_address_that_others_can_reach_needs_keys() {
    for (address, needs) in
        [("127.0.0.1:1", false), ("[::1]:1", false), ("0.0.0.0:1", true), ("[::]:1", true), ("10.0.0.7:1", true)]
    {
        let mut security = Security::at(address.parse().expect(address));
        let started = Guard::new(&security);
        assert_eq!(started.is_err(), needs, "{address}");
        if let Err(error) = started {
            let text = error.to_string();
            assert!(text.contains(address) && text.contains("--api-key-file"), "{text}");
            security.keys = keys();
            assert!(Guard::new(&security).is_ok(), "{address}");
        }
    }
}

#[test]
fn keys_come_from_a_file_and_are_shown_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys");
    let missing = Keys::from_file(&path).expect_err("no file").to_string();
    assert!(missing.contains(&path.display().to_string()), "{missing}");
    std::fs::write(&path, "# none\n").unwrap();
    assert!(Keys::from_file(&path).expect_err("no key").to_string().contains("holds no key"));
    std::fs::write(&path, format!("reader read {READER}\n")).unwrap();
    let mut security = Security::at(([127, 0, 0, 1], 2024).into());
    security.keys = Keys::from_file(&path).unwrap();
    let hash = blake3::hash(READER.as_bytes()).to_hex();
    for shown in [format!("{security:?}"), format!("{:?}", Guard::new(&security).unwrap())] {
        assert!(shown.contains("reader") && !shown.contains(READER) && !shown.contains(hash.as_str()), "{shown}");
    }
}
