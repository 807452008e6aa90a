//! `graphloom serve` as a process: start, stop, what it refuses, and a kill in the middle of a run.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::{Client, Response};
use serde_json::{Value, json};

use crate::{graphloom, run};

/// A server that runs. It is killed when it is dropped.
struct Serving {
    process: Child,
    url: String,
    /// Where its studio is.
    studio: Option<String>,
    /// Open as long as the server runs, so that it can print its end.
    _stdout: BufReader<ChildStdout>,
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// Starts a server of the demo graphs, and waits until it answers.
fn serve(place: &Path, more: &[&str]) -> Serving {
    serve_on(place, more, None)
}

/// The same, over a database.
fn serve_on(place: &Path, more: &[&str], database: Option<&str>) -> Serving {
    let line = [&["serve", "--json", "--demo", "--apps", "none"], more].concat();
    let mut command = graphloom(place, &line);
    if let Some(database) = database {
        command.args(["--store", "postgres"]).env("GRAPHLOOM_POSTGRES_URL", database);
    }
    let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut stdout = BufReader::new(process.stdout.take().unwrap());
    let mut first = String::new();
    stdout.read_line(&mut first).unwrap();
    let told: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(told["event"], "serving", "{told}");
    let text = |field: &str| told[field].as_str().map(str::to_owned);
    Serving { process, url: text("url").unwrap(), studio: text("studio"), _stdout: stdout }
}

fn http() -> Client {
    graphloom_http::unproxied("tests").build().unwrap()
}

fn signal(process: &Child, name: &str) {
    assert!(Command::new("kill").args(["-s", name, &process.id().to_string()]).status().unwrap().success());
}

async fn post(url: &str, body: &Value) -> Response {
    http().post(url).header("content-type", "application/json").body(body.to_string()).send().await.unwrap()
}

async fn json_of(response: Response) -> Value {
    let (status, text) = (response.status(), response.text().await.unwrap());
    assert!(status.is_success(), "{status}: {text}");
    serde_json::from_str(&text).unwrap()
}

/// What has come of a stream.
#[derive(Default)]
struct StreamReader {
    text: String,
    ids: Vec<String>,
    ticks: Vec<u64>,
}

impl StreamReader {
    /// Reads until the stream ends or has told this many ticks.
    async fn read(&mut self, mut stream: Response, most: usize) {
        while self.ticks.len() < most {
            let Ok(Some(chunk)) = stream.chunk().await else { return };
            self.text.push_str(std::str::from_utf8(&chunk).unwrap());
            while let Some((frame, rest)) = self.text.split_once("\n\n").or_else(|| self.text.split_once("\r\n\r\n")) {
                let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
                if let Some(id) = field("id:") {
                    self.ids.push(id.to_owned());
                }
                if let Some(tick) = field("data:").and_then(|data| serde_json::from_str::<Value>(data).ok()) {
                    self.ticks.extend(tick["tick"].as_u64());
                }
                self.text = rest.to_owned();
            }
        }
    }
}

impl StreamReader {
    /// Sees to it that all ticks were told in order, each as one event. One that was told and not committed when its process
    /// died is made again, and told as what it is: another event.
    fn checked_ticks(&mut self, ticks: usize) -> Vec<u64> {
        let expected: Vec<u64> = (1..=ticks as u64).collect();
        let repeated = self.ticks.len() - ticks;
        self.ticks.dedup();
        assert_eq!(self.ticks, expected);
        assert!(repeated <= 1, "{repeated} ticks were made twice");
        let ids: BTreeSet<&String> = self.ids.iter().collect();
        assert_eq!(ids.len(), self.ids.len(), "each id once: {:?}", self.ids);
        expected
    }
}

#[tokio::test]
async fn it_says_where_it_listens_and_drains_when_it_is_asked_to_stop() {
    let place = tempfile::tempdir().unwrap();
    let mut serving = serve(place.path(), &["--port", "0"]);
    let ok = json_of(http().get(format!("{}/ok", serving.url)).send().await.unwrap()).await;
    assert_eq!(ok["ok"], true);
    signal(&serving.process, "TERM");
    assert_eq!(serving.process.wait().unwrap().code(), Some(0));
}

#[tokio::test]
async fn it_has_the_studio_unless_it_is_told_not_to() {
    let place = tempfile::tempdir().unwrap();
    let serving = serve(place.path(), &["--port", "0"]);
    let studio = serving.studio.as_deref().unwrap();
    assert_eq!(studio, format!("{}/studio/", serving.url));
    let page = http().get(studio).send().await.unwrap();
    assert!(page.headers().contains_key("content-security-policy"), "{page:?}");
    assert!(page.text().await.unwrap().contains("studio.js"));
    drop(serving);
    let without = serve(place.path(), &["--port", "0", "--no-studio"]);
    assert_eq!(without.studio, None);
    let status = http().get(format!("{}/studio/", without.url)).send().await.unwrap().status();
    assert_eq!(status.as_u16(), 404);
}

#[test]
fn what_cannot_be_served_is_one_clear_line() {
    let place = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let demo = ["serve", "--demo", "--apps", "none"];
    std::fs::create_dir_all(place.path().join("newer")).unwrap();
    std::fs::write(place.path().join("newer/threads.db"), "no database, but 16 bytes and more").unwrap();
    for (more, status, part) in [
        (&["--port", &*port, "--in-memory"][..], 1, "is in use"),
        (&["--host", "0.0.0.0"], 2, "others can reach `0.0.0.0:2024`, so it needs keys"),
        (&["--port", "0", "--data-dir", "newer"], 1, "threads.db"),
    ] {
        let (code, stdout, stderr) = run(place.path(), &[&demo[..], more].concat());
        assert_eq!((code, stdout.as_str()), (status, ""), "{more:?}: {stderr}");
        let errors: Vec<&str> = stderr.lines().filter(|line| line.starts_with("error:")).collect();
        assert_eq!(errors.len(), 1, "{stderr}");
        assert!(errors[0].contains(part), "{stderr}");
    }
}

#[tokio::test]
async fn a_data_directory_has_one_server() {
    let place = tempfile::tempdir().unwrap();
    let first = serve(place.path(), &["--port", "0"]);
    let line = ["serve", "--demo", "--apps", "none", "--port", "0"];
    let (code, _, stderr) = run(place.path(), &line);
    assert_eq!(code, 1);
    assert!(stderr.contains("another `graphloom serve` keeps its runs in"), "{stderr}");
    drop(first);
    drop(serve(place.path(), &["--port", "0"]));
}

#[tokio::test]
async fn after_a_kill_the_run_goes_on_and_its_stream_has_neither_gap_nor_repeat() {
    const TICKS: usize = 40;
    let place = tempfile::tempdir().unwrap();
    let serving = serve(place.path(), &["--port", "0"]);
    let thread = json_of(post(&format!("{}/threads", serving.url), &json!({})).await).await;
    let thread = thread["thread_id"].as_str().unwrap();
    let order = json!({
        "assistant_id": "ticker", "input": { "n": TICKS, "delay_ms": 30 }, "stream_mode": ["custom"],
        "stream_resumable": true, "on_disconnect": "continue",
    });
    let stream = post(&format!("{}/threads/{thread}/runs/stream", serving.url), &order).await;
    let mut seen = StreamReader::default();
    seen.read(stream, 5).await;
    drop(serving);
    assert!((5..TICKS).contains(&seen.ticks.len()), "{:?}", seen.ticks);

    let again = serve(place.path(), &["--port", "0"]);
    let runs = json_of(http().get(format!("{}/threads/{thread}/runs", again.url)).send().await.unwrap()).await;
    let run = runs[0]["run_id"].as_str().unwrap();
    let url = format!("{}/threads/{thread}/runs/{run}/stream?stream_mode=custom", again.url);
    let last = seen.ids.last().cloned().unwrap();
    let rest = http().get(url).header("last-event-id", last).send().await.unwrap();
    assert!(rest.status().is_success(), "{rest:?}");
    seen.text.clear();
    let began = Instant::now();
    tokio::time::timeout(Duration::from_secs(60), seen.read(rest, usize::MAX)).await.unwrap();
    assert!(began.elapsed() > Duration::from_millis(30), "the run went on");
    let expected = seen.checked_ticks(TICKS);
    let state = json_of(http().get(format!("{}/threads/{thread}/state", again.url)).send().await.unwrap()).await;
    assert_eq!(state["values"]["ticks"], json!(expected));
}

#[tokio::test]
async fn processes_over_one_database_are_one_server_and_what_one_did_that_dies_goes_on_at_another() {
    const TICKS: usize = 60;
    let database = graphloom_postgres_server::Server::start();
    let place = tempfile::tempdir().unwrap();
    let [one, other] = [0, 1].map(|_| serve_on(place.path(), &["--port", "0"], Some(&database.url())));
    let thread = json_of(post(&format!("{}/threads", one.url), &json!({})).await).await;
    let thread = thread["thread_id"].as_str().unwrap();
    let order = json!({
        "assistant_id": "ticker", "input": { "n": TICKS, "delay_ms": 30 }, "stream_mode": ["custom"],
        "stream_resumable": true, "on_disconnect": "continue",
    });
    let run = json_of(post(&format!("{}/threads/{thread}/runs", one.url), &order).await).await;
    let run = run["run_id"].as_str().unwrap();
    let url = format!("{}/threads/{thread}/runs/{run}/stream?stream_mode=custom", other.url);
    let stream = http().get(url).header("last-event-id", "-1").send().await.unwrap();
    assert!(stream.status().is_success(), "{stream:?}");
    let mut seen = StreamReader::default();
    let began = Instant::now();
    let reading = async {
        seen.read(stream, usize::MAX).await;
        began.elapsed()
    };
    let killing = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        drop(one);
    };
    let both = async { tokio::join!(reading, killing) };
    let (took, ()) = tokio::time::timeout(Duration::from_secs(60), both).await.unwrap();
    assert!(took > Duration::from_millis(30 * TICKS as u64), "{took:?}");
    let expected = seen.checked_ticks(TICKS);
    let state = json_of(http().get(format!("{}/threads/{thread}/state", other.url)).send().await.unwrap()).await;
    assert_eq!(state["values"]["ticks"], json!(expected));
    let thread = json_of(http().get(format!("{}/threads/{thread}", other.url)).send().await.unwrap()).await;
    assert_eq!(thread["status"], "idle");
}
