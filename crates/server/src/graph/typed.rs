//! A graph over one type of state.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use graphloom_core_graph::remote::{Executor, NotPortable, WithContext};
use graphloom_core_graph::{
    Answers, Compiled, Event, Node, Outcome, Packet, Run, RunError, RunHandle, RunPolicy, State, Task, Thread, Threads,
};
use serde_json::Value;
use uuid::Uuid;

use crate::graph::outline::Outline;
use crate::graph::program::Program;
use crate::graph::resources::Resources;
use crate::graph::{
    BadLaunch, Ended, Failed, Fields, Goto, Graph, GraphRun, Launch, Position, Stores, UpdateFault, View,
};

/// A graph over one type of state.
pub(crate) struct Typed<S: State, Cx> {
    outline: Outline,
    compiled: Compiled<S, Cx>,
    resources: Resources<Cx>,
    stores: Stores,
    /// Who executes the tasks of runs; this process unless there is one.
    executor: Option<Arc<dyn Executor>>,
    /// Threads to run, where all runs share their resources: it keeps states that were read.
    shared: Option<Threads<S, Cx>>,
    /// Threads to look at.
    seen: Threads<S>,
    /// The only thread of the graph, where that is one of the server's program.
    program: Option<Arc<Program<S>>>,
}

struct TypedRun<S> {
    run: Run<S>,
}

impl<S: State, Cx: Send + Sync + 'static> Typed<S, Cx> {
    /// # Errors
    /// There is an executor, and the tasks of the graph cannot be executed elsewhere.
    pub(crate) fn new(
        outline: Outline,
        compiled: Compiled<S, Cx>,
        resources: Resources<Cx>,
        stores: Stores,
        executor: Option<Arc<dyn Executor>>,
    ) -> Result<Self, NotPortable> {
        let compiled = match &executor {
            Some(executor) => compiled.executed_by(Arc::clone(executor))?,
            None => compiled,
        };
        let seen = compiled.for_inspection().with_shared_checkpointer(Arc::clone(&stores.checkpoints));
        let mut typed = Self { outline, compiled, resources, stores, executor, shared: None, seen, program: None };
        if let Resources::Shared(resources) = &typed.resources {
            typed.shared = Some(typed.threads(&typed.compiled, Arc::clone(resources)));
        }
        Ok(typed)
    }

    /// The graph of a thread of the server's program, whose threads these are.
    pub(crate) fn of_program(self, threads: Threads<S, Cx>, program: Arc<Program<S>>) -> Self {
        let seen = self.compiled.for_inspection().with_shared_checkpointer(Arc::clone(threads.checkpointer()));
        Self { shared: Some(threads), seen, program: Some(program), ..self }
    }

    /// The name of a thread in the store.
    fn name<'n>(&'n self, id: &'n str) -> &'n str {
        self.program.as_ref().map_or(id, |program| program.thread().of(id))
    }

    fn threads(&self, graph: &Compiled<S, Cx>, resources: Arc<Cx>) -> Threads<S, Cx> {
        let app = graph.clone().with_context(resources);
        app.with_shared_checkpointer(Arc::clone(&self.stores.checkpoints)).with_store(Arc::clone(&self.stores.memory))
    }

    fn thread(&self, id: &str, context: &Value) -> Result<Thread<S, Cx>, BadLaunch> {
        let threads = match &self.shared {
            Some(threads) => threads.clone(),
            None => {
                let resources = self.resources.of(context)?;
                match &self.executor {
                    Some(executor) => {
                        let executor = WithContext::new(Arc::clone(executor), context.clone());
                        let graph = self.compiled.executed_by(executor);
                        self.threads(&graph.map_err(|error| BadLaunch::Input(error.to_string()))?, resources)
                    }
                    None => self.threads(&self.compiled, resources),
                }
            }
        };
        Ok(threads.thread(self.name(id)))
    }

    fn update_of(&self, values: &Fields) -> Result<S::Update, BadLaunch> {
        self.compiled.update_of(values).map_err(|error| BadLaunch::Input(error.to_string()))
    }

    fn node(&self, name: &str) -> Option<Node> {
        let known = self.outline.nodes().any(|node| node == name);
        known.then(|| Node::owned(name))
    }

    /// Nodes, sends and an update as the runtime has them.
    fn targets(&self, goto: Goto) -> Result<(Vec<Node>, Vec<Packet>, S::Update), BadLaunch> {
        let known = goto.nodes.iter().map(|name| {
            self.node(name).ok_or_else(|| {
                let nodes: Vec<&str> = self.outline.nodes().collect();
                let nodes = nodes.join(", ");
                BadLaunch::Input(format!("`goto` names `{name}`, which is no node; nodes: {nodes}"))
            })
        });
        let nodes = known.collect::<Result<_, _>>()?;
        let sent = |(key, (to, input)): (usize, (String, Value))| Task::<Value>::owned(to).send(key, input);
        Ok((nodes, goto.sends.into_iter().enumerate().map(sent).collect(), self.update_of(&goto.update)?))
    }

    async fn viewed(&self, thread: &str, at: Option<u64>) -> Result<View, RunError> {
        let thread = self.seen.thread(self.name(thread));
        let state = match at {
            Some(number) => thread.at(number).state().await?,
            None => thread.state().await?,
        };
        let is_written = |name: &str| state.checkpoint.as_ref().is_some_and(|row| row.fields.of(name).is_some());
        let values = match &state.checkpoint {
            Some(_) => self.outline.shown(serde_json::to_value(&*state.state).unwrap_or_default(), is_written),
            None => Fields::new(),
        };
        Ok(View {
            values,
            status: state.status,
            detail: state.detail,
            checkpoint: state.checkpoint,
            tasks: state.tasks,
            questions: state.questions.iter().cloned().collect(),
            answers: Arc::clone(&self.outline.answers),
        })
    }

    async fn updated(
        &self,
        thread: &str,
        at: Option<Position>,
        node: Option<String>,
        values: Fields,
    ) -> Result<(), UpdateFault> {
        if let Some(program) = &self.program {
            program.check(thread).map_err(|error| UpdateFault::Values(error.to_string()))?;
        }
        let update = self.compiled.update_of(&values).map_err(|error| UpdateFault::Values(error.to_string()))?;
        let thread = self.seen.thread(self.name(thread));
        let Some(node) = node else {
            // An input of which nothing follows: the run stops before whatever is next.
            let nodes: Vec<Node> = self.outline.nodes().map(Node::owned).collect();
            let thread = thread.policy(RunPolicy::default().break_before(nodes));
            match at {
                Some(at) => thread.at(at.number).run(update).await?,
                None => thread.abandon().run(update).await?,
            };
            return Ok(());
        };
        let node = self.node(&node).ok_or(UpdateFault::UnknownNode(node))?;
        match at {
            Some(at) => thread.at(at.number).update_state(node, update).await?,
            None => thread.update_state(node, update).await?,
        }
        Ok(())
    }
}

