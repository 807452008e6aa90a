//! A graph that was proven.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::error::RunError;
use crate::graph::cache::Shelf;
use crate::graph::inspection::NotToRun;
use crate::graph::{CompileWarning, Diagram};
use crate::handler::NodeFn;
use crate::name::Node;
use crate::state::{Field, State, StateError, changes_of};
use crate::store::{Store, StoreError};
use crate::topology::{ExecutableGraph, Mode, NodeRun, Outline, Topology};

/// A graph that passed [`compile`](crate::StateGraph::compile). Cloning it is cheap.
pub struct Compiled<S: State, Cx = ()> {
    pub(crate) executable: ExecutableGraph<S, Cx>,
    diagram: Arc<Diagram>,
    /// By node, where its results are kept, if they are.
    shelves: Arc<[Option<Arc<Shelf>>]>,
    warnings: Arc<[CompileWarning]>,
}

pub(super) fn new<S: State, Cx>(
    topology: Topology<S>,
    handlers: Vec<NodeRun<S, Cx>>,
    diagram: Diagram,
    shelves: Vec<Option<Arc<Shelf>>>,
    warnings: Vec<CompileWarning>,
) -> Compiled<S, Cx> {
    let executable = ExecutableGraph { topology: Arc::new(topology), handlers: handlers.into() };
    Compiled { executable, diagram: Arc::new(diagram), shelves: shelves.into(), warnings: warnings.into() }
}

impl<S: State, Cx: Send + Sync + 'static> Compiled<S, Cx> {
    /// The graph's name.
    pub fn name(&self) -> &str {
        &self.executable.topology.name
    }

    /// What may be meant, but is worth a look.
    pub fn warnings(&self) -> &[CompileWarning] {
        &self.warnings
    }

    /// A drawing of the graph.
    pub fn diagram(&self) -> &Diagram {
        &self.diagram
    }

    /// When finished tasks commit.
    pub fn mode(&self) -> Mode {
        self.executable.topology.mode
    }

    /// The JSON schema of the state: an object of its fields.
    pub fn schema(&self) -> serde_json::Value {
        S::schema(&self.executable.topology.layout)
    }

    /// The JSON schemas of the states of all subgraphs, by the nodes that lead to each, from the outside in.
    pub fn subgraph_schemas(&self) -> BTreeMap<Vec<String>, serde_json::Value> {
        fn add(outline: &Outline, path: &[String], schemas: &mut BTreeMap<Vec<String>, serde_json::Value>) {
            for node in &outline.nodes {
                let Some(child) = &node.child else { continue };
                let path = [path, &[node.name.to_string()]].concat();
                schemas.insert(path.clone(), (child.schema)());
                add(child, &path, schemas);
            }
        }
        let mut schemas = BTreeMap::new();
        add(&self.executable.topology.outline, &[], &mut schemas);
        schemas
    }

    /// The state before a first input.
    pub fn initial(&self) -> S {
        S::initial(&self.executable.topology.layout)
    }

    /// The fields of the state.
    pub fn fields(&self) -> &[Field] {
        S::fields(&self.executable.topology.layout)
    }

    /// The update that an object of fields means: for a field with a reducer what the reducer folds (entries of a `Log`
    /// as a list, entries of a `Table` as an object, a difference, a value), for any other the new value. What comes from
    /// another program or a person is read so, whatever the type of the state.
    ///
    /// # Errors
    /// A key that is no field, and a value that does not fit its field, with the place in the value.
    pub fn update_of(&self, values: &serde_json::Map<String, serde_json::Value>) -> Result<S::Update, StateError> {
        let layout = &self.executable.topology.layout;
        let update = S::decode_update(layout, &changes_of(self.fields(), values)?)?;
        S::check(layout, &update)?;
        Ok(update)
    }

    /// Checks an answer to a question that a node asks, wherever it stands: the nodes that lead to the asking one, from the
    /// outside in, and the key.
    ///
    /// # Errors
    /// A node that asks nothing under the key, and an answer that does not fit its type.
    pub fn check_answer(&self, path: &[String], key: &str, answer: &serde_json::Value) -> Result<(), RunError> {
        let bad = |message: String| RunError::BadAnswer { key: key.to_owned(), message };
        let check = self.executable.topology.check(path, key);
        let check = check.ok_or_else(|| bad(format!("`{}` asks nothing under this key", path.join("/"))))?;
        check(answer).map_err(bad)
    }

    /// The same graph for who only looks at its threads, which needs no resources: they can be read, forked and updated from
    /// outside, and a run fails at the first node.
    pub fn for_inspection(&self) -> Compiled<S> {
        let no_run = || NodeRun { run: Arc::new(NotToRun) as Arc<dyn NodeFn<S, ()>>, on_error: None };
        let topology = Arc::clone(&self.executable.topology);
        Compiled {
            executable: ExecutableGraph { handlers: topology.nodes.iter().map(|_| no_run()).collect(), topology },
            diagram: Arc::clone(&self.diagram),
            shelves: self.shelves.iter().map(|_| None).collect(),
            warnings: Arc::clone(&self.warnings),
        }
    }

    /// The same graph with other functions in its nodes.
    pub(super) fn with_handlers(&self, executable: ExecutableGraph<S, Cx>) -> Self {
        Self { executable, ..self.clone() }
    }

    pub(crate) async fn clear_cache(&self, node: Node, store: Option<&dyn Store>) -> Result<u64, StoreError> {
        let shelf = self.executable.topology.find(node.as_str()).and_then(|at| self.shelves[at as usize].as_ref());
        match shelf {
            Some(shelf) => shelf.clear(store).await,
            None => Ok(0),
        }
    }

    pub(super) fn outline_and_diagram(&self) -> (Arc<Outline>, Diagram) {
        (Arc::clone(&self.executable.topology.outline), Diagram::clone(&self.diagram))
    }
}

impl<S: State, Cx> Clone for Compiled<S, Cx> {
    fn clone(&self) -> Self {
        Self {
            executable: self.executable.clone(),
            diagram: Arc::clone(&self.diagram),
            shelves: Arc::clone(&self.shelves),
            warnings: Arc::clone(&self.warnings),
        }
    }
}

impl<S: State, Cx> fmt::Debug for Compiled<S, Cx> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled").field("topology", &self.executable.topology).finish_non_exhaustive()
    }
}
