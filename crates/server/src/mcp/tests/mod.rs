//! The demo graphs as tools, driven by the client of rmcp in both generations of the protocol.

mod calls;
mod questions;
mod several;
mod streams;
mod tasks;

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::store::{MemoryStore, Store};
use graphloom_core_graph::{Clock, SystemClock};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
    ElicitationAction, ErrorData, Implementation, ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt as _, RoleClient};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::records::Records;
use crate::{Running, Server};

const GENERATIONS: [Generation; 2] = [Generation::Modern, Generation::Legacy];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Generation {
    /// 2026-07-28.
    Modern,
    /// 2025-11-25.
    Legacy,
}

/// Whoever sits before a client: answers forms, and sees progress.
#[derive(Default)]
struct Person {
    shows_forms: bool,
    has_tasks: bool,
    answers: Mutex<VecDeque<ElicitResult>>,
    asked: Mutex<Vec<(String, Value)>>,
    progress: Mutex<Vec<(f64, String)>>,
    /// Told at each progress, and at each form that has no answer.
    noticed: Notify,
}

type Client = RunningService<RoleClient, Arc<Person>>;

impl Person {
    fn new() -> Arc<Self> {
        Arc::default()
    }

    fn answering(answers: impl IntoIterator<Item = Value>) -> Arc<Self> {
        let accept = |answer| ElicitResult::new(ElicitationAction::Accept).with_content(json!({ "answer": answer }));
        let answers = Mutex::new(answers.into_iter().map(accept).collect());
        Arc::new(Self { shows_forms: true, answers, ..Self::default() })
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|(message, _)| message.clone()).collect()
    }
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if self.shows_forms {
            capabilities.elicitation = Some(Default::default());
        }
        if self.has_tasks {
            let with_tasks = ClientCapabilities::builder().enable_tasks().build();
            capabilities.extensions = with_tasks.extensions;
        }
        ClientConfig::new(capabilities, Implementation::new("test", "1"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = request else {
            return Err(ErrorData::internal_error("a form is expected", None));
        };
        self.asked.lock().unwrap().push((message, serde_json::to_value(requested_schema).unwrap()));
        let answer = self.answers.lock().unwrap().pop_front();
        match answer {
            Some(answer) => Ok(answer),
            None => {
                self.noticed.notify_one();
                std::future::pending().await
            }
        }
    }

    async fn on_progress(&self, told: ProgressNotificationParam, _context: NotificationContext<RoleClient>) {
        self.progress.lock().unwrap().push((told.progress, told.message.unwrap_or_default()));
        self.noticed.notify_one();
    }
}

/// What outlives a server.
#[derive(Clone, Default)]
struct Storage {
    checkpoints: Arc<MemoryCheckpointer>,
    memory: Arc<MemoryStore>,
}

impl Storage {
    fn server(&self) -> Server {
        let (checkpoints, memory) = (Arc::clone(&self.checkpoints), Arc::clone(&self.memory));
        Server::new().demo().unwrap().checkpointer(checkpoints).store(memory)
    }

    async fn start(&self) -> Running {
        self.server().start(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await.unwrap()
    }

    fn records(&self) -> Records {
        let store: Arc<dyn Store> = Arc::<MemoryStore>::clone(&self.memory);
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        Records::new(&store, &clock)
    }

    /// Waits until the only thread is as wanted.
    async fn until(&self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        let records = self.records();
        loop {
            let threads = records.threads.search(&Default::default()).await.unwrap().items;
            if let [thread] = threads.as_slice()
                && is_wanted(thread)
            {
                return thread.clone();
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

fn lifecycle(generation: Generation) -> ClientLifecycleMode {
    match generation {
        Generation::Modern => ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] },
        Generation::Legacy => ClientLifecycleMode::Initialize,
    }
}

async fn connect(server: &Running, generation: Generation, person: &Arc<Person>) -> Client {
    let config = StreamableHttpClientTransportConfig::with_uri(format!("http://{}/mcp", server.address()));
    let transport = StreamableHttpClientTransport::with_client(reqwest::Client::new(), config);
    Arc::clone(person).serve_with_lifecycle(transport, lifecycle(generation)).await.unwrap()
}

fn call(tool: &'static str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object, not {arguments}") };
    CallToolRequestParams::new(tool).with_arguments(arguments)
}

fn text(result: &CallToolResult) -> String {
    let texts: Vec<_> = result.content.iter().filter_map(|block| Some(block.as_text()?.text.clone())).collect();
    texts.join("\n---\n")
}

fn structured(result: &CallToolResult) -> &Value {
    result.structured_content.as_ref().unwrap_or(&Value::Null)
}
