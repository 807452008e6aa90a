//! `graphloom serve` as a process: start, stop, what it refuses, and a kill in the middle of a run.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Seek};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reqwest::{Client, Response};
use serde_json::{Value, json};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use crate::{graphloom, run};

/// A server that runs. It is killed when it is dropped.
pub(crate) struct Serving {
    process: Child,
    pub(crate) url: String,
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
    serve_on(place, &[&["--demo", "--apps", "none"], more].concat(), None)
}

/// A server of other graphs, or over a database.
pub(crate) fn serve_on(place: &Path, more: &[&str], database: Option<&str>) -> Serving {
    let line = [&["serve", "--json"], more].concat();
    let mut command = graphloom(place, &line);
    if let Some(database) = database {
        command.args(["--store", "postgres"]).env("GRAPHLOOM_POSTGRES_URL", database);
    }
    Serving::of(command)
}

/// Starts a process, and reads the first line that it prints; one that ends without it fails with what it wrote.
pub(crate) fn first_line(command: &mut Command) -> (Child, BufReader<ChildStdout>, Value) {
    let mut errors = tempfile::tempfile().unwrap();
    let mut process = command.stdout(Stdio::piped()).stderr(errors.try_clone().unwrap()).spawn().unwrap();
    let mut stdout = BufReader::new(process.stdout.take().unwrap());
    let mut first = String::new();
    stdout.read_line(&mut first).unwrap();
    let Ok(told) = serde_json::from_str(&first) else {
        drop(process.kill());
        let (status, mut wrote) = (process.wait().unwrap(), String::new());
        errors.rewind().unwrap();
        errors.read_to_string(&mut wrote).unwrap();
        panic!("the process ended with {status}: {first}{wrote}");
    };
    (process, stdout, told)
}

impl Serving {
    /// Runs a server, and waits until it answers requests.
    pub(crate) fn of(mut command: Command) -> Self {
        let (process, stdout, told) = first_line(&mut command);
        assert_eq!(told["event"], "serving", "{told}");
        let text = |field: &str| told[field].as_str().map(str::to_owned);
        Self { process, url: text("url").unwrap(), studio: text("studio"), _stdout: stdout }
    }
}

pub(crate) fn http() -> Client {
    graphloom_http::unproxied("tests").build().unwrap()
}

pub(crate) fn signal(process: &Child, name: &str) {
    assert!(Command::new("kill").args(["-s", name, &process.id().to_string()]).status().unwrap().success());
}

pub(crate) async fn post(url: &str, body: &Value) -> Response {
    http().post(url).header("content-type", "application/json").body(body.to_string()).send().await.unwrap()
}

