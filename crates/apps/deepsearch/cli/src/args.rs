//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use graphloom_cli::{
    AnswerArgs, BaseArgs, GraphFormat, McpArgs, OutputArgs, RunArgs, SourceArgs, StudioArgs, ThreadArgs,
};

/// Researches a question and writes a report whose citations were checked
#[derive(Parser, Debug)]
#[command(name = "deepsearch", version, args_conflicts_with_subcommands = false)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    #[command(flatten)]
    pub(crate) base: BaseArgs,
}

#[derive(clap::Args, Debug)]
pub(crate) struct RequestArgs {
    /// The question
    pub(crate) question: Option<String>,
    /// A Markdown file whose headings the report follows
    #[arg(long, value_name = "FILE")]
    pub(crate) report_template: Option<PathBuf>,
    /// `research`; nothing else is built
    #[arg(long, value_name = "MODE", default_value = "research")]
    pub(crate) search_mode: String,
    #[command(flatten)]
    pub(crate) thread: ThreadArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

/// What a run takes that begins, and one that goes on.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct WorkArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) sources: SourceArgs,
    #[command(flatten)]
    pub(crate) mcp: McpArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) studio: StudioArgs,
}

#[derive(clap::Args, Debug)]
pub(crate) struct ResumeArgs {
    /// The run
    pub(crate) thread: String,
    /// Check what nobody could check while the run was done: its citations, and statements without one
    #[arg(long, conflicts_with = "answers")]
    pub(crate) recheck: bool,
    /// Write the sections that were only quoted because their writer could not be asked, and put the report together and
    /// check it anew; sections that were written stay as they are
    #[arg(long, conflicts_with_all = ["answers", "recheck"])]
    pub(crate) rewrite: bool,
    #[command(flatten)]
    pub(crate) answers: AnswerArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Go on with a run: after a kill, a stop, a failure or a question; write the files of a finished one again
    Resume(Box<ResumeArgs>),
    /// List the runs
    Runs,
    /// Show a run: outline, plans, steps, what was found and what went wrong
    Show {
        /// The run
        thread: String,
    },
    /// Draw the graphs
    Graph {
        /// Which graph; all of them when not given
        #[arg(long, value_name = "NAME")]
        graph: Option<String>,
        /// The form
        #[arg(long, default_value = "mermaid")]
        format: GraphFormat,
    },
    /// Make an older checkpoint the head of its run
    Fork {
        /// The run
        thread: String,
        /// The checkpoint's number, from `deepsearch show THREAD`
        #[arg(long)]
        at: u64,
    },
}

impl AsRef<BaseArgs> for Args {
    fn as_ref(&self) -> &BaseArgs {
        &self.base
    }
}
