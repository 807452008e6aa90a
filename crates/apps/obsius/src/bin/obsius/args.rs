//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};
use graphloom_cli::runs::parse_age;
use graphloom_cli::{AnswerArgs, BaseArgs, CommonArgs};

/// Looks after a vault of Markdown notes: analyzes, searches, executes, reflects, and asks before it writes
#[derive(Parser, Debug)]
#[command(name = "obsius", version)]
#[command(mut_arg("corpus", |arg| arg.hide(true)), mut_arg("search", |arg| arg.hide(true)))]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// The vault: a directory of Markdown notes; the current directory unless given, for a run that goes on its own
    #[arg(long, global = true, value_name = "DIR", env = "OBSIUS_VAULT")]
    pub(crate) vault: Option<PathBuf>,
    /// Requests that belong together; one for each vault unless given
    #[arg(long, global = true, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// With `--yes`: approve also what deletes, merges or empties notes
    #[arg(long, global = true)]
    pub(crate) yes_delete: bool,
    /// With `--yes`: approve also changes of more than 20 notes
    #[arg(long, global = true)]
    pub(crate) yes_many: bool,
    /// Take prompt files from this folder where it has them
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) prompts: Option<PathBuf>,
    /// The seed of samplers
    #[arg(long, global = true, default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Carry out a request
    Run {
        /// What is to be done, in English or Japanese
        request: String,
    },
    /// Read requests line by line; each is a run of the same session
    Chat,
    /// List the runs, with `--session` those of one session
    Runs,
    /// Show a run: its phases, plan, evidence and actions; with `--json` its whole state
    Show {
        /// The run
        run: String,
    },
    /// Go on with a run that was stopped, killed, failed, reached a limit or waits; `--set` gives it other limits; a review is answered with `review="approve"`,
    /// `review={"some":{"ids":["1"]}}` or `review={"reject":{"reason":"…"}}`
    Resume {
        /// The run
        run: String,
        #[command(flatten)]
        answers: AnswerArgs,
    },
    /// Show what a run would change
    Diff {
        /// The run
        run: String,
    },
    /// Approve the changes that a run waits with, and write them
    Apply {
        /// The run
        run: String,
        /// Only these, by their numbers in `diff`; all unless given
        #[arg(long, value_name = "NUMBER")]
        only: Vec<String>,
    },
    /// Give back what was before a run
    Undo {
        /// The run
        run: String,
        /// Also where a note changed since
        #[arg(long)]
        force: bool,
    },
    /// Remove the backups of runs that are over; they can then no longer be undone, and no note changes
    Forget {
        /// The runs
        #[arg(value_name = "RUN")]
        runs: Vec<String>,
        /// All that wrote nothing since, as in `30d`
        #[arg(long, value_name = "AGE", value_parser = parse_age, conflicts_with = "runs")]
        older_than: Option<Duration>,
        /// All
        #[arg(long, conflicts_with_all = ["runs", "older_than"])]
        all: bool,
    },
    /// Search the notes
    #[command(name = "search")]
    Find {
        /// Words, also `tag:NAME`, `path:PART` and `"a phrase"`
        query: String,
        /// The most notes
        #[arg(long, default_value_t = 10)]
        limit: usize,
    },
    /// Draw the workflow
    Graph {
        /// The form
        #[arg(long, default_value = "mermaid")]
        format: GraphFormat,
    },
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum GraphFormat {
    /// Mermaid
    Mermaid,
    /// GraphViz
    Dot,
    /// JSON
    Json,
    /// The table of phases as a Mermaid state diagram
    Phases,
}

impl AsRef<BaseArgs> for Args {
    fn as_ref(&self) -> &BaseArgs {
        self.common.as_ref()
    }
}
