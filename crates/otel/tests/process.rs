//! A server of graphs whose spans go to a collector, in a process of its own: this program of tests, started again.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use graphloom_checkpoint_sqlite::{SqliteCheckpointer, SqliteStore};
use graphloom_core_graph::{Context, Node, NodeError, START, Snapshot, State, StateGraph};
use graphloom_llm::layers::Traced;
use graphloom_llm::scripted::Reply;
use graphloom_llm::{ChatModel, ChatRequest, Scripted, Usage};
use graphloom_otel::Exporter;
use graphloom_server::{Keys, Security, Server};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::prelude::*;

/// Tells the process that it is to serve, and where it writes its address and its log.
const DIRECTORY: &str = "GRAPHLOOM_TEST_OTEL_DIRECTORY";
/// The key of the server.
pub(crate) const KEY: &str = "a-key-that-is-in-no-span";

/// A server in a process of its own.
pub(crate) struct ServerProcess {
    child: tokio::process::Child,
    directory: PathBuf,
    address: String,
    client: reqwest::Client,
}

impl ServerProcess {
    /// Starts a server whose spans go to an address.
    pub(crate) async fn start(directory: &Path, collector: &str) -> Self {
        let log = std::fs::File::create(directory.join("log")).unwrap();
        drop(std::fs::remove_file(directory.join("address")));
        let mut child = tokio::process::Command::new(std::env::current_exe().unwrap())
            .args(["process::serves_for_other_tests", "--exact", "--ignored", "--nocapture"])
            .env(DIRECTORY, directory)
            .env("OTEL_EXPORTER_OTLP_ENDPOINT", collector)
            .env("OTEL_EXPORTER_OTLP_HEADERS", "x-collector-key=of-the-collector")
            .env("OTEL_BSP_SCHEDULE_DELAY", "50")
            .stdout(Stdio::null())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let address = directory.join("address");
        let address = loop {
            if let Ok(address) = std::fs::read_to_string(&address) {
                break address;
            }
            assert!(child.try_wait().unwrap().is_none(), "{}", std::fs::read_to_string(directory.join("log")).unwrap());
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        let here = reqwest::Url::parse(&format!("http://{address}")).unwrap();
        let client = graphloom_http::client(&here, "test").unwrap().build().unwrap();
        Self { child, directory: directory.to_owned(), address, client }
    }

    /// Posts a body, with headers, and returns the answer.
    pub(crate) async fn post(&self, path: &str, body: &str, headers: &[(&str, &str)]) -> serde_json::Value {
        let mut request = self.client.post(format!("http://{}{path}", self.address)).body(body.to_owned());
        request = request.header("content-type", "application/json").header("x-api-key", KEY);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await.unwrap();
        let (status, text) = (response.status(), response.text().await.unwrap());
        assert!(status.is_success(), "{status}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// Fails with the log of the process where that has ended.
    pub(crate) fn must_run(&mut self) {
        let log = || std::fs::read_to_string(self.directory.join("log")).unwrap_or_default();
        assert!(self.child.try_wait().unwrap().is_none(), "the server has ended: {}", log());
    }

    /// Ends the process as a crash does.
    pub(crate) async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    /// Asks the server to stop, and returns how its process ended and what it wrote to its log.
    pub(crate) async fn stop(mut self) -> (ExitStatus, String) {
        let id = self.child.id().unwrap().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        let ended = self.child.wait().await.unwrap();
        (ended, std::fs::read_to_string(self.directory.join("log")).unwrap())
    }
}

/// A question to a model.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Asking {
    question: String,
    answer: String,
}

const ASK: Node = Node::named("ask");

async fn ask(asking: Snapshot<Asking>, context: Context<Arc<dyn ChatModel>>) -> Result<AskingUpdate, NodeError> {
    let answer = context.resources().chat(ChatRequest::user(asking.question.clone())).await?;
    Ok(Asking::update().answer(answer.text()))
}

fn model() -> Arc<dyn ChatModel> {
    let usage = Usage { input: 21, output: 2, ..Usage::default() };
    let scripted = Scripted::from_fn(move |_| Ok(Reply { usage: Some(usage), ..Reply::text("a-private-answer") }));
    Arc::new(Traced::new(Arc::new(scripted)).at("127.0.0.1", 8080))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it is the server of other tests, which start it in a process of its own"]
async fn serves_for_other_tests() {
    let Some(directory) = std::env::var_os(DIRECTORY).map(PathBuf::from) else { return };
    let exporter = Exporter::from_env("demo").unwrap().unwrap();
    let log = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(std::io::stderr);
    tracing_subscriber::registry().with(log.with_filter(LevelFilter::WARN)).with(exporter.layer()).init();
    let mut asks = StateGraph::<Asking, Arc<dyn ChatModel>>::new("asks");
    asks.add_node(ASK, ask);
    asks.add_edge(START, ASK);
    let mut security = Security::at(([127, 0, 0, 1], 0).into());
    security.keys = Keys::from_text(&format!("tester run {KEY}")).unwrap();
    let server = Server::new()
        .demo()
        .unwrap()
        .graph("asks", asks.compile().unwrap(), model())
        .checkpointer(Arc::new(SqliteCheckpointer::open(directory.join("threads.sqlite")).unwrap()))
        .store(Arc::new(SqliteStore::open(directory.join("memory.sqlite")).unwrap()))
        .records(Arc::new(SqliteStore::open(directory.join("records.sqlite")).unwrap()));
    let running = server.start(security).await.unwrap();
    let written = directory.join("address.new");
    std::fs::write(&written, running.address().to_string()).unwrap();
    std::fs::rename(written, directory.join("address")).unwrap();
    running.until_asked().await.unwrap();
    exporter.shutdown();
}
