//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValue;
use clap::{Parser, Subcommand, ValueEnum};
use graphloom_cli::runs::parse_age;
use graphloom_cli::{
    AnswerArgs, BaseArgs, ConsentArgs, GraphFormat, McpArgs, PromptArgs, RunArgs, SourceArgs, StudioArgs, ThreadArgs,
};
use graphloom_obsius::WorkflowState;

/// Looks after a vault of Markdown notes: analyzes, searches, executes, reflects, and asks before it writes
#[derive(Parser, Debug)]
#[command(name = "obsius", version)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) base: BaseArgs,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Carry out a request
    Run(RequestArgs),
    /// Read requests line by line; each is a run of the same session
    Chat(SessionWorkArgs),
    /// List the runs, with `--session` those of one session
    Runs(SessionArgs),
    /// Show a run: its phases, plan, evidence and actions; with `--json` its whole state
    Show {
        /// The run
        run: String,
    },
    /// Go on with a run that was stopped, killed, failed, reached a limit or waits; `--set` gives it other limits; a review is answered with `review="approve"`,
    /// `review={"some":{"ids":["1"]}}` or `review={"reject":{"reason":"…"}}`
    Resume(ResumeArgs),
    /// Show what a run would change
    Diff {
        /// The run
        run: String,
        #[command(flatten)]
        vault: VaultArgs,
    },
    /// Approve the changes that a run waits with, and write them
    Apply(ApplyArgs),
    /// Give back what was before a run
    Undo {
        /// The run
        run: String,
        /// Also where a note changed since
        #[arg(long)]
        force: bool,
        #[command(flatten)]
        vault: VaultArgs,
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
        #[command(flatten)]
        vault: VaultArgs,
    },
    /// Search the notes
    #[command(name = "search")]
    Find {
        /// Words, also `tag:NAME`, `path:PART` and `"a phrase"`
        query: String,
        /// The most notes
        #[arg(long, default_value_t = 10)]
        limit: usize,
        #[command(flatten)]
        vault: VaultArgs,
    },
    /// Draw the workflow
    Graph {
        /// The form
        #[arg(long, default_value = "mermaid")]
        format: Form,
    },
}

#[derive(clap::Args, Debug)]
pub(crate) struct RequestArgs {
    /// What is to be done, in English or Japanese
    pub(crate) request: String,
    #[command(flatten)]
    pub(crate) thread: ThreadArgs,
    #[command(flatten)]
    pub(crate) studio: StudioArgs,
    #[command(flatten)]
    pub(crate) work: SessionWorkArgs,
}

/// What runs of a session take that begin.
#[derive(clap::Args, Debug)]
pub(crate) struct SessionWorkArgs {
    #[command(flatten)]
    pub(crate) session: SessionArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

#[derive(clap::Args, Debug)]
pub(crate) struct ResumeArgs {
    /// The run
    pub(crate) run: String,
    #[command(flatten)]
    pub(crate) answers: AnswerArgs,
    #[command(flatten)]
    pub(crate) studio: StudioArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

#[derive(clap::Args, Debug)]
pub(crate) struct ApplyArgs {
    /// The run
    pub(crate) run: String,
    /// Only these, by their numbers in `diff`; all unless given
    #[arg(long, value_name = "NUMBER")]
    pub(crate) only: Vec<String>,
    #[command(flatten)]
    pub(crate) vault: VaultArgs,
    #[command(flatten)]
    pub(crate) consent: ConsentArgs,
    #[command(flatten)]
    pub(crate) approval: ApprovalArgs,
}

/// What a run takes that begins, and one that goes on.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct WorkArgs {
    #[command(flatten)]
    pub(crate) vault: VaultArgs,
    #[command(flatten)]
    pub(crate) approval: ApprovalArgs,
    /// The seed of samplers; 0 unless given, for a run that goes on its own
    #[arg(long, global = true)]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) prompts: PromptArgs,
    #[command(flatten)]
    pub(crate) mcp: McpArgs,
    #[command(flatten)]
    pub(crate) sources: SourceArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(clap::Args, Clone, Debug)]
pub(crate) struct VaultArgs {
    /// The vault: a directory of Markdown notes; the current directory unless given, for a run that goes on its own
    #[arg(long, global = true, value_name = "DIR", env = "OBSIUS_VAULT")]
    pub(crate) vault: Option<PathBuf>,
}

#[derive(clap::Args, Clone, Debug)]
pub(crate) struct SessionArgs {
    /// Requests that belong together; one for each vault unless given
    #[arg(long, global = true, value_name = "ID")]
    pub(crate) session: Option<String>,
}

#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct ApprovalArgs {
    /// With `--yes`: approve also what deletes, merges or empties notes
    #[arg(long, global = true)]
    pub(crate) yes_delete: bool,
    /// With `--yes`: approve also changes of more than 20 notes
    #[arg(long, global = true)]
    pub(crate) yes_many: bool,
}

impl VaultArgs {
    /// The vault that a command is about.
    pub(crate) fn or_here(&self) -> PathBuf {
        self.vault.clone().unwrap_or_else(|| PathBuf::from("."))
    }

    /// The vault that a run is about.
    pub(crate) fn or_of(&self, state: &WorkflowState) -> PathBuf {
        self.vault.clone().unwrap_or_else(|| PathBuf::from(&state.session.vault))
    }
}

/// The forms of a drawing of the workflow.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// Of its graph.
    Graph(GraphFormat),
    /// Of the table of phases.
    Phases,
}

impl ValueEnum for Form {
    fn value_variants<'a>() -> &'a [Self] {
        use GraphFormat::{Dot, Json, Mermaid, Svg};
        &[Self::Graph(Mermaid), Self::Graph(Dot), Self::Graph(Json), Self::Graph(Svg), Self::Phases]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Graph(format) => format.to_possible_value(),
            Self::Phases => Some(PossibleValue::new("phases").help("The table of phases as a Mermaid state diagram")),
        }
    }
}

impl AsRef<BaseArgs> for Args {
    fn as_ref(&self) -> &BaseArgs {
        &self.base
    }
}
