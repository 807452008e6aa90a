//! A vault in a directory of its own, and runs on it with a scripted model.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use graphloom_agents::{Models, Verdict};
use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{Answers, Clock, Compiled, Outcome, Threads};
use graphloom_llm::layers::{Budget, Ledger};
use graphloom_llm::scripted::{Reply, rendered};
use graphloom_llm::{ChatModel, ChatRequest, ModelError, Scripted};
use graphloom_obsius::index::VaultIndex;
use graphloom_obsius::{Config, Resources, SessionInfo, Setup, WorkflowState, graph, profile};
use graphloom_vault::{Vault, VaultOptions};
use serde_json::{Value, json};

/// A vault and a place for its index.
pub(crate) struct TestVault {
    folder: tempfile::TempDir,
}

/// The notes of most tests.
pub(crate) const NOTES: &[(&str, &str)] = &[
    (
        "Gradient descent.md",
        "---\ntags: [machine-learning]\n---\nGradient descent is how machine learning models are trained.\n",
    ),
    ("nets/Networks.md", "# Neural networks\n\nNetworks are a kind of machine learning. See [[Gradient descent]].\n"),
    ("nets/Trees.md", "Decision trees are machine learning without gradients.\n"),
    ("Soup.md", "Soup is made of water. The machine for it is a pot.\n"),
];

impl TestVault {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in NOTES {
            let file = folder.path().join("vault").join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        Self { folder }
    }

    /// A vault of these files alone.
    pub(crate) fn of(files: &BTreeMap<String, Vec<u8>>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, bytes) in files {
            let file = folder.path().join("vault").join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, bytes).unwrap();
        }
        Self { folder }
    }

    pub(crate) fn vault(&self) -> std::path::PathBuf {
        self.folder.path().join("vault")
    }

    /// Every file of the vault with its bytes, without the journal.
    pub(crate) fn bytes(&self) -> BTreeMap<String, Vec<u8>> {
        fn walk(dir: &Path, root: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
            for entry in std::fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')) {
                    continue;
                }
                if path.is_dir() {
                    walk(&path, root, files);
                } else {
                    let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
                    files.insert(name, std::fs::read(&path).unwrap());
                }
            }
        }
        let mut files = BTreeMap::new();
        walk(&self.vault(), &self.vault(), &mut files);
        files
    }

    pub(crate) fn runs(&self, model: Arc<dyn ChatModel>) -> Threads<WorkflowState, Resources> {
        self.runs_in(&MemoryCheckpointer::new(), model, None)
    }

    /// Runs of a graph with options.
    pub(crate) fn runs_over(
        &self,
        graph: Compiled<WorkflowState, Resources>,
        model: Arc<dyn ChatModel>,
    ) -> Threads<WorkflowState, Resources> {
        graph.with_context(self.resources(model, None)).with_checkpointer(MemoryCheckpointer::new())
    }

    /// Runs in a store, with other limits than their own if there are any.
    pub(crate) fn runs_in(
        &self,
        store: &MemoryCheckpointer,
        model: Arc<dyn ChatModel>,
        limits: Option<Config>,
    ) -> Threads<WorkflowState, Resources> {
        let resources = self.resources(model, limits);
        graph().with_context(resources).with_checkpointer(store.clone()).with_clock(Arc::new(Virtual::new()))
    }

    fn resources(&self, model: Arc<dyn ChatModel>, limits: Option<Config>) -> Resources {
        let vault = Arc::new(Vault::open(self.vault(), VaultOptions::default()).unwrap());
        let index = VaultIndex::open(Arc::clone(&vault), &self.folder.path().join("index")).unwrap();
        index.refresh().unwrap();
        let prompts = Arc::new(profile::prompts().unwrap());
        let mut setup = Setup::new(prompts, Arc::new(profile::profile().unwrap()), Models::new(model));
        setup.limits = limits;
        let ledger = Ledger::new(Budget::default());
        Resources { setup, vault, index: Arc::new(index), ledger, sources: Vec::new() }
    }

    pub(crate) fn session(&self, request: &str) -> SessionInfo {
        let mut info = SessionInfo::default();
        info.workflow_id = "run-1".to_owned();
        info.original_request = request.to_owned();
        info.vault = self.vault().display().to_string();
        info.config = Config::default();
        info
    }
}

/// The time of the tokio runtime, which stands still in tests until everything waits.
struct Virtual(tokio::time::Instant);

impl Virtual {
    fn new() -> Self {
        Self(tokio::time::Instant::now())
    }
}

impl Clock for Virtual {
    fn now(&self) -> u64 {
        1_700_000_000_000 + u64::try_from(self.0.elapsed().as_millis()).unwrap()
    }
}

/// Runs a request until it has ended or waits for a review.
pub(crate) async fn run(runs: &Threads<WorkflowState, Resources>, info: SessionInfo) -> Outcome<WorkflowState> {
    let id = info.workflow_id.clone();
    runs.thread(id).run(WorkflowState::update().session(info)).await.unwrap()
}

/// Runs a request and answers every review with the next of `verdicts`, the last one again and again.
pub(crate) async fn reviewed(
    runs: &Threads<WorkflowState, Resources>,
    info: SessionInfo,
    verdicts: &[Verdict],
) -> Arc<WorkflowState> {
    let thread = runs.thread(info.workflow_id.clone());
    let mut outcome = run(runs, info).await;
    let mut next = verdicts.iter().chain(std::iter::repeat(verdicts.last().unwrap()));
    loop {
        outcome = match outcome {
            Outcome::Done(state) => return state,
            Outcome::Waiting(_) => {
                thread.resume(Answers::new().and("review", next.next().unwrap()).unwrap()).await.unwrap()
            }
            other => panic!("{other:?}"),
        };
    }
}

/// A scripted model that is asked for a plan, for actions and for a judgement, and told apart by its schema.
pub(crate) fn scripted(
    answer: impl Fn(&str, usize, &str) -> Result<Value, ModelError> + Send + Sync + 'static,
) -> Arc<dyn ChatModel> {
    let counts = std::sync::Mutex::new(BTreeMap::<String, usize>::new());
    Arc::new(Scripted::from_fn(move |request: &ChatRequest| {
        let kind = match &request.format {
            graphloom_llm::ResponseFormat::JsonSchema { name, .. } => name.clone(),
            _ => "talk".to_owned(),
        };
        let mut counts = counts.lock().unwrap();
        let count = counts.entry(kind.clone()).or_default();
        *count += 1;
        let value = answer(&kind, *count, &rendered(request))?;
        Ok(match value.get("tool_calls").and_then(Value::as_array) {
            Some(calls) => Reply::tools(calls.iter().map(|call| serde_json::from_value(call.clone()).unwrap())),
            None => match value {
                Value::String(text) => Reply::text(text),
                other => Reply::text(other.to_string()),
            },
        })
    }))
}

/// A tool call as a chat model asks for it.
pub(crate) fn call(name: &str, arguments: &Value) -> Value {
    json!({ "tool_calls": [{ "id": "1", "name": name, "arguments": arguments }] })
}

/// An action as the execution plan has it.
pub(crate) fn action(id: &str, tool: &str, arguments: &Value, depends_on: &[&str]) -> Value {
    json!({ "id": id, "tool": tool, "arguments": arguments.to_string(), "depends_on": depends_on, "subtask": "1" })
}

/// The phases that a run went through.
pub(crate) fn phases(state: &WorkflowState) -> Vec<String> {
    state.phases.visits().iter().map(|visit| visit.phase.to_string()).collect()
}