impl<S: State, Cx: Send + Sync + 'static> Graph for Typed<S, Cx> {
    fn outline(&self) -> &Outline {
        &self.outline
    }

    fn launch(
        &self,
        thread: &str,
        launch: Launch,
        policy: RunPolicy,
        context: &Value,
    ) -> Result<Box<dyn GraphRun>, BadLaunch> {
        if let Some(program) = &self.program {
            program.check(thread)?;
        }
        let thread = self.thread(thread, context)?.policy(policy);
        let run = match launch {
            Launch::Input { values, at } => {
                let update = self.update_of(&values)?;
                match at {
                    Some(at) => thread.at(at.number).run(update),
                    None => thread.abandon().run(update),
                }
            }
            Launch::Resume { answers, beside } => {
                let mut given = Answers::new();
                for (id, answer) in answers {
                    given = given.and(&id, answer).map_err(|error| BadLaunch::Input(error.to_string()))?;
                }
                match beside {
                    Some(goto) => {
                        let (nodes, sends, update) = self.targets(goto)?;
                        thread.resume_and_send(given, nodes, sends, update)
                    }
                    None => thread.resume(given),
                }
            }
            Launch::Continue { at: Some(at) } => thread.at(at.number).replay(),
            Launch::Continue { at: None } => thread.continue_(),
            Launch::Goto { goto, at } => {
                let (nodes, sends, update) = self.targets(goto)?;
                match at {
                    Some(at) => thread.at(at.number).update_and_send(nodes, sends, update),
                    None => thread.update_and_send(nodes, sends, update),
                }
            }
        };
        Ok(match &self.program {
            Some(program) => program.told(run),
            None => Box::new(TypedRun { run }),
        })
    }

    fn begun(&self, run: Uuid) -> Option<Box<dyn GraphRun>> {
        let program = self.program.as_ref()?;
        program.take(run).map(|run| program.told(run))
    }

    fn policy(&self) -> RunPolicy {
        self.program.as_ref().map_or_else(RunPolicy::default, |program| program.policy().clone())
    }

    fn check(&self, values: &Fields) -> Result<(), BadLaunch> {
        self.update_of(values).map(drop)
    }

    fn check_answer(&self, path: &[String], key: &str, answer: &Value) -> Result<(), RunError> {
        self.compiled.check_answer(path, key, answer)
    }

    fn view<'a>(&'a self, thread: &'a str, at: Option<u64>) -> BoxFuture<'a, Result<View, RunError>> {
        self.viewed(thread, at).boxed()
    }

    fn update<'a>(
        &'a self,
        thread: &'a str,
        at: Option<Position>,
        node: Option<String>,
        values: Fields,
    ) -> BoxFuture<'a, Result<(), UpdateFault>> {
        self.updated(thread, at, node, values).boxed()
    }
}

impl<S: State> GraphRun for TypedRun<S> {
    fn next(&mut self) -> BoxFuture<'_, Option<Event>> {
        self.run.next().boxed()
    }

    fn handle(&self) -> RunHandle {
        self.run.handle()
    }

    fn ended(self: Box<Self>) -> BoxFuture<'static, Result<Ended, Failed>> {
        async move { ended_as(&self.run.await) }.boxed()
    }
}

/// How a run ended, without its state.
pub(super) fn ended_as<S>(outcome: &Result<Outcome<S>, RunError>) -> Result<Ended, Failed> {
    Ok(match outcome {
        Ok(Outcome::Done(_)) => Ended::Done,
        Ok(Outcome::Waiting(_)) => Ended::Waiting,
        Ok(Outcome::Drained { .. }) => Ended::Drained,
        Ok(Outcome::Cancelled { .. }) => Ended::Cancelled,
        Ok(Outcome::BudgetSpent { next, .. }) => Ended::OutOfBudget(next.clone()),
        Ok(other) => {
            return Err(Failed::of(&RunError::Internal(format!("the run ended in an unknown way: {other}"))));
        }
        Err(error) => return Err(Failed::of(error)),
    })
}
