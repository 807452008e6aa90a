//! The command line.

use clap::{Parser, Subcommand, ValueEnum};
use graphloom_cli::{
    AnswerArgs, BaseArgs, GraphFormat, McpArgs, OutputArgs, PromptArgs, RunArgs, SourceArgs, StudioArgs, ThreadArgs,
};

/// Researches a topic with you: queries, literature, gap, proposal, with your approval in between
#[derive(Parser, Debug)]
#[command(name = "pocketflow", version)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) base: BaseArgs,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Talk on the terminal, or with `--studio` in the browser, until `/quit` or the end of the input
    Chat {
        /// The conversation; that of `--thread`, or a new one, when not given
        #[arg(value_name = "THREAD")]
        conversation: Option<String>,
        #[command(flatten)]
        id: ThreadArgs,
        #[command(flatten)]
        studio: StudioArgs,
        #[command(flatten)]
        work: WorkArgs,
    },
    /// Say one thing and print what is said back
    Say {
        /// The conversation, existing or new
        thread: String,
        /// What is said
        message: String,
        #[command(flatten)]
        work: WorkArgs,
    },
    /// End a turn that was cut off, or answer what the conversation waits for, as `message="approve"`, or with the name of
    /// the question that is answered
    Resume {
        /// The conversation
        thread: String,
        #[command(flatten)]
        answers: AnswerArgs,
        #[command(flatten)]
        work: WorkArgs,
    },
    /// Stop the turn that another process is at work on
    Stop {
        /// The conversation
        thread: String,
    },
    /// Do everything after a checkpoint again
    Replay {
        /// The conversation
        thread: String,
        /// The checkpoint's number, from `pocketflow history THREAD`
        #[arg(long)]
        from: u64,
        #[command(flatten)]
        work: WorkArgs,
    },
    /// Make an older checkpoint the head of its conversation
    Fork {
        /// The conversation
        thread: String,
        /// The checkpoint's number, from `pocketflow history THREAD`
        #[arg(long)]
        at: u64,
    },
    /// List the conversations
    Runs,
    /// Show a conversation's session: what it waits for, what was made, which rule matched and why
    #[command(visible_alias = "show")]
    Inspect {
        /// The conversation
        thread: String,
    },
    /// Show what a decision rested on: the message, the question that it was about, how it was read, and the rules that
    /// were taken from there on
    Why {
        /// The conversation
        thread: String,
        /// The checkpoint that the decision led to, from `pocketflow history THREAD`; the last one unless given
        checkpoint: Option<u64>,
    },
    /// List the checkpoints of a conversation, with the rule that each was decided by
    History {
        /// The conversation
        thread: String,
    },
    /// Show what changed in the session between two checkpoints
    Diff {
        /// The conversation
        thread: String,
        /// The older checkpoint's number
        from: u64,
        /// The newer checkpoint's number
        to: u64,
    },
    /// Draw the graph, with the path that a conversation took when one is given
    Graph {
        /// The conversation
        thread: Option<String>,
        /// The form
        #[arg(long, default_value = "mermaid")]
        format: GraphFormat,
    },
    /// Print the proposal or its references, or with `--out DIR` write all forms there
    Export {
        /// The conversation
        thread: String,
        /// The form; Markdown unless given
        #[arg(long)]
        format: Option<ExportFormat>,
        #[command(flatten)]
        output: OutputArgs,
    },
}

/// What commands take that go on with a conversation.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct WorkArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) sources: SourceArgs,
    #[command(flatten)]
    pub(crate) mcp: McpArgs,
    #[command(flatten)]
    pub(crate) prompts: PromptArgs,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExportFormat {
    /// The proposal as Markdown
    Markdown,
    /// The proposal as JSON, with its queries, gap and searches
    Json,
    /// The references as BibTeX
    Bibtex,
    /// The references as CSL-JSON
    CslJson,
}

impl ExportFormat {
    /// All forms.
    pub(crate) const ALL: [Self; 4] = [Self::Markdown, Self::Json, Self::Bibtex, Self::CslJson];

    /// The file of `--out`.
    pub(crate) fn file(self) -> &'static str {
        match self {
            Self::Markdown => "proposal.md",
            Self::Json => "proposal.json",
            Self::Bibtex => "references.bib",
            Self::CslJson => "references.csl.json",
        }
    }
}

impl AsRef<BaseArgs> for Args {
    fn as_ref(&self) -> &BaseArgs {
        &self.base
    }
}
