//! `graphloom runs`: stored runs of all applications.

mod prune;

use clap::Subcommand;
use graphloom_cli::runs::{RunDiff, RunPath, RunReport, list, list_text, summary};
use graphloom_cli::{CliError, ExitStatus, Failure, GraphFormat, RunStore, Session, check_thread_id};
use graphloom_core_graph::checkpoint::{TaskRecordKind, ThreadFilter, fork_thread};
use serde_json::{Value, json};

#[derive(Subcommand, Debug)]
pub(crate) enum RunsCommand {
    /// List the runs, the most recently changed first
    List {
        /// Only runs of this graph
        #[arg(long, value_name = "NAME")]
        graph: Option<String>,
        /// At most so many
        #[arg(long, value_name = "COUNT")]
        limit: Option<usize>,
    },
    /// Show the status, steps, time and journal of a run
    Show {
        /// The run
        thread: String,
    },
    /// Draw the path that a run took
    Graph {
        /// The run
        thread: String,
        /// The language of the drawing
        #[arg(long, default_value = "mermaid")]
        format: GraphFormat,
    },
    /// Show what changed in the state of a run between two checkpoints, or between two runs
    Diff {
        /// The run
        thread: String,
        /// The run to compare with, instead of the same one
        other: Option<String>,
        /// The checkpoint before: the first one, or the last one of the run when another run is named
        #[arg(long, value_name = "CHECKPOINT")]
        from: Option<u64>,
        /// The checkpoint after, the last one unless given
        #[arg(long, value_name = "CHECKPOINT")]
        to: Option<u64>,
    },
    /// Make a new run that stands where a run stood at a checkpoint
    ///
    /// The application goes on with it by its `resume` command. The run itself is not changed.
    Fork {
        /// The run
        thread: String,
        /// The checkpoint; `show` lists them
        #[arg(long, value_name = "CHECKPOINT")]
        at: u64,
        /// The new run
        #[arg(long, value_name = "RUN")]
        to: String,
        /// Use the results of finished calls of the tasks that run again, instead of making the calls again
        #[arg(long)]
        reuse_results: bool,
    },
    /// Remove old checkpoints of runs; the runs stay as they are and can be resumed
    Prune(prune::PruneArgs),
}

pub(crate) async fn run(command: RunsCommand, session: &Session) -> Result<ExitStatus, Failure> {
    let (progress, store) = (&session.progress, session.existing_store().await?);
    let (text, value) = match command {
        RunsCommand::List { graph, limit } => {
            let mut filter = ThreadFilter::default();
            (filter.graph, filter.limit) = (graph, limit);
            let runs = match &store {
                Some(store) => list(&*store.checkpointer(), &filter).await?,
                None => Vec::new(),
            };
            if runs.is_empty() {
                progress.note(format!("there are no runs in `{}`", session.store_place()?));
                (String::new(), json!({"runs": []}))
            } else {
                (list_text(&runs), json!({"runs": runs}))
            }
        }
        RunsCommand::Show { thread } => {
            let report = report(store, session, &thread).await?;
            (report.to_string(), serde_json::to_value(&report)?)
        }
        RunsCommand::Graph { thread, format } => {
            let path = RunPath::of(&report(store, session, &thread).await?);
            (path.draw(format)?, serde_json::to_value(&path)?)
        }
        RunsCommand::Diff { thread, other, from, to } => {
            diff(store, session, &thread, other.as_deref(), from, to).await?
        }
        RunsCommand::Fork { thread, at, to, reuse_results } => {
            let store = known(store, session, &thread).await?;
            check_thread_id(&to)?;
            fork_thread(&*store.checkpointer(), &thread, at, &to, reuse_results).await?;
            let summary = summary(&store, &to).await?;
            let mut text = format!("run `{to}` stands at checkpoint {at} of `{thread}`; it is {}\n", summary.status);
            if reuse_results {
                let records = store.checkpointer().task_records(&to, "").await?;
                let taken = records.iter().filter(|record| record.kind == TaskRecordKind::Once).count();
                text.push_str(&format!("{taken} results of finished calls are taken over\n"));
            }
            (text, serde_json::to_value(&summary)?)
        }
        RunsCommand::Prune(args) => prune::run(args, store, session).await?,
    };
    progress.result(ExitStatus::Done, &text, &value)?;
    Ok(ExitStatus::Done)
}

async fn diff(
    store: Option<RunStore>,
    session: &Session,
    thread: &str,
    other: Option<&str>,
    from: Option<u64>,
    to: Option<u64>,
) -> Result<(String, Value), Failure> {
    let store = known(store, session, thread).await?;
    if let Some(other) = other {
        summary(&store, other).await?;
    }
    let from = match (from, other) {
        (None, None) => {
            store.checkpointer().checkpoints(thread, "", &Default::default()).await?.last().map(|row| row.number)
        }
        (from, _) => from,
    };
    let diff = RunDiff::between(&*store.checkpointer(), (thread, from), (other.unwrap_or(thread), to)).await?;
    Ok((diff.to_string(), serde_json::to_value(&diff)?))
}

/// The database, when it has the run.
async fn known(store: Option<RunStore>, session: &Session, thread: &str) -> Result<RunStore, Failure> {
    let Some(store) = store else {
        let (thread, place) = (thread.to_owned(), session.store_place()?);
        return Err(CliError::UnknownRun { thread, place, nearest: None }.into());
    };
    summary(&store, thread).await?;
    Ok(store)
}

async fn report(store: Option<RunStore>, session: &Session, thread: &str) -> Result<RunReport, Failure> {
    let store = known(store, session, thread).await?;
    let summary = summary(&store, thread).await?;
    Ok(RunReport::read(&*store.checkpointer(), summary).await?)
}
