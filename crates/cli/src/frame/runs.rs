//! Listing, finding and forking the runs of a program.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::{HistoryFilter, ThreadFilter};
use graphloom_core_graph::{Compiled, State, Thread, ThreadState};
use serde_json::json;

use crate::config::nearest;
use crate::runs::{RunSummary, list, list_text};
use crate::{CliError, ExitStatus, Failure, Session};

/// The runs of a program, which may have several graphs over one state. Reading and forking a run needs no resources; to
/// drive a run, the graph is opened with its resources.
#[derive(Debug)]
pub struct AppRuns<'s, S: State> {
    session: &'s Session,
    graphs: Vec<Compiled<S>>,
}

impl<'s, S: State> AppRuns<'s, S> {
    /// The runs of graphs that are there [for inspection](Compiled::for_inspection).
    pub fn new(session: &'s Session, graphs: impl IntoIterator<Item = Compiled<S>>) -> Self {
        Self { session, graphs: graphs.into_iter().collect() }
    }

    /// Summaries of all runs, the most recently changed first.
    ///
    /// # Errors
    /// The store's.
    pub async fn summaries(&self) -> Result<Vec<RunSummary>, Failure> {
        let store = self.session.store().await?;
        let mut found = Vec::new();
        for graph in &self.graphs {
            found.extend(list(&*store.checkpointer(), &of(graph)).await?);
        }
        found.sort_by_key(|run| std::cmp::Reverse(run.updated));
        Ok(found)
    }

    /// Prints the list of the runs.
    ///
    /// # Errors
    /// The store's; a result that cannot be written.
    pub async fn list(&self) -> Result<ExitStatus, Failure> {
        let found = self.summaries().await?;
        self.print_list(&list_text(&found), &found)
    }

    /// Prints a list of runs in a form of the program's own.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    pub fn print_list<T: serde::Serialize>(&self, text: &str, found: &[T]) -> Result<ExitStatus, Failure> {
        let progress = &self.session.progress;
        if found.is_empty() {
            progress.note(format!("there are no runs in `{}`", self.session.store_place()?));
        }
        progress.result(ExitStatus::Done, text, &found)?;
        Ok(ExitStatus::Done)
    }

    /// A stored run and its state.
    ///
    /// # Errors
    /// [`CliError::UnknownRun`]; [`CliError::Usage`] for a run of another program; the store's.
    pub async fn find(&self, id: &str) -> Result<(Thread<S>, ThreadState<S>), Failure> {
        if let Some(found) = self.known(id).await? {
            return Ok(found);
        }
        let store = self.session.store().await?.checkpointer();
        let mut known = Vec::new();
        for graph in &self.graphs {
            known.extend(store.threads(&of(graph)).await?);
        }
        let nearest = nearest(id, known.iter().map(|row| &*row.thread)).map(str::to_owned);
        Err(CliError::UnknownRun { thread: id.to_owned(), place: self.session.store_place()?, nearest }.into())
    }

    /// A stored run and its state; `None` where there is no such run.
    ///
    /// # Errors
    /// [`CliError::Usage`] for a run of another program; the store's.
    pub async fn known(&self, id: &str) -> Result<Option<(Thread<S>, ThreadState<S>)>, Failure> {
        let store = self.session.store().await?.checkpointer();
        let Some(row) = store.thread(id).await? else { return Ok(None) };
        let Some(graph) = self.graphs.iter().find(|graph| graph.name() == row.graph) else {
            let (graph, program) = (row.graph, self.session.program());
            let message = format!("`{id}` is a run of `{graph}`, not of `{program}`; `{program} runs` lists its own");
            return Err(Failure::usage(message));
        };
        let thread = graph.clone().with_shared_checkpointer(store).thread(id);
        let state = thread.state().await?;
        Ok(state.checkpoint.is_some().then_some((thread, state)))
    }

    /// Makes an older checkpoint the head of its run, and says how to go on from there.
    ///
    /// # Errors
    /// As [`find`](Self::find); no such checkpoint.
    pub async fn fork(&self, id: &str, at: u64) -> Result<ExitStatus, Failure> {
        let (run, _) = self.find(id).await?;
        run.at(at).fork().await?;
        let line = self.session.resume_line(id);
        let text = format!("checkpoint {at} is the head of `{id}` now; go on with: {line}");
        self.session.progress.result(ExitStatus::Done, &text, &json!({ "run": id, "at": at, "resume": line }))?;
        Ok(ExitStatus::Done)
    }
}

fn of<S: State>(graph: &Compiled<S>) -> ThreadFilter {
    let mut filter = ThreadFilter::default();
    filter.graph = Some(graph.name().to_owned());
    filter
}

/// Makes the newest checkpoint that `fits` the head of a run and returns the state of that checkpoint. Where none fits,
/// returns `None` and changes nothing.
///
/// # Errors
/// The store's.
pub async fn go_back<S: State, Cx: Send + Sync + 'static>(
    run: &Thread<S, Cx>,
    fits: impl Fn(&ThreadState<S>) -> bool,
) -> Result<Option<Arc<S>>, Failure> {
    for row in run.history(&HistoryFilter::default()).await? {
        let state = run.at(row.number).state().await?;
        if fits(&state) {
            run.at(row.number).fork().await?;
            return Ok(Some(state.state));
        }
    }
    Ok(None)
}
