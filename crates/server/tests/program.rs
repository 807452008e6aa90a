//! A thread whose runs the program of the server begins: clients see them, stop them and answer them, and the program follows.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::{Checkpointer, MemoryCheckpointer, ThreadFilter};
use graphloom_core_graph::{Context, Node, NodeError, Outcome, RunPolicy, START, Snapshot, State, StateGraph, Threads};
use graphloom_server::{ProgramRun, ProgramThread, Running, Server};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::Client;

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Plan {
    topic: Option<String>,
    verdict: Option<String>,
}

const DRAFT: Node = Node::named("draft");
const REVIEW: Node = Node::named("review");
const NAME: &str = "monday";

async fn draft(plan: Snapshot<Plan>) -> Result<PlanUpdate, NodeError> {
    if plan.topic.as_deref() == Some("slow") {
        std::future::pending::<()>().await;
    }
    Ok(Plan::update())
}

async fn review(plan: Snapshot<Plan>, context: Context) -> Result<PlanUpdate, NodeError> {
    let verdict: String = context.ask("verdict", &json!({ "topic": plan.topic })).await?;
    Ok(Plan::update().verdict(verdict))
}

struct Program {
    store: Arc<dyn Checkpointer>,
    threads: Threads<Plan>,
    running: Running,
    thread: ProgramThread<Plan>,
    client: Client,
    path: String,
}

