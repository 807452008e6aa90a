//! A program with `--studio`: what a page asks its server for, and what a person does there.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{JoinHandle, spawn};

use serde_json::Value;
use tokio::runtime::Runtime;

/// A program whose run is shown. It is killed when this is dropped.
#[derive(Debug)]
pub struct Shown {
    process: Child,
    lines: Receiver<String>,
    stderr: Option<JoinHandle<String>>,
    runtime: Runtime,
    client: reqwest::Client,
    /// Its event `studio`.
    pub told: Value,
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// How a program ended.
#[derive(Debug)]
pub struct ShownEnd {
    /// Its status.
    pub status: ExitStatus,
    /// The last line of `--json`.
    pub result: Value,
    /// What it told people.
    pub stderr: String,
}

impl Shown {
    /// Starts a command that has `--json` and `--studio`, and waits until its run is shown.
    ///
    /// # Panics
    /// When it ends before.
    pub fn start(mut command: Command) -> Self {
        let mut process = command.spawn().expect("the program runs");
        let stdout = BufReader::new(process.stdout.take().expect("a pipe"));
        let mut stderr = process.stderr.take().expect("a pipe");
        let (said, lines) = channel();
        spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| said.send(line)));
        let stderr = spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).ok();
            text
        });
        let runtime = Runtime::new().expect("a runtime");
        let client = graphloom_http::unproxied("tests").build().expect("a client");
        let mut shown = Self { process, lines, stderr: Some(stderr), runtime, client, told: Value::Null };
        shown.told = shown.until("studio");
        shown
    }

    /// The next event of this name.
    ///
    /// # Panics
    /// When the program ends before.
    pub fn until(&mut self, event: &str) -> Value {
        loop {
            let Ok(line) = self.lines.recv() else {
                self.process.kill().ok();
                let stderr = self.stderr.take().and_then(|read| read.join().ok()).unwrap_or_default();
                panic!("no event `{event}`: {stderr}");
            };
            let line: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            if line["event"] == event {
                return line;
            }
        }
    }

    /// What the server answers to a `GET` of a path; a stream begins with its first event.
    ///
    /// # Panics
    /// When it answers with an error.
    pub fn get(&self, path: &str) -> String {
        let request = self.client.get(format!("{}{path}", self.server())).header("last-event-id", "-1");
        let (status, text) = self.send(request);
        assert_eq!(status, 200, "{path}: {text}");
        text
    }

    /// What the server answers to a `GET` of a path below the thread, as JSON.
    ///
    /// # Panics
    /// When it answers with an error or no JSON.
    pub fn thread(&self, path: &str) -> Value {
        let text = self.get(&format!("/threads/{}{path}", self.thread_id()));
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// The status and body with which the server answers to a `POST` of JSON.
    pub fn post(&self, path: &str, body: &Value) -> (u16, String) {
        let request = self.client.post(format!("{}{path}", self.server()));
        self.send(request.header("content-type", "application/json").body(body.to_string()))
    }

    /// Waits until the newest run of the thread has ended, and returns the thread.
    pub fn after_run(&self) -> Value {
        let run = self.newest_run();
        self.thread(&format!("/runs/{run}/join"));
        self.thread("")
    }

    /// The id of the newest run of the thread.
    pub fn newest_run(&self) -> String {
        self.thread("/runs")[0]["run_id"].as_str().expect("a run").to_owned()
    }

    /// Starts a run of the thread, as an answer does.
    ///
    /// # Panics
    /// When it is refused.
    pub fn start_run(&self, body: &Value) {
        let (status, text) = self.post(&format!("/threads/{}/runs", self.thread_id()), body);
        assert_eq!(status, 200, "{body}: {text}");
    }

    /// Presses Ctrl-C.
    ///
    /// # Panics
    /// When the process is gone.
    #[cfg(unix)]
    pub fn interrupt(&self) {
        let id = i32::try_from(self.process.id()).ok().and_then(rustix::process::Pid::from_raw).expect("an id");
        rustix::process::kill_process(id, rustix::process::Signal::INT).expect("a process");
    }

    /// The id of the thread for clients.
    pub fn thread_id(&self) -> &str {
        self.told["thread"].as_str().unwrap_or_default()
    }

    /// Waits for the end of the program.
    ///
    /// # Panics
    /// When its last line is no result.
    pub fn end(mut self) -> ShownEnd {
        let mut last = String::new();
        for line in &self.lines {
            last = line;
        }
        let status = self.process.wait().expect("the program ends");
        let stderr = self.stderr.take().and_then(|read| read.join().ok()).unwrap_or_default();
        let result = serde_json::from_str(&last).unwrap_or_else(|error| panic!("{error}: {last}\n{stderr}"));
        ShownEnd { status, result, stderr }
    }

    fn server(&self) -> &str {
        self.told["server"].as_str().unwrap_or_default()
    }

    fn send(&self, request: reqwest::RequestBuilder) -> (u16, String) {
        self.runtime.block_on(async {
            let response = request.send().await.expect("the server answers");
            (response.status().as_u16(), response.text().await.expect("a text"))
        })
    }
}