pub(crate) async fn json_of(response: Response) -> Value {
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
    async fn read(&mut self, stream: &mut Response, most: usize) {
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
    let mut stream = post(&format!("{}/threads/{thread}/runs/stream", serving.url), &order).await;
    let mut seen = StreamReader::default();
    seen.read(&mut stream, 5).await;
    drop(serving);
    eprintln!("killed after {} of {TICKS} ticks", seen.ticks.len());

    let again = serve(place.path(), &["--port", "0"]);
    let runs = json_of(http().get(format!("{}/threads/{thread}/runs", again.url)).send().await.unwrap()).await;
    let run = runs[0]["run_id"].as_str().unwrap();
    let url = format!("{}/threads/{thread}/runs/{run}/stream?stream_mode=custom", again.url);
    let last = seen.ids.last().cloned().unwrap();
    let mut rest = http().get(url).header("last-event-id", last).send().await.unwrap();
    assert!(rest.status().is_success(), "{rest:?}");
    seen.text.clear();
    seen.read(&mut rest, usize::MAX).await;
    let expected = seen.checked_ticks(TICKS);
    let state = json_of(http().get(format!("{}/threads/{thread}/state", again.url)).send().await.unwrap()).await;
    assert_eq!(state["values"]["ticks"], json!(expected));
}

/// A model behind a server: it judges a task at once, and writes as soon as it may.
struct PausedWriter {
    may_write: Arc<AtomicBool>,
}

impl Respond for PausedWriter {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let is_judged = String::from_utf8_lossy(&request.body).contains("<atomic_task_determination>");
        let text = match is_judged {
            true => "<result><atomic_task_determination>atomic</atomic_task_determination></result>",
            false => "<article>\nThe moon pulls the water, twice a day.\n</article>",
        };
        let answer = ResponseTemplate::new(200).set_body_json(json!({
            "id": "x", "object": "chat.completion", "created": 0, "model": "m",
            "choices": [{ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100 },
        }));
        let may_answer = is_judged || self.may_write.load(Ordering::SeqCst);
        if may_answer { answer } else { answer.set_delay(Duration::from_secs(3600)) }
    }
}

#[tokio::test]
async fn calls_of_a_model_are_counted_once_over_a_kill() {
    let may_write = Arc::new(AtomicBool::new(false));
    let model = MockServer::start().await;
    Mock::given(path("/v1/chat/completions"))
        .respond_with(PausedWriter { may_write: Arc::clone(&may_write) })
        .mount(&model)
        .await;
    let spec = format!("compatible:m@{}/v1", model.uri());
    let options = ["--apps", "writehere", "--model", &spec, "--budget", "calls=100,usd=1,price=1/2", "--port", "0"];
    let place = tempfile::tempdir().unwrap();
    let serving = serve_on(place.path(), &options, None);
    let thread = json_of(post(&format!("{}/threads", serving.url), &json!({})).await).await;
    let order = json!({ "assistant_id": "writehere", "input": { "request": "A report on tides" } });
    let runs = format!("threads/{}/runs", thread["thread_id"].as_str().unwrap());
    json_of(post(&format!("{}/{runs}", serving.url), &order).await).await;
    let usage = async |url: &str| {
        let found = json_of(post(&format!("{url}/runs/search"), &json!({})).await).await;
        (found[0]["status"].clone(), found[0]["usage"].clone())
    };
    // The second call is under way, and what the first one used is known before it ends.
    while model.received_requests().await.unwrap_or_default().len() < 2 || usage(&serving.url).await.1["calls"] != 1 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (status, used) = usage(&serving.url).await;
    assert_eq!((status, &used["calls"], &used["input_tokens"]), (json!("running"), &json!(1), &json!(1000)), "{used}");
    drop(serving);

    may_write.store(true, Ordering::SeqCst);
    let again = serve_on(place.path(), &options, None);
    let used = loop {
        let (status, used) = usage(&again.url).await;
        if status != "running" && status != "pending" {
            break used;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    // Two answers, of three requests: that of the call that was cut off never came.
    assert_eq!((&used["calls"], &used["failed"], &used["unpriced"]), (&json!(2), &json!(0), &json!(0)), "{used}");
    assert_eq!((&used["input_tokens"], &used["output_tokens"]), (&json!(2000), &json!(200)), "{used}");
    assert_eq!(used["cost_usd_micros"], json!(2 * (1000 + 200)), "{used}");
}

#[tokio::test]
async fn processes_over_one_database_are_one_server_and_what_one_did_that_dies_goes_on_at_another() {
    const TICKS: usize = 60;
    let database = graphloom_postgres_server::Server::start();
    let place = tempfile::tempdir().unwrap();
    let [one, other] =
        [0, 1].map(|_| serve_on(place.path(), &["--demo", "--apps", "none", "--port", "0"], Some(&database.url())));
    let thread = json_of(post(&format!("{}/threads", one.url), &json!({})).await).await;
    let thread = thread["thread_id"].as_str().unwrap();
    let order = json!({
        "assistant_id": "ticker", "input": { "n": TICKS, "delay_ms": 30 }, "stream_mode": ["custom"],
        "stream_resumable": true, "on_disconnect": "continue",
    });
    let run = json_of(post(&format!("{}/threads/{thread}/runs", one.url), &order).await).await;
    let run = run["run_id"].as_str().unwrap();
    let url = format!("{}/threads/{thread}/runs/{run}/stream?stream_mode=custom", other.url);
    let mut stream = http().get(url).header("last-event-id", "-1").send().await.unwrap();
    assert!(stream.status().is_success(), "{stream:?}");
    let mut seen = StreamReader::default();
    seen.read(&mut stream, 10).await;
    drop(one);
    eprintln!("killed after {} of {TICKS} ticks", seen.ticks.len());
    seen.read(&mut stream, usize::MAX).await;
    let expected = seen.checked_ticks(TICKS);
    let state = json_of(http().get(format!("{}/threads/{thread}/state", other.url)).send().await.unwrap()).await;
    assert_eq!(state["values"]["ticks"], json!(expected));
    let thread = json_of(http().get(format!("{}/threads/{thread}", other.url)).send().await.unwrap()).await;
    assert_eq!(thread["status"], "idle");
}