impl Program {
    async fn start() -> Self {
        let mut graph = StateGraph::<Plan>::new("plan");
        graph.add_node(DRAFT, draft);
        graph.add_node(REVIEW, review).asks::<String>("verdict");
        graph.add_edge(START, DRAFT).add_edge(DRAFT, REVIEW);
        let store: Arc<dyn Checkpointer> = Arc::new(MemoryCheckpointer::new());
        let threads = graph.compile().unwrap().with_context(()).with_shared_checkpointer(Arc::clone(&store));
        let (server, thread) = Server::new().program_thread("plan", &threads, NAME, RunPolicy::default());
        let running = server.start(std::net::SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        running.show(&thread).await.unwrap();
        let client = Client::new(&format!("http://{}", running.address()));
        let path = format!("/threads/{}", thread.id());
        Self { store, threads, running, thread, client, path }
    }

    /// Begins a run, and returns it as the program follows it.
    async fn begin(&mut self, topic: &str) -> ProgramRun<Plan> {
        let run = self.threads.thread(NAME).abandon().run(Plan::update().topic(topic.to_owned()));
        self.running.begin(&self.thread, run).await.unwrap();
        self.thread.next().await.unwrap()
    }

    async fn get(&self, below: &str) -> Value {
        self.client.get(&format!("{}{below}", self.path)).await.unwrap().ok()
    }

    /// The newest run, when it has ended.
    async fn ended(&self) -> Value {
        let run = self.get("/runs").await[0]["run_id"].as_str().unwrap().to_owned();
        self.get(&format!("/runs/{run}/join")).await;
        self.get(&format!("/runs/{run}")).await
    }
}

/// Follows a run to its end; the names of the nodes that began.
async fn follow(mut run: ProgramRun<Plan>) -> (Vec<String>, Outcome<Plan>) {
    let mut began = Vec::new();
    while let Some(event) = run.next().await {
        let told = serde_json::to_value(&event).unwrap();
        if told["event"] == "task_started" {
            began.push(told["node"].as_str().unwrap().to_owned());
        }
    }
    (began, run.ended().await.unwrap())
}

#[tokio::test]
async fn the_program_follows_what_it_begins_and_what_clients_begin() {
    let mut program = Program::start().await;
    let before = program.get("").await;
    assert_eq!((&before["status"], &before["metadata"]["run"]), (&json!("idle"), &json!(NAME)), "{before:#}");
    let run = program.begin("tides").await;
    let (began, outcome) = follow(run).await;
    assert_eq!(began, ["draft", "review"]);
    assert!(matches!(outcome, Outcome::Waiting(ref questions) if questions.len() == 1), "{outcome}");
    assert_eq!(program.ended().await["status"], "success");
    let waiting = program.get("").await;
    assert_eq!(waiting["status"], "interrupted", "{waiting:#}");
    assert_eq!(program.get("/history").await.as_array().unwrap().len(), 3, "an input is two states");

    let answer = json!({ "assistant_id": "plan", "command": { "resume": "good" } });
    program.client.post(&format!("{}/runs", program.path), answer).await.unwrap().ok();
    let (began, outcome) = follow(program.thread.next().await.unwrap()).await;
    assert_eq!(began, ["review"]);
    assert!(matches!(&outcome, Outcome::Done(plan) if plan.verdict.as_deref() == Some("good")), "{outcome}");
    assert_eq!(program.ended().await["status"], "success");
    assert_eq!(program.get("/state").await["values"], json!({ "topic": "tides", "verdict": "good" }));
    program.running.stop().await;
    // The store knows the thread by its own name alone.
    let stored = program.store.threads(&ThreadFilter::default()).await.unwrap();
    assert_eq!(stored.iter().map(|row| &*row.thread).collect::<Vec<_>>(), [NAME]);
}

#[tokio::test]
async fn either_side_stops_a_run() {
    let mut program = Program::start().await;
    for by_client in [true, false] {
        let run = program.begin("slow").await;
        let newest = program.get("/runs").await[0]["run_id"].as_str().unwrap().to_owned();
        if by_client {
            let cancel = format!("{}/runs/{newest}/cancel?wait=1", program.path);
            program.client.post(&cancel, Value::Null).await.unwrap().ok();
        } else {
            run.handle().cancel();
        }
        let (_, outcome) = follow(run).await;
        assert!(matches!(outcome, Outcome::Cancelled { .. }), "{outcome}");
        assert_eq!(program.ended().await["status"], "interrupted");
    }
    // A run that nobody follows is stopped.
    drop(program.begin("slow").await);
    assert_eq!(program.ended().await["status"], "interrupted");
}

#[tokio::test]
async fn the_thread_is_its_programs() {
    let mut program = Program::start().await;
    follow(program.begin("tides").await).await;
    program.ended().await;
    // Where a client began a run a moment ago, the program follows that one.
    let slow = json!({ "assistant_id": "plan", "input": { "topic": "slow" } });
    program.client.post(&format!("{}/runs", program.path), slow).await.unwrap().ok();
    let of_client = program.begin("tides").await;
    of_client.handle().cancel();
    assert!(
        matches!(follow(of_client).await.1, Outcome::Cancelled { state, .. } if state.topic.as_deref() == Some("slow"))
    );
    program.ended().await;

    let other = program.client.post("/threads", json!({})).await.unwrap().ok();
    let other = format!("/threads/{}", other["thread_id"].as_str().unwrap());
    let run = json!({ "assistant_id": "plan", "input": { "topic": "x" } });
    let refused = program.client.post(&format!("{other}/runs/wait"), run.clone()).await.unwrap();
    assert!(refused.body.to_string().contains("serves its own run `monday` only"), "{}", refused.body);
    let update = json!({ "values": { "topic": "x" }, "as_node": "draft" });
    assert!(program.client.post(&format!("{other}/state"), update).await.unwrap().status >= 400);
    assert!(program.client.post(&format!("{}/copy", program.path), json!({})).await.unwrap().status >= 400);

    // What a client deletes is gone for clients, and stays the program's.
    program.client.delete(&program.path).await.unwrap().ok();
    assert_eq!(program.client.get(&program.path).await.unwrap().status, 404);
    let kept = program.threads.thread(NAME).state().await.unwrap();
    assert_eq!(kept.state.topic.as_deref(), Some("slow"));
    let stored = program.store.threads(&ThreadFilter::default()).await.unwrap();
    assert_eq!(stored.len(), 1, "{stored:?}");
}
