//! A server as its author declares it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use graphloom_core_graph::checkpoint::{Checkpointer, MemoryCheckpointer};
use graphloom_core_graph::remote::{Executor, NotPortable, Performer};
use graphloom_core_graph::store::{MemoryStore, Store};
use graphloom_core_graph::{Clock, CompileErrors, Compiled, Mode, State, SystemClock, Threads};
use schemars::{JsonSchema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::changes::{Changes, observed};
use crate::cluster::{Cluster, Member};
use crate::demo;
use crate::graph::{BadContext, Fields, Graph, Outline, Pictures, Program, Resources, Stores, Typed};
use crate::log::Logs;
use crate::page::Page;
use crate::records::Records;
use crate::refusal::Refusal;
use crate::runs::{RunLimits, RunManager};
use crate::start_error::StartError;
use crate::webhooks::{WebhookTargets, Webhooks};

/// What is known of a graph, and how it is opened.
struct Served {
    outline: Outline,
    open: Open,
    /// What a worker has of it.
    performer: Arc<dyn Performer>,
}

/// Opens a graph, whose tasks an executor takes if there is one.
type Open = Box<dyn FnOnce(Outline, &Stores, Option<Arc<dyn Executor>>) -> Result<Arc<dyn Graph>, NotPortable> + Send>;

/// Graphs behind one server. See the [crate](crate) for an example.
#[must_use = "a server does nothing until it serves"]
pub struct Server {
    graphs: BTreeMap<String, Served>,
    checkpoints: Arc<dyn Checkpointer>,
    memory: Arc<dyn Store>,
    records: Option<Arc<dyn Store>>,
    limits: RunLimits,
    webhooks: WebhookTargets,
    cluster: Option<Cluster>,
    executor: Option<Arc<dyn Executor>>,
    /// Executors of single graphs, which come before that of all.
    executors: BTreeMap<String, Arc<dyn Executor>>,
    /// The pages, by the paths that lead to them.
    pub(crate) pages: Vec<(String, Page)>,
}

impl Server {
    /// A server of no graphs, which keeps everything in memory.
    pub fn new() -> Self {
        Self {
            graphs: BTreeMap::new(),
            checkpoints: Arc::new(MemoryCheckpointer::new()),
            memory: Arc::new(MemoryStore::new()),
            records: None,
            limits: RunLimits::default(),
            webhooks: WebhookTargets::default(),
            cluster: None,
            executor: None,
            executors: BTreeMap::new(),
            pages: Vec::new(),
        }
    }

    /// Serves a graph under a name, with resources that all its runs share.
    pub fn graph<S, Cx>(self, name: &str, graph: Compiled<S, Cx>, resources: impl Into<Arc<Cx>>) -> Self
    where
        S: State,
        Cx: Send + Sync + 'static,
    {
        self.add(name, graph, Resources::Shared(resources.into()), None)
    }

    /// Serves a graph whose resources are made for each run, of the context that its client gives. A context is an object,
    /// `{}` where the client gives none.
    pub fn configured_graph<S, Cx, C, E>(
        self,
        name: &str,
        graph: Compiled<S, Cx>,
        make: impl Fn(C) -> Result<Cx, E> + Send + Sync + 'static,
    ) -> Self
    where
        S: State,
        Cx: Send + Sync + 'static,
        C: DeserializeOwned + JsonSchema,
        E: fmt::Display,
    {
        let schema = serde_json::to_value(schema_for!(C)).unwrap_or_default();
        let of_run = move |context: &Value| {
            let context: C = serde_path_to_error::deserialize(context)
                .map_err(|error| BadContext(format!("at `{}`: {}", error.path(), error.inner())))?;
            make(context).map_err(|error| BadContext(error.to_string()))
        };
        self.add(name, graph, Resources::OfRun(Arc::new(of_run)), Some(schema))
    }

    /// Also serves the demo graphs: small graphs without a model that show each thing that a client can do.
    ///
    /// # Errors
    /// A graph that does not compile, which is a fault of this crate.
    pub fn demo(self) -> Result<Self, CompileErrors> {
        Ok(self
            .graph("approval", demo::approval::graph()?, ())
            .graph("chat_review", demo::chat_review::graph()?, ())
            .graph("echo_chat", demo::echo_chat::graph()?, ())
            .graph("fanout", demo::fanout::graph()?, ())
            .graph("faulty", demo::faulty::graph()?, ())
            .configured_graph("memory", demo::memory::graph()?, Ok::<demo::memory::MemoryContext, String>)
            .graph("nested", demo::nested::graph()?, ())
            .graph("pipeline", demo::pipeline::graph()?, ())
            .graph("ticker", demo::ticker::graph()?, ()))
    }

    /// Says what a graph is for; clients show it. A graph of another name is left as it is.
    pub fn described(mut self, graph: &str, description: &str) -> Self {
        if let Some(served) = self.graphs.get_mut(graph) {
            served.outline.description = Some(description.to_owned());
        }
        self
    }

    /// States the fields that a run of a graph begins with; clients make forms and tools of them, in this order. A run may be
    /// given others all the same. A graph of another name is left as it is, and so is a name that is that of no field.
    pub fn takes<const N: usize>(mut self, graph: &str, fields: [&str; N]) -> Self {
        if let Some(served) = self.graphs.get_mut(graph) {
            served.outline.takes = Some(fields.map(str::to_owned).to_vec());
        }
        self
    }

    /// States what answers to questions of a graph look like, as JSON schemas by the keys of questions; clients get the schema
    /// with the question, and make forms of it. The question is one that a node of the graph, or of a graph inside it, asks
    /// under this key, or under the key with `/` and more behind it. What is answered is not checked against the schema, but by
    /// the node that asks. A graph of another name is left as it is.
    pub fn answers<'k>(mut self, graph: &str, schemas: impl IntoIterator<Item = (&'k str, Value)>) -> Self {
        if let Some(served) = self.graphs.get_mut(graph) {
            let answers = Arc::make_mut(&mut served.outline.answers);
            schemas.into_iter().for_each(|(key, schema)| answers.declare(key, schema));
        }
        self
    }

    /// States how a picture is made of the states of a graph, or of the graph inside it to which these nodes lead: an SVG
    /// document, or none for a state with nothing to show. Clients get it at `/threads/THREAD/picture`. It is given the state
    /// as JSON, and told to fail where that cannot be read. A graph of another name is left as it is.
    pub fn picture<E: fmt::Display>(
        mut self,
        graph: &str,
        nodes: &[&str],
        draw: impl Fn(&Value) -> Result<Option<String>, E> + Send + Sync + 'static,
    ) -> Self {
        if let Some(served) = self.graphs.get_mut(graph) {
            let path = nodes.iter().map(|node| (*node).to_owned()).collect();
            let draw = move |state: &Value| draw(state).map_err(|error| error.to_string());
            served.outline.pictures.declare(path, Arc::new(draw));
        }
        self
    }

    /// The names of the graphs.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.graphs.keys().map(String::as_str)
    }

    fn add<S, Cx>(
        mut self,
        name: &str,
        graph: Compiled<S, Cx>,
        resources: Resources<Cx>,
        context_schema: Option<Value>,
    ) -> Self
    where
        S: State,
        Cx: Send + Sync + 'static,
    {
        let outline = outline_of(name, &graph, context_schema);
        let performer = resources.performer(&graph);
        let open: Open = Box::new(|outline, stores, executor| {
            Ok(Arc::new(Typed::new(outline, graph, resources, stores.clone(), executor)?))
        });
        self.graphs.insert(name.to_owned(), Served { outline, open, performer });
        self
    }

    /// Serves a graph of which only the thread of this process's program is run.
    pub(crate) fn add_program<S, Cx>(mut self, name: &str, threads: Threads<S, Cx>, program: Arc<Program<S>>) -> Self
    where
        S: State,
        Cx: Send + Sync + 'static,
    {
        let (graph, resources) = (threads.app().graph().clone(), Arc::clone(threads.app().resources()));
        let outline = outline_of(name, &graph, None);
        let resources = Resources::Shared(resources);
        let performer = resources.performer(&graph);
        // The program says itself who executes the tasks of its thread.
        let open: Open = Box::new(|outline, stores, _| {
            let typed = Typed::new(outline, graph, resources, stores.clone(), None)?;
            Ok(Arc::new(typed.of_program(threads, program)))
        });
        self.graphs.insert(name.to_owned(), Served { outline, open, performer });
        self
    }

    /// Keeps the checkpoints of threads here.
    pub fn checkpointer(mut self, checkpoints: Arc<dyn Checkpointer>) -> Self {
        self.checkpoints = checkpoints;
        self
    }

    /// Keeps here what nodes put into their long-term store, and clients see at the store's endpoints; and the server's own
    /// records, unless they have [a store of their own](Self::records).
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.memory = store;
        self
    }

    /// Keeps assistants, threads, runs, crons and event logs here.
    pub fn records(mut self, store: Arc<dyn Store>) -> Self {
        self.records = Some(store);
        self
    }

    /// Shares the stores with other processes that serve the same graphs and share them, too: together they are one server, and
    /// each request may go to any of them. Checkpointer and stores must be ones that several processes may use at a time.
    pub fn cluster(mut self, cluster: Cluster) -> Self {
        self.cluster = Some(cluster);
        self
    }

    /// Has the tasks of runs executed elsewhere: this process plans and commits, and workers with what
    /// [`performers`](Self::performers) gives call the nodes. Graphs with a field that is never stored cannot be served so, and
    /// are refused when the server [starts](Self::start).
    pub fn executed_by(mut self, executor: impl Executor) -> Self {
        self.executor = Some(Arc::new(executor));
        self
    }

    /// Has the tasks of one graph executed by an executor of its own, such as the same queue with another priority.
    ///
    /// A graph of that name must be served when the server [starts](Self::start).
    pub fn graph_executed_by(mut self, graph: &str, executor: impl Executor) -> Self {
        self.executors.insert(graph.to_owned(), Arc::new(executor));
        self
    }

    /// What a worker needs to execute tasks of the graphs: the graphs with their resources, or with what makes these of the
    /// context of a run.
    pub fn performers(&self) -> Vec<Arc<dyn Performer>> {
        self.graphs.values().map(|served| Arc::clone(&served.performer)).collect()
    }

    /// Also gives browsers a page, at a path such as `/studio`: the page itself is at `/studio/`, and its files are below. It is
    /// open without a key, which its requests need. A path below which the server answers otherwise is refused when it
    /// [starts](Self::start).
    pub fn page(mut self, mount: &str, page: Page) -> Self {
        self.pages.push((mount.to_owned(), page));
        self
    }

    /// Says which addresses the webhooks of runs may name; unless set, [`WebhookTargets::Public`].
    pub fn webhooks(mut self, targets: WebhookTargets) -> Self {
        self.webhooks = targets;
        self
    }

    /// Opens the stores and takes up what an earlier process left.
    ///
    /// # Errors
    /// The stores'; a graph whose tasks are to be executed elsewhere and cannot be, or that is not served.
    pub(crate) async fn open(mut self) -> Result<RunManager, StartError> {
        if let Some(graph) = self.executors.keys().find(|graph| !self.graphs.contains_key(*graph)) {
            return Err(StartError::UnknownGraph { graph: graph.clone() });
        }
        let changes = Changes::new();
        let memory = observed(self.memory, &changes);
        let store = self.records.map_or_else(|| Arc::clone(&memory), |store| observed(store, &changes));
        let stores = Stores { checkpoints: self.checkpoints, memory, changes };
        let opened = self.graphs.into_iter().map(|(name, served)| {
            let executor = self.executors.remove(&name).or_else(|| self.executor.clone());
            Ok((name, (served.open)(served.outline, &stores, executor)?))
        });
        let graphs = opened.collect::<Result<BTreeMap<String, Arc<dyn Graph>>, NotPortable>>()?;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let records = Records::new(&store, &clock);
        records.assistants.create_system(graphs.keys().map(String::as_str)).await.map_err(Refusal::from)?;
        let member = match self.cluster {
            Some(cluster) => {
                let names = graphs.keys().cloned().collect();
                Some(Member::join(&store, cluster, names).await.map_err(Refusal::from)?)
            }
            None => None,
        };
        let webhooks = Webhooks::new(Arc::clone(&store), self.webhooks).shared(member.clone());
        let logs = Logs::new(store, member.clone());
        let manager = RunManager::new(graphs, stores, records, logs, webhooks, self.limits, member);
        manager.share();
        manager.recover().await?;
        Ok(manager)
    }
}

/// What is known of a graph before it runs.
fn outline_of<S, Cx>(name: &str, graph: &Compiled<S, Cx>, context_schema: Option<Value>) -> Outline
where
    S: State,
    Cx: Send + Sync + 'static,
{
    let mut outline = Outline {
        name: name.to_owned(),
        description: None,
        fields: graph.fields().to_vec(),
        diagram: graph.diagram().clone(),
        drawings: Arc::default(),
        in_barrier: graph.mode() == Mode::Barrier,
        state_schema: graph.schema(),
        takes: None,
        subgraph_schemas: graph.subgraph_schemas(),
        initial: Fields::new(),
        context_schema,
        answers: Arc::default(),
        pictures: Pictures::default(),
    };
    outline.initial = outline.shown(serde_json::to_value(graph.initial()).unwrap_or_default(), |_| false);
    outline
}

impl Default for Server {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("graphs", &self.graphs.keys()).finish_non_exhaustive()
    }
}
