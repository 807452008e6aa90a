//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use graphloom_cli::{
    AnswerArgs, BaseArgs, GraphFormat, McpArgs, OutputArgs, PromptArgs, RunArgs, SourceArgs, StudioArgs, ThreadArgs,
};
use graphloom_writehere::breakpoint::Breakpoint;

/// Writes long reports and stories by planning them recursively
#[derive(Parser, Debug)]
#[command(name = "writehere", version)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) base: BaseArgs,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Write a report that cites what it found in the corpus
    Report(WriteArgs),
    /// Write a story
    Story(WriteArgs),
    /// Go on with a run: after a kill, a stop or a breakpoint (from all of them unless some are answered); write the files
    /// of a finished one again
    Resume(ResumeArgs),
    /// List the runs
    Runs,
    /// Show a run, or everything that was said about one of its tasks
    Show {
        /// The run
        thread: String,
        /// The task, such as `root` or `2.1`
        node: Option<String>,
    },
    /// Explain the status of a task: its rules, what it waits for, what failed before it
    Why {
        /// The run
        thread: String,
        /// The task, such as `root` or `2.1`
        node: String,
    },
    /// List every change of a status with the condition that fired
    Log {
        /// The run
        thread: String,
    },
    /// Draw the tree of a run or a part of it, as it is or as it was at a checkpoint
    Tree(TreeArgs),
    /// Draw the graph of the planner
    Graph {
        /// The form
        #[arg(long, default_value = "mermaid")]
        format: GraphFormat,
    },
    /// Make an older checkpoint the head of its run; `resume` goes on from there
    Fork {
        /// The run
        thread: String,
        /// The checkpoint's number, from `writehere show THREAD`
        #[arg(long)]
        at: u64,
    },
}

#[derive(clap::Args, Debug)]
pub(crate) struct WriteArgs {
    /// What shall be written
    pub(crate) request: String,
    /// The length in words
    #[arg(long, value_name = "WORDS")]
    pub(crate) length: Option<u32>,
    /// Plan no deeper than this many layers below the whole
    #[arg(long, value_name = "LAYERS")]
    pub(crate) max_depth: Option<usize>,
    /// Plan no further when the tree has this many tasks
    #[arg(long, value_name = "TASKS")]
    pub(crate) max_nodes: Option<usize>,
    /// Run ready tasks together, or one action a step in level order
    #[arg(long)]
    pub(crate) schedule: Option<ScheduleArg>,
    /// Stop for a review of plans before they are carried out: that of the whole text, or each one
    #[arg(long, value_name = "WHICH")]
    pub(crate) review_plan: Option<ReviewArg>,
    /// The seed of samplers
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) thread: ThreadArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

/// What a run takes that begins, and one that goes on.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct WorkArgs {
    /// Stop where this fits: parts `node=KEY` (`KEY*` for all inside, too), `goal=TEXT`, `status=STATUS`, `next=STATUS`,
    /// `plan>N`, `stage=before|prompt|reply|parsed|after`, joined by `,`; may be given several times
    #[arg(long = "break-at", value_name = "PARTS")]
    pub(crate) breaks: Vec<Breakpoint>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) sources: SourceArgs,
    #[command(flatten)]
    pub(crate) mcp: McpArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) prompts: PromptArgs,
    #[command(flatten)]
    pub(crate) studio: StudioArgs,
}

#[derive(clap::Args, Debug)]
pub(crate) struct ResumeArgs {
    /// The run
    pub(crate) thread: String,
    #[command(flatten)]
    pub(crate) answers: AnswerArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

#[derive(clap::Args, Debug)]
pub(crate) struct TreeArgs {
    /// The run
    pub(crate) thread: String,
    /// The checkpoint's number; the newest when not given
    #[arg(long)]
    pub(crate) at: Option<u64>,
    /// Draw this task and what is inside it only, such as `2.1`
    #[arg(long, value_name = "KEY")]
    pub(crate) node: Option<String>,
    /// Draw so many layers below the topmost task only
    #[arg(long, value_name = "LAYERS")]
    pub(crate) depth: Option<usize>,
    /// The form
    #[arg(long, default_value = "text")]
    pub(crate) format: TreeFormat,
    /// Write to this file instead of stdout; needed for `png`
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum ScheduleArg {
    /// All ready tasks together
    Concurrent,
    /// One action a step
    Sequential,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum ReviewArg {
    /// That of the whole text
    Whole,
    /// Each one
    All,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TreeFormat {
    /// Lines
    Text,
    /// Mermaid
    Mermaid,
    /// GraphViz
    Dot,
    /// All fields of every task
    Json,
    /// A drawing
    Svg,
    /// A picture
    Png,
}

impl AsRef<BaseArgs> for Args {
    fn as_ref(&self) -> &BaseArgs {
        &self.base
    }
}
