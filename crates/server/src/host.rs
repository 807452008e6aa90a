//! What all protocols do alike: find who is asked, and give the run manager what it needs.

use std::sync::Arc;

use graphloom_core_graph::store::NamespaceFilter;
use tracing::Span;
use uuid::Uuid;

use crate::graph::Fields;
use crate::http::Guard;
use crate::records::{Assistant, Completion, Multitask, ThreadCreate, system_assistant_id};
use crate::refusal::Refusal;
use crate::runs::{NewRun, Order, RunManager, Submitted};
use crate::trace::traceparent;

/// What a protocol works with. A clone is another handle to the same.
#[derive(Clone)]
pub(crate) struct Host {
    pub(crate) manager: RunManager,
    /// What requests pass: it has the permits for runs and streams.
    pub(crate) guard: Guard,
}

/// What a run may be given beside its order.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunOptions {
    pub(crate) metadata: Fields,
    pub(crate) multitask: Multitask,
    /// Milliseconds since 1970 before which it does not begin.
    pub(crate) start_at: Option<u64>,
    pub(crate) webhook: Option<String>,
    /// What becomes of the thread of a run that is given none.
    pub(crate) completion: Completion,
    /// The run's id, and that of a thread made for it; new ones where none is given.
    pub(crate) run_id: Option<Uuid>,
}

impl Host {
    /// The assistant of an id, or that of a graph by its name.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] for an id; [`Refusal::Invalid`], which lists the graphs, for a name.
    pub(crate) async fn assistant(&self, id: &str) -> Result<Assistant, Refusal> {
        let assistants = &self.manager.records().assistants;
        if self.manager.graph(id).is_some() {
            return Ok(assistants.get(system_assistant_id(id)).await?);
        }
        let Ok(uuid) = Uuid::parse_str(id) else {
            let graphs: Vec<_> = self.manager.graphs().keys().map(String::as_str).collect();
            return Err(Refusal::Invalid(format!(
                "Invalid assistant: '{id}'. Must be either: a valid assistant UUID, or one of the registered graphs: {}",
                graphs.join(", ")
            )));
        };
        assistants.get(uuid).await.map_err(|error| match Refusal::from(error) {
            Refusal::NotFound(_) => Refusal::NotFound("Thread or assistant not found.".to_owned()),
            other => other,
        })
    }

    /// Asks each store for something.
    ///
    /// # Errors
    /// [`Refusal::Failed`] for a store that does not answer.
    pub(crate) async fn check_stores(&self) -> Result<(), Refusal> {
        let stores = self.manager.stores();
        stores.memory.list_namespaces(&NamespaceFilter::default().limit(1)).await?;
        self.manager.records().assistants.check().await?;
        let thread = stores.checkpoints.thread("").await;
        thread.map(drop).map_err(|error| Refusal::Failed(error.to_string()))
    }

    /// Submits a run on a thread, or on one of its own where none is given. It counts against the server's limit of runs until
    /// it has ended.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] for a thread that is not there; [`Refusal::TooMany`] at the limit; as [`RunManager::check`] and
    /// [`RunManager::submit`].
    pub(crate) async fn submit(
        &self,
        thread: Option<Uuid>,
        assistant: &Assistant,
        order: Order,
        options: RunOptions,
    ) -> Result<Submitted, Refusal> {
        let permit = self.guard.capacity().run().map_err(|problem| Refusal::TooMany(problem.detail.into_owned()))?;
        let RunOptions { metadata, multitask, start_at, webhook, completion, run_id } = options;
        let order = configured(assistant, order);
        if let Some(graph) = self.manager.graph(&assistant.graph_id) {
            self.manager.check(thread, &**graph, &order).await?;
        }
        let new = NewRun {
            assistant: assistant.assistant_id,
            graph: assistant.graph_id.clone(),
            order,
            metadata,
            multitask,
            start_at,
            temporary: thread.is_none().then_some(completion),
            webhook,
            run_id,
            traceparent: traceparent(&Span::current()),
        };
        let submitted = self.manager.submit(thread.or(run_id).unwrap_or_else(Uuid::now_v7), new).await;
        let submitted = submitted.map_err(|refusal| match refusal {
            Refusal::NotFound(_) => Refusal::NotFound("Thread or assistant not found.".to_owned()),
            other => other,
        })?;
        let (live, guard) = (Arc::clone(&submitted.live), self.guard.clone());
        tokio::spawn(async move {
            if let Some(ending) = live.ended().await {
                guard.metrics().run_reached(ending.status.as_str());
            }
            drop(permit);
        });
        Ok(submitted)
    }

    /// The thread of an id, made where there is none.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn ensure_thread(&self, thread: Uuid) -> Result<(), Refusal> {
        let threads = &self.manager.records().threads;
        match threads.get(thread).await.map_err(Refusal::from) {
            Err(Refusal::NotFound(_)) => {}
            found => return found.map(drop),
        }
        let new = ThreadCreate { thread_id: Some(thread), ..ThreadCreate::default() };
        match threads.create(new).await.map_err(Refusal::from) {
            // Another client made it meanwhile.
            Err(Refusal::Conflict(_)) => Ok(()),
            made => made.map(drop),
        }
    }
}

/// An order over what the assistant configures: what the order says counts.
fn configured(assistant: &Assistant, mut order: Order) -> Order {
    let over = |base: &Fields, top: Fields| {
        let mut all = base.clone();
        all.extend(top);
        all
    };
    let base = assistant.config.get("configurable").and_then(serde_json::Value::as_object).cloned().unwrap_or_default();
    order.config.configurable = over(&base, std::mem::take(&mut order.config.configurable));
    if let Some(limit) = assistant.config.get("recursion_limit").and_then(serde_json::Value::as_u64) {
        order.config.recursion_limit.get_or_insert(limit);
    }
    if let serde_json::Value::Object(context) = &order.context {
        order.context = over(&assistant.context, context.clone()).into();
    } else if !assistant.context.is_empty() {
        order.context = assistant.context.clone().into();
    }
    order
}
