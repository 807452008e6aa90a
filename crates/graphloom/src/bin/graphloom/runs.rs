//! `graphloom runs`: stored runs of all applications.

use clap::{Subcommand, ValueEnum};
use graphloom_checkpoint_sqlite::SqliteCheckpointer;
use graphloom_cli::runs::{RunPath, RunReport, list, list_text, summary};
use graphloom_cli::{CliError, DataDir, ExitStatus, Failure, Progress, open_checkpointer};
use graphloom_core_graph::checkpoint::ThreadFilter;
use serde_json::json;

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
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
}

#[derive(ValueEnum, Clone, Copy, Debug, Default)]
pub(crate) enum Format {
    /// A Mermaid flowchart
    #[default]
    Mermaid,
    /// GraphViz DOT
    Dot,
}

pub(crate) async fn run(command: RunsCommand, dirs: &DataDir, progress: &Progress) -> Result<ExitStatus, Failure> {
    let store = open(dirs)?;
    let (text, value) = match command {
        RunsCommand::List { graph, limit } => {
            let mut filter = ThreadFilter::default();
            (filter.graph, filter.limit) = (graph, limit);
            let runs = match &store {
                Some(store) => list(store, &filter).await?,
                None => Vec::new(),
            };
            if runs.is_empty() {
                progress.note(format!("there are no runs in `{}`", dirs.threads_db().display()));
                (String::new(), json!({"runs": []}))
            } else {
                (list_text(&runs), json!({"runs": runs}))
            }
        }
        RunsCommand::Show { thread } => {
            let report = report(store, dirs, &thread).await?;
            (report.to_string(), serde_json::to_value(&report)?)
        }
        RunsCommand::Graph { thread, format } => {
            let path = RunPath::of(&report(store, dirs, &thread).await?);
            let text = match format {
                Format::Mermaid => path.mermaid(),
                Format::Dot => path.dot(),
            };
            (text, serde_json::to_value(&path)?)
        }
    };
    progress.result(ExitStatus::Done, &text, &value)?;
    Ok(ExitStatus::Done)
}

/// The database, if there is one: reading makes none.
fn open(dirs: &DataDir) -> Result<Option<SqliteCheckpointer>, Failure> {
    if dirs.threads_db().exists() { open_checkpointer(dirs).map(Some) } else { Ok(None) }
}

async fn report(store: Option<SqliteCheckpointer>, dirs: &DataDir, thread: &str) -> Result<RunReport, Failure> {
    let Some(store) = store else {
        let (thread, place) = (thread.to_owned(), dirs.threads_db());
        return Err(CliError::UnknownRun { thread, place, nearest: None }.into());
    };
    let summary = summary(&store, dirs, thread).await?;
    Ok(RunReport::read(&store, summary).await?)
}
